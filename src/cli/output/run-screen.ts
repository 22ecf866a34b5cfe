import type { StampedEvent } from '../../driver/events.ts';
import { eventLine, summaryLine, usageText } from '../../driver/screen/event-line.ts';
import { frameLines } from '../../driver/screen/frame.ts';
import { NO_VIEW, withEvent } from '../../driver/screen/run-view.ts';
import { redraw } from '../../driver/screen/terminal.ts';
import { safeJson } from '../../util/safe-json.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import type { CommandContext } from '../context.ts';
import { write } from '../../io/write-output.ts';
import { print } from './output.ts';

/** Shows what a driver does. */
export interface RunScreen {
  show: (event: StampedEvent) => void;
  close: () => void;
}

export function makeScreen(cli: CommandContext): RunScreen {
  if (cli.output.json) return { show: printJson, close: () => undefined };
  const isTerminal = process.stdout.isTTY && process.env['TERM'] !== 'dumb';
  return isTerminal ? terminalScreen(cli) : { show: printEvent, close: () => undefined };
}

/** As with every command, a failure is also told where people look for it. */
function printJson(event: StampedEvent): void {
  print(1, safeJson(event, 0));
  if (event.event === 'stopped' && event.exit_code !== 0) print(2, endLine(event));
}

function printEvent(event: StampedEvent): void {
  if (event.event === 'stopped') return printEnd(event);
  const line = eventLine(event);
  if (line !== null) print(1, line);
}

const TICK_MS = 1_000;

/** One frame that is drawn again with every event and every second. */
function terminalScreen(cli: CommandContext): RunScreen {
  const screen = redraw((text) => write(1, text));
  let view = NO_VIEW;
  const draw = (): void => {
    const [columns, rows] = process.stdout.getWindowSize();
    // Some terminals do not tell their size.
    const size = { columns: columns === 0 ? 80 : columns, rows: rows === 0 ? 24 : rows };
    screen.draw(frameLines(view, Date.now(), size, cli.output.colors));
  };
  const timer = setInterval(draw, TICK_MS);
  const onResize = (): void => {
    screen.resized();
    draw();
  };
  process.stdout.on('resize', onResize);
  const close = (): void => {
    clearInterval(timer);
    process.stdout.off('resize', onResize);
    process.off('exit', close);
    screen.close();
  };
  process.on('exit', close);
  return {
    show: (event) => {
      view = withEvent(view, event);
      draw();
      if (event.event !== 'stopped') return;
      close();
      printEnd(event);
    },
    close,
  };
}

/** What each step has used, then why it stopped; a failure goes where errors go. */
function printEnd(event: Extract<StampedEvent, { event: 'stopped' }>): void {
  const { steps, usage, exit_code: code } = event;
  print(1, ['', ...steps.map(summaryLine), `in all: ${usageText(usage)}`].join('\n'));
  print(code === 0 ? 1 : 2, endLine(event));
}

function endLine({ message, hint }: { message: string; hint: string }): string {
  return sanitizeLine(`holdfast: ${hint === '' ? message : `${message}; ${hint}`}`);
}
