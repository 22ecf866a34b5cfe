import { createHmac } from 'node:crypto';
import { ARCHIVE_FOLDER } from '../state/paths.ts';
import type { RunState, Run } from '../state/types.ts';
import { isObject } from '../text/json.ts';
import { asWord } from '../text/sanitize.ts';
import { proposedWord } from '../text/shell-commands.ts';
import type { SyncedClone } from './clone.ts';
import type { Snapshot } from './commits.ts';
import { findSecrets } from './secrets/find-secrets.ts';

/** A value that looks like a secret and keeps its run here: where it is, never what it is. */
export interface WithheldField {
  run: string;
  field: string;
  kind: string;
  /** By which a person can allow the value in this clone. */
  fingerprint: string;
  /** The commands that keep the field here or change it. */
  remedy: string;
}

/**
 * What of a run looks like a secret and is new to the remote. What the remote has already came from there or was allowed
 * when it was sent, perhaps in another clone; holding back the run would not take it back.
 */
export function withheldFields(
  run: Run,
  mine: Snapshot,
  sent: readonly Snapshot[],
  { cloneId, allowed }: Pick<SyncedClone, 'cloneId' | 'allowed'>,
): WithheldField[] {
  const found = secretsOf(mine, cloneId);
  if (found.length === 0) return [];
  const known = new Set([
    ...allowed,
    ...sent
      .flatMap((snapshot) => secretsOf(snapshot, cloneId))
      .map((secret) => secret.fingerprint),
  ]);
  return found
    .filter(({ fingerprint }) => !known.has(fingerprint))
    .map((secret) => ({
      run: run.runId,
      ...secret,
      remedy: remedyFor(run, secret.field),
    }));
}

/** Whether anything in the snapshot looks like a secret and was not allowed in this clone. */
export const hasNewSecret = (
  snapshot: Snapshot,
  { cloneId, allowed }: Pick<SyncedClone, 'cloneId' | 'allowed'>,
): boolean =>
  secretsOf(snapshot, cloneId).some(
    ({ fingerprint }) => !allowed.includes(fingerprint),
  );

/** Session ids and times are not searched. */
function secretsOf(
  { state }: Snapshot,
  cloneId: string,
): Pick<WithheldField, 'field' | 'kind' | 'fingerprint'>[] {
  const { sessions: _sessions, ...fields } = state;
  return findSecrets(fields).map(({ field, kind, value }) => ({
    field,
    kind,
    fingerprint: fingerprintOf(value, cloneId),
  }));
}

const FINGERPRINT_LENGTH = 16;

/**
 * With the random id of this clone as the key, which nobody is shown: so it is the same at each call here, and says nothing
 * about even a short password to whom it is quoted.
 */
function fingerprintOf(value: string, cloneId: string): string {
  const digest = createHmac('sha256', cloneId).update(value).digest('hex');
  return digest.slice(0, FINGERPRINT_LENGTH);
}

function remedyFor(run: Run, field: string): string {
  const { runId, state, path } = run;
  const commands = path.startsWith(`${ARCHIVE_FOLDER}/`)
    ? []
    : commandsFor(runId, state, field);
  return commands.length === 0
    ? `change ${asWord(field)} in ${asWord(path)} with an editor`
    : commands.map((command) => `\`holdfast ${command}\``).join(' or ');
}

const OPTIONS = new Map([
  ['context', ['--set-local {}=<value>', '--unset {}']],
  ['artifacts', ['--artifact {}=<path>']],
  ['key_reminders', ['--forget "<part of its text>"']],
  ['required_reading', ['--unread "<part of its path>"']],
  ['phases', ['--phases "<all names>"']],
  ['phase', ['--name "<name>"']],
]);

/** The commands that keep a field here or change it; none for a field that only an editor changes. */
function commandsFor(runId: string, state: RunState, field: string): string[] {
  const [top = '', key = ''] = field.split(/[.[\]]+/);
  // A template decides the names of its phases.
  if (state.template !== undefined && top.startsWith('phase')) return [];
  if (top === 'notes')
    return [`note --forget ${numberOfNote(state, key)} --run ${runId}`];
  const options = OPTIONS.get(top) ?? [];
  const word = proposedWord(key, '<key>');
  return options.map(
    (option) => `update ${runId} ${option.replace('{}', () => word)}`,
  );
}

/** As `note --list` shows it. */
function numberOfNote({ notes = [] }: RunState, index: string): string {
  const note: unknown = notes[Number(index)];
  const number = isObject(note) ? note['n'] : undefined;
  return typeof number === 'number' ? String(number) : '<number>';
}
