import { printStatusLine, type StatusLineOptions } from '../statusline/status-line.ts';

/** Called like this only behind a global option; the client reaches `main-statusline.ts` directly. */
export function statusline(options: StatusLineOptions): void {
  printStatusLine(options);
}
