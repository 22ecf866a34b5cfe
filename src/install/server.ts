import { removeValue, setMember } from '../text/edit-json.ts';
import { isObject, type JsonObject, ownEntry } from '../text/json.ts';
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

/** `left`: the file in which another server is named holdfast. `containers`: created objects, see `containerKey`. */
type AddedServer = { server?: ServerPlace; left: Left[]; containers: string[] };

/** The MCP server, if it is asked for now or was before. */
export function addServer(
  draft: Draft,
  request: InitRequest,
  former: Install | undefined,
): AddedServer {
  const none = { left: [], containers: [] };
  if (!request.withServer && former?.server === undefined) return none;
  const place = serverPlaceOf(request.scope, request.root, request.hostFile);
  const { path, at } = place;
  const before = draft.read(path);
  const json = parseStrictJson(path, before);
  const chain = [...at, SERVER_NAME];
  const present = depthOf(json, chain, path);
  const existing = valueAt(json, chain);
  if (existing !== undefined && !isOurServer(existing)) {
    const why = `has an MCP server "${SERVER_NAME}" that init did not write; it is left unchanged`;
    return { ...none, left: [[path, why]] };
  }
  // The user has removed it since.
  if (existing === undefined && !request.withServer) return none;
  const server = installedServer(request.config, request.scope === 'project');
  const entry = { ...(isObject(existing) ? existing : {}), ...server };
  if (JSON.stringify(entry) === JSON.stringify(existing))
    return { ...none, server: place };
  // Missing parents are inserted as one value, so that they can be removed as one.
  const depth = Math.min(present, at.length);
  const value = chain
    .slice(depth + 1)
    .reduceRight<JsonObject>((inner, key) => ({ [key]: inner }), entry);
  const key = chain[depth] ?? SERVER_NAME;
  const after = setMember(editable(before), chain.slice(0, depth), key, value);
  draft.write(path, after, isPrivate(request, path));
  const created = at.map((_, index) => at.slice(0, index + 1)).slice(depth);
  const containers = [...(before === null ? [[]] : []), ...created].map(
    (keys) => containerKey(path, keys),
  );
  return { server: place, left: [], containers };
}

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
  for (
    let keys = [...at];
    keys.length > 0 && isCreated(keys);
    keys = keys.slice(0, -1)
  ) {
    const value = valueAt(parseStrictJson(path, left), keys);
    if (!isObject(value) || Object.keys(value).length > 0) break;
    left = removeValue(left, keys);
  }
  return left;
}

const containerKey = (path: string, keys: readonly string[]): string =>
  JSON.stringify([path, ...keys]);

/** The client's own file may hold secrets. */
const isPrivate = ({ hostFile }: PlanRequest, path: string): boolean =>
  path === linkTarget(hostFile);

/** How many keys of the chain exist. Throws if one of the parents is not an object. */
function depthOf(
  json: unknown,
  chain: readonly string[],
  path: string,
): number {
  let value = json;
  for (const [depth, key] of chain.entries()) {
    if (!isObject(value))
      throw misshapen(
        path,
        depth === 0 ? 'the file' : `"${chain.slice(0, depth).join('.')}"`,
      );
    if (!Object.hasOwn(value, key)) return depth;
    value = value[key];
  }
  return chain.length;
}

export const valueAt = (json: unknown, chain: readonly string[]): unknown =>
  chain.reduce<unknown>(
    (value, key) => (isObject(value) ? ownEntry(value, key) : undefined),
    json,
  );
