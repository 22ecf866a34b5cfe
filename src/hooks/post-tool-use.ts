import { canonicalPath, isInside } from '../files/environment.ts';
import { existsSync, realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { requiredPaths } from '../guidance/reading/reading-list.ts';
import { holderOf } from '../sessions/holder.ts';
import { isObject } from '../text/json.ts';
import type { StoredRun } from '../state/types.ts';
import { artifactsReadFrom } from '../guidance/artifacts/declared.ts';
import { stringField, type Reply } from './protocol.ts';
import { recordRead } from './record-read.ts';
import { touchSession, type HookContext } from './context.ts';

/** Records that the session read a required file or a critical artifact, with the digest of the content. */
export function postToolUse(context: HookContext): Reply {
  const { input, root, store } = context;
  if (stringField(input.raw, 'tool_name') !== 'Read') return null;
  const path = isObject(input.raw['tool_input'])
    ? stringField(input.raw['tool_input'], 'file_path')
    : null;
  if (path === null) return null;
  const { runs } = store.list();
  touchSession(context, runs);
  const { session } = context.input;
  if (session === null) return null;
  const file = canonicalPath(root, fromProject(root, path));
  const idsIn = (run: StoredRun): string[] =>
    holderOf(run.state) === session ? idsOf(run, file, context) : [];
  const concerned = runs.filter((run) => idsIn(run).length > 0);
  if (concerned.length > 0) recordRead(context, file, concerned, idsIn);
  return null;
}

/** The ids of this file in the run: as required reading, as a critical artifact, or both. */
function idsOf(run: StoredRun, file: string, { root, settings }: HookContext): string[] {
  const canonical = (given: string): string => canonicalPath(root, given);
  const entry = `@${file}`;
  return [
    ...(requiredPaths(run.state, { canonical }).includes(entry) ? [entry] : []),
    ...artifactsReadFrom(run, file, { root, settings }),
  ];
}

/** The project may have been opened through a link, and the host may name the file by its real path, or the reverse. */
function fromProject(root: string, path: string): string {
  if (isInside(root, path) || !existsSync(path)) return path;
  return relative(realpathSync.native(root), realpathSync.native(path));
}
