import type { JournalEvent } from '../../state/journal.ts';
import { isObject, ownMember } from '../../util/json.ts';

/** Empty if the event has no such text. */
export function stringIn(event: JournalEvent, key: string): string {
  const value = ownMember(event, key);
  return typeof value === 'string' ? value : '';
}

export function listText(event: JournalEvent, key: string): string {
  const value = ownMember(event, key);
  return Array.isArray(value) ? value.filter((part) => typeof part === 'string').join(', ') : '';
}

/** A text as it is, anything else as JSON. */
export function valueIn(event: JournalEvent, key: string): string {
  const value = ownMember(event, key);
  if (value === undefined || value === null) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function atPhase({ phase }: JournalEvent): string {
  if (!isObject(phase)) return '';
  const { current, total, name } = phase;
  const label = `${String(current)}/${String(total)}`;
  return `, phase ${typeof name === 'string' && name !== '' ? `${label} ${name}` : label}`;
}

export function untilResult({ until }: JournalEvent): string {
  if (!isObject(until) || typeof until['command'] !== 'string') return '';
  return until['met'] === true
    ? `, ended by \`${until['command']}\``
    : `, \`${until['command']}\` does not pass yet`;
}

/** The gates that a move has passed. */
export function gatesPassed({ gates }: JournalEvent): string {
  const commands = (Array.isArray(gates) ? gates : []).filter((gate) => typeof gate === 'string');
  return commands.map((command) => `, the gate \`${command}\` passed`).join('');
}

/** What the template decided when the step failed. */
export function failureOutcome({ outcome, attempt, of }: JournalEvent): string {
  switch (outcome) {
    case 'retry':
      return `, retry ${String(attempt)} of ${String(of)}`;
    case 'skip':
      return ', skipped';
    case 'abort':
      return ', and with it the run';
    default:
      return '';
  }
}
