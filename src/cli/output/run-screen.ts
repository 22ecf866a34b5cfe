import type { StampedEvent } from '../../driver/events.ts';
import { eventLine, summaryLine, usageText } from '../../driver/screen/event-line.ts';
import { safeJson } from '../../util/safe-json.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import type { CommandContext } from '../context.ts';
import { print } from './output.ts';

/** Shows what a driver does. */
export interface RunScreen {
  show: (event: StampedEvent) => void;
  close: () => void;
}

export function makeScreen(cli: CommandContext): RunScreen {
  if (cli.output.json)
    return { show: (event) => print(1, safeJson(event, 0)), close: () => undefined };
  return { show: printEvent, close: () => undefined };
}

function printEvent(event: StampedEvent): void {
  if (event.event === 'stopped') return printEnd(event);
  const line = eventLine(event);
  if (line !== null) print(1, line);
}

/** What each step has used, then why it stopped; a failure goes where errors go. */
function printEnd(event: Extract<StampedEvent, { event: 'stopped' }>): void {
  const { steps, usage, message, hint, exit_code: code } = event;
  const end = sanitizeLine(`holdfast: ${hint === '' ? message : `${message}; ${hint}`}`);
  print(1, ['', ...steps.map(summaryLine), `in all: ${usageText(usage)}`].join('\n'));
  print(code === 0 ? 1 : 2, end);
}
