/** The folder of a file, both relative to the project; empty for the project itself. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** The name of a file without its extension. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.\w{1,10}$/, '');
}

/** The name of the folder that a plan is in. */
export function nameOf(path: string): string {
  const folder = folderOf(path);
  return folder.slice(folder.lastIndexOf('/') + 1);
}

/** The files of these names beside a plan. */
export function fileIn(...names: string[]): (path: string) => string[] {
  return (path) => names.map((name) => path.replace(/[^/]*$/, name));
}
