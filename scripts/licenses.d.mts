export interface Metafile {
  inputs: object;
}
export function bundledPackages(metafiles: readonly Metafile[]): string[];
export function licensesOf(folders: readonly string[]): string;
