import { HoldfastError } from '../text/holdfast-error.ts';
import { ARCHIVE_FOLDER } from '../state/paths.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { shellQuote } from '../text/shell-commands.ts';
import type { Snapshot } from './commits.ts';
import { findSecrets } from './secrets/find-secrets.ts';

/** A value that looks like a secret: where it is, never what it is. `remedy` keeps it here or changes it. */
export type SecretField = { run: string; field: string; kind: string; remedy: string };

export const NOTHING_SENT = 'nothing was sent or committed';

/** Before any commit, so that no secret is ever in the history of a ref. `outcome` begins the sentence. */
export function requireNone(found: readonly SecretField[], outcome: string): void {
  if (found.length === 0) return;
  const named = found.map(({ run, field, kind }) => `${field} of ${run} (${kind})`).join('; ');
  const hint = [...new Set(found.map(({ remedy }) => remedy))].join('; ');
  const message = `${outcome}, because these look like secrets: ${named}`;
  throw new HoldfastError('sync_secrets', message, { hint, data: { secrets: found } });
}

export function secretsIn(run: StoredRun, { state }: Snapshot): SecretField[] {
  const { sessions: _sessions, ...fields } = state;
  return findSecrets(fields).map(({ field, kind }) => ({
    run: run.runId,
    field,
    kind,
    remedy: remedyFor(run, field),
  }));
}

function remedyFor({ runId, state, path }: StoredRun, field: string): string {
  const options = path.startsWith(`${ARCHIVE_FOLDER}/`) ? [] : optionsFor(state, field);
  return options.length === 0
    ? `change ${field} in ${path} with an editor`
    : options.map((option) => `\`holdfast update ${runId} ${option}\``).join(' or ');
}

const OPTIONS = new Map([
  ['context', ['--set-local {}=<value>', '--unset {}']],
  ['artifacts', ['--artifact {}=<path>']],
  ['key_reminders', ['--forget "<part of its text>"']],
  ['required_reading', ['--unread "<part of its path>"']],
  ['phases', ['--phases "<all names>"']],
  ['phase', ['--name "<name>"']],
]);

/** The options of `update` that keep a field here or change it; none for a field that only an editor changes. */
function optionsFor({ template }: RunState, field: string): string[] {
  const [top = '', key = ''] = field.split(/[.[\]]+/);
  // A template decides the names of its phases.
  if (template !== undefined && top.startsWith('phase')) return [];
  return (OPTIONS.get(top) ?? []).map((option) => option.replace('{}', () => shellQuote(key)));
}
