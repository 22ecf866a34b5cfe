import { HoldfastError } from '../errors/holdfast-error.ts';
import type { SecretField } from '../errors/remote.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { shellQuote } from '../util/shell-quote.ts';
import { findSecrets } from './secrets.ts';
import type { Snapshot } from './snapshot.ts';
import { isInArchive } from './write-result.ts';

/** A run that is stored here, and what of it would leave this machine. */
export interface CheckedRun {
  run: StoredRun;
  snapshot: Snapshot;
}

/** Before any commit, so that no secret is ever in the history of a ref. */
export function requireNoSecrets(runs: readonly CheckedRun[]): void {
  const found = runs.flatMap(secretsIn);
  if (found.length > 0) throw new HoldfastError({ code: 'sync_secrets', found });
}

export function secretsIn({ run, snapshot }: CheckedRun): SecretField[] {
  const { sessions: _sessions, ...fields } = snapshot.state;
  return findSecrets(fields).map(({ field, kind }) => ({
    run: run.runId,
    field,
    kind,
    file: run.path,
    commands: isInArchive(run) ? [] : commandsFor(run, field),
  }));
}

/** The commands that keep a field here or change it; none for a field that only an editor changes. */
function commandsFor({ runId, state }: StoredRun, field: string): string[] {
  const update = (words: string): string => `holdfast update ${runId} ${words}`;
  const fact = keyIn(state.context, 'context', field);
  if (fact !== null)
    return [`--set-local ${fact}=<value>`, `--unset ${fact}`].map((words) => update(words));
  const artifact = keyIn(state.artifacts, 'artifacts', field);
  if (artifact !== null) return [update(`--artifact ${artifact}=<path>`)];
  if (field.startsWith('key_reminders[')) return [update('--forget "<part of its text>"')];
  if (field.startsWith('required_reading[')) return [update('--unread "<part of its path>"')];
  return phaseOption(state, field).map(update);
}

/** The key of an object that a field belongs to, as it is typed in a shell. */
function keyIn(object: object | undefined, name: string, field: string): string | null {
  const keys = Object.keys(object ?? {}).filter((key) => {
    const path = `${name}.${key}`;
    return field === path || (field.startsWith(path) && /^[.[]/.test(field.slice(path.length)));
  });
  const longest = keys.toSorted((a, b) => b.length - a.length)[0];
  return longest === undefined ? null : shellQuote(longest);
}

/** A template decides the names of its phases. */
function phaseOption({ phase, template }: RunState, field: string): string[] {
  if (template !== undefined) return [];
  if (field === 'phase.name' || field === `phases[${phase.current - 1}]`)
    return ['--name "<name>"'];
  return field.startsWith('phases[') ? ['--phases "<all names>"'] : [];
}
