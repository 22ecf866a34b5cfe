import { readWhole } from '../../install/disk.ts';
import { SERVER_NAME } from '../../install/host-commands.ts';
import { SCOPES, serverPlaceOf, type Scope } from '../../install/places.ts';
import { recordedInstall } from '../../install/record.ts';
import { valueAt } from '../../install/server.ts';
import { isObject, parseJsonObject, type JsonObject } from '../../text/json.ts';
import { sanitizeLine, truncate } from '../../text/sanitize.ts';
import { strictJsonProblem } from '../../text/strict-json.ts';
import type { Facts } from '../facts.ts';
import { broken, ok, warning, type Finding, INSTALL_NODE, skipped } from '../finding.ts';
import { reasonNotToRun } from '../safe-to-run.ts';
import { commandLine, tryOut } from '../trial.ts';

/** Whether the MCP server is registered and answers. */
export function checkMcp(facts: Facts): Finding[] {
  const found = SCOPES.flatMap((scope) => checkScope(facts, scope));
  return found.length > 0
    ? found
    : [skipped('the MCP server is not registered; `holdfast init --mcp` registers it')];
}

function checkScope(facts: Facts, scope: Scope): Finding[] {
  const { path, at } = serverPlaceOf(scope, facts.root, facts.hostFile);
  const text = (readWhole(path) ?? '').replace(/^\uFEFF/, '').trim() || '{}';
  const problem = strictJsonProblem(text);
  const isRecorded = recordedInstall(facts.config, scope, facts.root)?.server !== undefined;
  const fix = `holdfast init --scope ${scope} --mcp`;
  if (problem !== null) {
    const message = `${path}:${problem.line}: this is not strict JSON (${problem.why}), so no MCP server is read`;
    return isRecorded || scope === 'project' ? [warning(message, 'correct that line')] : [];
  }
  const server = valueAt(JSON.parse(text), [...at, SERVER_NAME]);
  if (isObject(server)) return [startServer(facts, server, { path, fix })];
  const message = 'the MCP server was registered here and has been removed';
  return isRecorded ? [warning(message, fix, [path])] : [];
}

const CLIENT = { name: 'holdfast doctor', version: '1' };
const PARAMS = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT };
const HELLO = { jsonrpc: '2.0', id: 1, method: 'initialize', params: PARAMS };

function startServer(
  facts: Facts,
  server: JsonObject,
  { path, fix }: { path: string; fix: string },
): Finding {
  const evidence = [path, truncate(sanitizeLine(commandLine(server)), 200)];
  const reason = reasonNotToRun(server, facts);
  if (reason !== null) return skipped(`the MCP server was not started: ${reason}`, evidence);
  const command = { ...server, args: Array.isArray(server['args']) ? server['args'] : [] };
  const [outcome] = tryOut(facts, [{ command, input: () => `${JSON.stringify(HELLO)}\n` }]);
  const { result } = parseJsonObject(outcome?.stdout.split('\n')[0] ?? '');
  const { serverInfo } = isObject(result) ? result : {};
  const { name, version } = isObject(serverInfo) ? serverInfo : {};
  if (name === SERVER_NAME)
    return ok(`the MCP server answers as registered: ${name} ${String(version)}`, evidence);
  const [complaint = ''] = outcome?.stderr.trim().split('\n') ?? [];
  const why = complaint === '' ? (outcome?.failure ?? 'said something else') : complaint;
  return broken(
    `the MCP server does not answer: it ${truncate(sanitizeLine(why), 200)}`,
    facts.node === null ? INSTALL_NODE : fix,
    evidence,
  );
}
