import type { ModuleStatusDocument } from '../commands/json/documents.ts';
import { type JsonObject, parseJsonObject } from '../text/json.ts';
import { version } from '../text/version.ts';
import type { Client } from './client.ts';
import type { Memory } from './memory.ts';
import { callHoldfast } from './program.ts';

/** What the module reads of `holdfast status --module`. */
export type ModuleReport = Pick<
  ModuleStatusDocument,
  | 'format'
  | 'holder'
  | 'runId'
  | 'revision'
  | 'next'
  | 'position'
  | 'wait'
  | 'toldWait'
  | 'told'
  | 'summary'
  | 'asksModel'
  | 'warnAt'
>;

/** The form of the report that this module reads; a holdfast of another version may write another one. */
const REPORT_FORMAT = 1;

/** In the root of a project that has or had runs. */
const STATE_FOLDER = 'untracked/workflow-state';

/**
 * Where the run of this session stands; null if the session holds none. `promptedFor` is the position that the agent was
 * prompted for already, so that holdfast can tell whether the run has moved since.
 */
export async function reportOfOwnRun(
  memory: Memory,
  client: Client,
  promptedFor: string | null,
): Promise<ModuleReport | null> {
  // `doctor` tells by the version which module was loaded, and when.
  const words = ['status', '--look', '--json', '--module', version];
  if (promptedFor !== null) words.push('--prompted', promptedFor);
  const json = parseJsonObject(await callHoldfast(client, words));
  const report = isReport(json) ? json : null;
  memory.warnAt = report?.warnAt ?? [];
  // `status` also shows the run of another session if there is no other one.
  const isOwn = report?.holder === (await client.sessionId());
  return isOwn ? report : null;
}

/** Not if there is no run, or if holdfast was updated while the client runs. */
function isReport(json: JsonObject): json is JsonObject & ModuleReport {
  return json['format'] === REPORT_FORMAT;
}

/** Whether a person is there to see what the module does, in a project that may have a run. */
export async function mayAct(client: Client): Promise<boolean> {
  if (await client.isSwitchedOff()) return false;
  if (!(await client.isAttended())) return false;
  return (await folderWithRuns(client)) !== null;
}

/** How often the state file of a run was written; null if it is gone. */
export async function revisionOf(
  client: Client,
  runId: string,
): Promise<number | null> {
  const folder = await folderWithRuns(client);
  if (folder === null) return null;
  // `user-auth-20250601_120000` → `user-auth`
  const slug = runId.replace(/-\d{8}_\d{6}.*$/, '');
  const file = `${folder}/${STATE_FOLDER}/${slug}/state-${runId}.json`;
  if (!(await client.exists(file))) return null;
  const text = await client.read(file);
  const [, revision = '0'] = /"revision": (\d+)/.exec(text) ?? [];
  return Number(revision);
}

/** Most turns end in projects without a run, for which this is null: they should not start a process. */
async function folderWithRuns(client: Client): Promise<string | null> {
  const parts = (await client.projectRoot()).split(/[\\/]/);
  for (let depth = parts.length; depth > 0; depth -= 1) {
    const folder = parts.slice(0, depth).join('/');
    if (await client.exists(`${folder}/${STATE_FOLDER}`)) return folder;
  }
  return null;
}
