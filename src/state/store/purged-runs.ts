import { join } from 'node:path';
import { readTextFile } from '../../files/read-file.ts';
import { parseJsonObject } from '../../text/json.ts';
import { PURGED_FILE } from '../paths.ts';
import type { Transaction } from './store.ts';

// A run that was purged and one whose file was deleted by hand leave the same behind: nothing. `sync` tells other
// machines only of the first that it has ended, so it is noted until then.

/** When each run was purged whose end is not sent yet, by run id. */
export function purgedRuns(root: string): ReadonlyMap<string, string> {
  const file = readTextFile(join(root, PURGED_FILE), 1_000_000);
  const noted = Object.entries(parseJsonObject(file.kind === 'text' ? file.text : ''));
  return new Map(
    noted.filter((entry): entry is [string, string] => !Number.isNaN(Date.parse(String(entry[1])))),
  );
}

export function notePurged(tx: Transaction, runId: string): void {
  change(tx, (noted, now) => noted.set(runId, now.toISOString()));
}

export function forgetPurged(tx: Transaction, runIds: Iterable<string>): void {
  change(tx, (noted) => {
    for (const runId of runIds) noted.delete(runId);
  });
}

function change(
  { writer }: Transaction,
  edit: (noted: Map<string, string>, now: Date) => unknown,
): void {
  if (writer === null) return;
  const { root, now } = writer.options;
  const noted = new Map(purgedRuns(root));
  edit(noted, now);
  writer.replace(PURGED_FILE, `${JSON.stringify(Object.fromEntries(noted))}\n`);
}
