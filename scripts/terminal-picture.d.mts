export interface PictureLine {
  text: string;
  look: 'typed' | 'output' | 'comment' | 'given';
}
export interface MovieFrame {
  caption: string;
  seconds: number;
  lines: readonly PictureLine[];
}
interface Options {
  title: string;
  columns: number;
}
export function terminalPicture(
  lines: readonly PictureLine[],
  options: Options,
): string;
export function terminalMovie(
  frames: readonly MovieFrame[],
  options: Options,
): string;
