import { isAbsolute } from 'node:path';
import { LONGEST_PATH } from '../files/environment.ts';
import { isObject, parseJson } from '../text/json.ts';
import type { ClientProcess } from './client-process.ts';

/**
 * What is known of a session outside any project, one small file each: an idle project is never written to, yet the
 * session that follows a `/clear` there must be recognised by hooks, commands and the MCP server alike.
 */
export interface SessionEntry {
  session: string;
  /** The project root in which the session holds a run, else where it was seen first. */
  project?: string | undefined;
  client?: ClientProcess | undefined;
  startedAt?: number | undefined;
  endedAt?: number | undefined;
  clearedAt?: number | undefined;
  /** The session that `/clear` began in the same client process. */
  followedBy?: string | undefined;
  /** How full the context is, in percent of the automatic-compaction threshold, until the session has been told. */
  fill?: RecordedFill | undefined;
  /** The process of a host that may have several conversations in one. */
  process?: ClientProcess | undefined;
  /** Where the session's last start came from, until its guidance is given at the next prompt. */
  pendingStart?: string | undefined;
  /** What was to be said about that start, if it was handled when it came. */
  pendingReply?: string | undefined;
  /** Whether a host that tells its compactions has told one. */
  isCompacted?: true | undefined;
  /** The last compression that a transcript has shown. */
  snapshot?: string | undefined;
  /** The plan that the person accepted last in it; the path is that of the client's own file. */
  plan?:
    | { project: string; path: string; text: string; at: number }
    | undefined;
  /** The module that the client has loaded, and when it last asked, at most an hour before its last question. */
  module?: { version: string; project: string; at: number } | undefined;
  /** What waited for the person's answer when the session was last told where its run stands. */
  toldWait?: string | undefined;
}

/**
 * What the file of a session says; null if it names none. A disk, an editor or another program may have changed the
 * file, so a field that cannot be used is left out. Fields of newer versions are kept.
 */
export function parseSessionEntry(text: string): SessionEntry | null {
  const json = parseJson(text);
  if (!isObject(json)) return null;
  const session = nameIn(json['session']);
  if (session === undefined) return null;
  return {
    ...json,
    session,
    project: folderIn(json['project']),
    client: processIn(json['client']),
    startedAt: timeIn(json['startedAt']),
    endedAt: timeIn(json['endedAt']),
    clearedAt: timeIn(json['clearedAt']),
    followedBy: nameIn(json['followedBy']),
    fill: recordedFillFrom(json['fill']),
    process: processIn(json['process']),
    pendingStart: nameIn(json['pendingStart']),
    pendingReply: replyIn(json['pendingReply']),
    isCompacted: json['isCompacted'] === true ? true : undefined,
    snapshot: nameIn(json['snapshot']),
    plan: planIn(json['plan']),
    module: moduleIn(json['module']),
    toldWait: nameIn(json['toldWait']),
  };
}

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** Hooks take no longer id from the client either. */
function nameIn(value: unknown): string | undefined {
  const name = textIn(value);
  return name === '' || (name ?? '').length > LONGEST_PATH ? undefined : name;
}

/** A relative one would mean another folder in each call, and no path contains a NUL. */
function folderIn(value: unknown): string | undefined {
  const path = nameIn(value);
  return path !== undefined && isAbsolute(path) && !path.includes('\0')
    ? path
    : undefined;
}

/** A `Date` of any other number cannot be written as text. */
const LATEST_TIME = 8.64e15;

const timeIn = (value: unknown): number | undefined =>
  typeof value === 'number' && Math.abs(value) <= LATEST_TIME
    ? value
    : undefined;

const PROCESS_ID = /^[0-9]{1,10}$/;

function processIn(value: unknown): ClientProcess | undefined {
  if (!isObject(value)) return undefined;
  const { pid, start } = value;
  if (typeof pid !== 'string' || !PROCESS_ID.test(pid)) return undefined;
  return { pid, start: textIn(start) ?? null };
}

/** The reply of a hook: an object, or text for the model. */
function replyIn(value: unknown): string | undefined {
  const reply = textIn(value);
  const isCutOff =
    reply?.startsWith('{') === true && !isObject(parseJson(reply));
  return isCutOff ? undefined : reply;
}

function planIn(value: unknown): SessionEntry['plan'] {
  if (!isObject(value)) return undefined;
  const [project, at] = [folderIn(value['project']), timeIn(value['at'])];
  const [path, text] = [textIn(value['path']), textIn(value['text'])];
  const isWhole =
    project !== undefined &&
    at !== undefined &&
    path !== undefined &&
    text !== undefined;
  return isWhole ? { project, path, text, at } : undefined;
}

function moduleIn(value: unknown): SessionEntry['module'] {
  if (!isObject(value)) return undefined;
  const [project, at] = [folderIn(value['project']), timeIn(value['at'])];
  const version = textIn(value['version']);
  const isWhole =
    project !== undefined && at !== undefined && version !== undefined;
  return isWhole ? { version, project, at } : undefined;
}

/** What is kept of the fill of a session between two calls. */
interface RecordedFill {
  /** The fill that the session is still to be told; undefined once it was. */
  percent?: number | undefined;
  /** The thresholds that are not told again. */
  passed: readonly number[];
}

/** Undefined for what is no such record. */
function recordedFillFrom(value: unknown): RecordedFill | undefined {
  if (!isObject(value) || !Array.isArray(value['passed'])) return undefined;
  const passed = value['passed'].filter(
    (threshold) => typeof threshold === 'number',
  );
  const { percent } = value;
  return { passed, percent: typeof percent === 'number' ? percent : undefined };
}
