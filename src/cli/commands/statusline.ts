import { printStatusLine, type StatusLineOptions } from '../statusline/status-line.ts';

/** Called like this only with options; the client reaches `main-statusline.ts` directly. */
export function statusline(options: StatusLineOptions): void {
  printStatusLine(options);
}
