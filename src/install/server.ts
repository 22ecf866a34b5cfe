import { removeValue, setMember } from '../text/edit-json.ts';
import { isObject, ownEntry } from '../text/json.ts';
import {
  linkTarget,
  editable,
  isBlank,
  isEmptyObject,
  misshapen,
  parseStrictJson,
} from './disk.ts';
import type { Draft, InitRequest, Left, PlanRequest } from './draft.ts';
import { installedServer, isOurServer, SERVER_NAME } from './host-commands.ts';
import { serverPlaceOf, type ServerPlace } from './places.ts';
import type { Install } from './record.ts';

interface AddedServer {
  /** Where the server is registered; missing if it is not. */
  server?: ServerPlace;
  /** The file in which another server is named holdfast. */
  left: Left[];
  /** The objects that had to be created, see `containerKey`. */
  containers: string[];
}

const NOTHING_ADDED: AddedServer = { left: [], containers: [] };

/** The MCP server, if it is asked for now or was before. */
export function addServer(
  draft: Draft,
  request: InitRequest,
  former: Install | undefined,
): AddedServer {
  if (!request.withServer && former?.server === undefined) return NOTHING_ADDED;
  const place = serverPlaceOf(request.scope, request.root, request.hostFile);
  const { path, at } = place;
  const before = draft.read(path);
  const json = parseStrictJson(path, before);
  const keys = [...at, SERVER_NAME];
  const presentKeys = countPresent(json, keys, path);
  const existing = valueAt(json, keys);
  if (existing !== undefined && !isOurServer(existing)) {
    const why = `has an MCP server "${SERVER_NAME}" that init did not write; it is left unchanged`;
    return { left: [[path, why]], containers: [] };
  }
  // The user has removed it since.
  if (existing === undefined && !request.withServer) return NOTHING_ADDED;

  const server = installedServer(request.config, request.scope === 'project');
  const entry = isObject(existing) ? { ...existing, ...server } : server;
  if (JSON.stringify(entry) === JSON.stringify(existing))
    return { server: place, left: [], containers: [] };

  // Missing parents are inserted as one value, so that they can be removed as one.
  const depth = Math.min(presentKeys, at.length);
  const firstMissing = keys[depth] ?? SERVER_NAME;
  const value = nested(keys.slice(depth + 1), entry);
  const parents = keys.slice(0, depth);
  const after = setMember(editable(before), parents, firstMissing, value);
  draft.write(path, after, isPrivate(request, path));

  const containers: string[] = [];
  if (before === null) containers.push(containerKey(path, []));
  for (let length = depth + 1; length <= at.length; length += 1)
    containers.push(containerKey(path, at.slice(0, length)));
  return { server: place, left: [], containers };
}

/** `['a', 'b']` and an entry → `{a: {b: entry}}` */
function nested(keys: readonly string[], entry: object): object {
  let value = entry;
  for (const key of keys.toReversed()) value = { [key]: value };
  return value;
}

/** Also of projects that are gone: the client names a project by its path, so nothing else leads to their servers. */
export function removeServer(
  draft: Draft,
  request: PlanRequest,
  { path, at }: ServerPlace,
  isRecorded: boolean,
): void {
  const created = new Set(request.record.containers);
  const text = draft.read(path);
  if (isBlank(text) || !text.includes(SERVER_NAME)) return;
  if (!isOurServer(valueAt(parseStrictJson(path, text), [...at, SERVER_NAME])))
    return;
  // Without a record, a project's file with our server alone counts as ours; the client's own file never does.
  const isCreated = (keys: readonly string[]): boolean =>
    created.has(containerKey(path, keys)) ||
    (!isRecorded && !isPrivate(request, path));
  const left = withoutServer(path, text, at, isCreated);
  draft.write(
    path,
    isCreated([]) && isEmptyObject(left) ? null : left,
    isPrivate(request, path),
  );
}

/** Also removes parents that are empty without it, as far as they were created for it. */
function withoutServer(
  path: string,
  text: string,
  at: readonly string[],
  isCreated: (keys: readonly string[]) => boolean,
): string {
  let left = removeValue(text, [...at, SERVER_NAME]);
  for (let length = at.length; length > 0; length -= 1) {
    const keys = at.slice(0, length);
    if (!isCreated(keys)) break;
    const value = valueAt(parseStrictJson(path, left), keys);
    const isEmpty = isObject(value) && Object.keys(value).length === 0;
    if (!isEmpty) break;
    left = removeValue(left, keys);
  }
  return left;
}

/** An object of a JSON file, in the record of installations. */
const containerKey = (path: string, keys: readonly string[]): string =>
  JSON.stringify([path, ...keys]);

/** The client's own file may hold secrets. */
const isPrivate = ({ hostFile }: PlanRequest, path: string): boolean =>
  path === linkTarget(hostFile);

/** How many keys of the path exist, one in the other. Throws if one of the parents is not an object. */
function countPresent(
  json: unknown,
  keys: readonly string[],
  path: string,
): number {
  let value = json;
  for (const [depth, key] of keys.entries()) {
    if (!isObject(value)) {
      const parent = `"${keys.slice(0, depth).join('.')}"`;
      throw misshapen(path, depth === 0 ? 'the file' : parent);
    }
    if (!Object.hasOwn(value, key)) return depth;
    value = value[key];
  }
  return keys.length;
}

export function valueAt(json: unknown, keys: readonly string[]): unknown {
  let value = json;
  for (const key of keys)
    value = isObject(value) ? ownEntry(value, key) : undefined;
  return value;
}
