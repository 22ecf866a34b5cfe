/** A part of a terminal that is drawn again and again. */
export interface Redrawn {
  draw: (lines: readonly string[]) => void;
  /** After a change of its size, lines may have been wrapped: everything is drawn anew. */
  resized: () => void;
  /** Leaves the last lines and shows the cursor. */
  close: () => void;
}

const HIDE_CURSOR = '\u001B[?25l';
const SHOW_CURSOR = '\u001B[?25h';
const CLEAR_LINE = '\u001B[K';
const CLEAR_BELOW = '\u001B[J';
const CLEAR_SCREEN = '\u001B[2J\u001B[H';
/** Terminals that know it show the frame at once; others ignore it. */
const BEGIN_UPDATE = '\u001B[?2026h';
const END_UPDATE = '\u001B[?2026l';

/** Each line is overwritten in place and only its rest is cleared, so nothing flickers. */
export function redraw(write: (text: string) => void): Redrawn {
  let drawn = 0;
  let last = '';
  let isClosed = false;
  return {
    draw: (lines) => {
      const frame = lines.map((line) => `${line}${CLEAR_LINE}`).join('\r\n');
      if (isClosed || (frame === last && drawn > 0)) return;
      const toTop = drawn <= 1 ? '\r' : `\r\u001B[${drawn - 1}A`;
      write(`${BEGIN_UPDATE}${HIDE_CURSOR}${toTop}${frame}${CLEAR_BELOW}${END_UPDATE}`);
      drawn = lines.length;
      last = frame;
    },
    resized: () => {
      if (drawn === 0 || isClosed) return;
      write(CLEAR_SCREEN);
      drawn = 0;
      last = '';
    },
    close: () => {
      if (isClosed) return;
      isClosed = true;
      if (drawn > 0) write(`\r\n${SHOW_CURSOR}`);
    },
  };
}
