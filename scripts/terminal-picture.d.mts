export interface PictureLine {
  text: string;
  look: 'typed' | 'output' | 'comment' | 'given';
}
export function terminalPicture(
  lines: readonly PictureLine[],
  options: { title: string; columns: number },
): string;
