import type { JSONPath } from 'jsonc-parser';
import { isObject, type JsonObject } from '../../util/json.ts';
import { removeValue, setMember } from '../../util/edit-json.ts';
import type { Install, InstalledServer } from '../record/record.ts';
import { isOurServer, SERVER_NAME, type ServerEntry } from './server-entry.ts';
import { serverPlaceOf, type ServerPlace } from './server-location.ts';
import { unmarked } from './settings-hooks.ts';
import { isBlank, misshapen, requireStrictJson } from './strict-settings.ts';
import type { Change, InitRequest, PlanRequest } from '../types.ts';

interface InitServer {
  changes: Change[];
  /** The file in which another server is named holdfast. */
  foreign: string[];
  server: InstalledServer | undefined;
}

/** The MCP server, if it is asked for now or was before. */
export function initServer(request: InitRequest, former: Install | undefined): InitServer {
  if (!request.withServer && former?.server === undefined)
    return { changes: [], foreign: [], server: undefined };
  const place = serverPlaceOf(request);
  const before = request.disk.read(place.path);
  requireStrictJson(place.path, before);
  const json = isBlank(before) ? {} : JSON.parse(unmarked(before));
  const chain = [...place.at, SERVER_NAME];
  const present = depthOf(json, chain, place.path);
  const existing = valueAt(json, chain);
  if (existing !== undefined && !isOurServer(existing))
    return { changes: [], foreign: [place.path], server: undefined };
  // The user has removed it since.
  if (existing === undefined && !request.withServer)
    return { changes: [], foreign: [], server: undefined };
  const known = former?.server?.path === place.path ? former.server : undefined;
  const base = isBlank(before) ? (before === null ? '{}\n' : '{}') : before;
  const after = withServer(base, chain, present, request.server, existing);
  const others = request.installs.installs.flatMap(({ server }) => server ?? []);
  const server: InstalledServer = known ?? {
    path: place.path,
    at: place.at,
    found:
      existing === undefined ? foundBefore(chain, present, place.path, others) : place.at.length,
    isNewFile:
      before === null || others.some(({ path, isNewFile }) => path === place.path && isNewFile),
  };
  return { changes: changeOf(place, before, after), foreign: [], server };
}

/** How many of the keys were there before holdfast: what other installations created was not. */
function foundBefore(
  chain: readonly string[],
  present: number,
  file: string,
  others: readonly InstalledServer[],
): number {
  const created = others.filter(
    ({ path, at, found }) =>
      path === file && at.slice(0, found + 1).every((key, depth) => key === chain[depth]),
  );
  return Math.min(present, ...created.map(({ found }) => found));
}

export function removeServer(request: PlanRequest, former: Install | undefined): Change[] {
  const place = placeIn(request, former?.server);
  const before = request.disk.read(place.path);
  if (isBlank(before) || !before.includes(SERVER_NAME)) return [];
  requireStrictJson(place.path, before);
  const json: unknown = JSON.parse(unmarked(before));
  const chain = [...place.at, SERVER_NAME];
  if (!isOurServer(valueAt(json, chain))) return [];
  // Without a record, a project file with our server alone counts as ours; the client's own file never does.
  const unknown = place.isPrivate
    ? { found: place.at.length, isNewFile: false }
    : { found: 0, isNewFile: true };
  const { found, isNewFile } = former?.server ?? unknown;
  const left = withoutServer(before, chain, found);
  return changeOf(place, before, isNewFile && isEmptyObject(left) ? null : left);
}

function isEmptyObject(text: string): boolean {
  return /^\{\s*\}$/.test(unmarked(text).trim());
}

/**
 * Adds the removal of the entries of projects that were moved or deleted: the client's own file names a project by its
 * path, so nothing else leads to them.
 */
export function withoutGoneServers(
  { disk }: PlanRequest,
  changes: readonly Change[],
  gone: readonly Install[],
): Change[] {
  const byPath = new Map(changes.map((change) => [change.path, change]));
  for (const { server } of gone) {
    if (server === undefined) continue;
    const { path, at, found, isNewFile } = server;
    const { before, after } = byPath.get(path) ?? {
      before: disk.read(path),
      after: disk.read(path),
    };
    if (isBlank(after) || !after.includes(SERVER_NAME)) continue;
    requireStrictJson(path, after);
    const chain = [...at, SERVER_NAME];
    if (!isOurServer(valueAt(JSON.parse(unmarked(after)), chain))) continue;
    const left = withoutServer(after, chain, found);
    byPath.set(path, {
      path,
      before,
      after: isNewFile && isEmptyObject(left) ? null : left,
      isPrivate: true,
    });
  }
  return [...byPath.values()].filter(({ before, after }) => before !== after);
}

function placeIn(request: PlanRequest, known: InstalledServer | undefined): ServerPlace {
  const place = serverPlaceOf(request);
  return known === undefined ? place : { ...place, path: known.path, at: known.at };
}

/** Missing parents are inserted as one value, so that they can be removed as one. */
function withServer(
  text: string,
  chain: string[],
  present: number,
  wanted: ServerEntry,
  existing: unknown,
): string {
  if (existing !== undefined) {
    const entry = { ...(isObject(existing) ? existing : {}), ...wanted };
    if (JSON.stringify(entry) === JSON.stringify(existing)) return text;
    return setMember(text, chain.slice(0, -1), SERVER_NAME, entry);
  }
  const value = chain
    .slice(present + 1)
    .reduceRight<JsonObject>((inner, key) => ({ [key]: inner }), { ...wanted });
  return setMember(text, chain.slice(0, present), chain[present] ?? SERVER_NAME, value);
}

/** Removes the server, and parents that are empty without it, up to those that existed before. */
function withoutServer(text: string, chain: JSONPath, found: number): string {
  const left = removeValue(text, chain);
  const outer = chain.slice(0, -1);
  if (outer.length <= found) return left;
  const value = valueAt(JSON.parse(unmarked(left)), outer);
  const isEmpty = isObject(value) && Object.keys(value).length === 0;
  return isEmpty ? withoutServer(left, outer, found) : left;
}

/** How many keys of the chain exist. Throws if one of the parents is not an object. */
function depthOf(json: unknown, chain: string[], path: string): number {
  let value = json;
  for (const [depth, key] of chain.entries()) {
    if (!isObject(value)) {
      const part = depth === 0 ? 'the file' : `"${chain.slice(0, depth).join('.')}"`;
      throw misshapen(path, part);
    }
    if (!Object.hasOwn(value, key)) return depth;
    value = value[key];
  }
  return chain.length;
}

function valueAt(json: unknown, chain: JSONPath): unknown {
  return chain.reduce<unknown>(
    (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    json,
  );
}

function changeOf(
  { path, isPrivate }: ServerPlace,
  before: string | null,
  after: string | null,
): Change[] {
  return after === before ? [] : [{ path, before, after, isPrivate }];
}
