import { sanitizeLine, truncate } from '../../util/sanitize.ts';
import { parseJsonObject, isObject, type JsonObject } from '../../util/json.ts';
import { disk } from '../../install/disk.ts';
import { recordedInstall } from '../../install/record/record-file.ts';
import { SCOPES, type Scope } from '../../install/plan/scopes.ts';
import { SERVER_NAME } from '../../install/plan/server-entry.ts';
import { serverPlaceOf } from '../../install/plan/server-location.ts';
import { describeJsonSyntax } from '../../errors/text-defects.ts';
import { strictJsonProblem } from '../../util/strict-json.ts';
import { findingsFor } from '../findings.ts';
import { commandLine } from '../host/registrations.ts';
import { withTrialProject, type Outcome } from '../trial/trial.ts';
import { reasonNotToRun } from '../host/safe-to-run.ts';
import type { Check, DoctorContext, Finding } from '../types.ts';

const report = findingsFor('mcp');

const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'holdfast doctor', version: '1' },
  },
};

/** Whether the MCP server is registered and answers. */
export const checkMcp: Check = {
  run: (context) => {
    const findings = SCOPES.flatMap((scope) => examineScope(context, scope));
    return findings.length > 0
      ? findings
      : [report.skipped('the MCP server is not registered; `holdfast init --mcp` registers it')];
  },
};

function examineScope(context: DoctorContext, scope: Scope): Finding[] {
  const { path, at } = serverPlaceOf({ ...context, scope, disk });
  const text = disk.read(path);
  const problem = text === null || text.trim() === '' ? null : strictJsonProblem(text);
  const server = text === null || problem !== null ? undefined : serverIn(text, at);
  const isRecorded = recordedInstall(context.config, scope, context.root)?.server !== undefined;
  const fix = `holdfast init --scope ${scope} --mcp`;
  if (problem !== null && (isRecorded || scope === 'project')) {
    const where = `${path}:${problem.line}`;
    return [
      report.warning(
        `${where}: this is not strict JSON (${describeJsonSyntax(problem.why)}), so no MCP server is read`,
        {
          fix: 'correct that line',
        },
      ),
    ];
  }
  if (server !== undefined) return [tryOut(context, server, { path, fix })];
  return isRecorded
    ? [
        report.warning('the MCP server was registered here and has been removed', {
          evidence: [path],
          fix,
        }),
      ]
    : [];
}

function serverIn(text: string, at: readonly string[]): JsonObject | undefined {
  const json: unknown = text.trim() === '' ? {} : JSON.parse(text.replace(/^\uFEFF/, ''));
  const server = [...at, SERVER_NAME].reduce<unknown>(
    (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    json,
  );
  return isObject(server) ? server : undefined;
}

function tryOut(
  context: DoctorContext,
  server: JsonObject,
  { path, fix }: { path: string; fix: string },
): Finding {
  const shown = truncate(sanitizeLine(commandLine(server)), 200);
  const evidence = [path, shown];
  const reason = reasonNotToRun(server, context);
  if (reason !== null)
    return report.skipped(`the MCP server was not started: ${reason}`, { evidence });
  const command = { ...server, args: Array.isArray(server['args']) ? server['args'] : [] };
  const outcome = withTrialProject(context, ({ tell }) =>
    tell(command, `${JSON.stringify(HELLO)}\n`),
  );
  const name = nameIn(outcome.stdout);
  if (name !== undefined) {
    const took = `${Math.round(outcome.milliseconds)} ms from its start to its end`;
    return report.ok(`the MCP server answers as registered: ${name}`, {
      evidence: [...evidence, took],
    });
  }
  return report.broken(`the MCP server does not answer: ${ending(outcome)}`, {
    evidence,
    fix: outcome.isMissing ? 'install Node 20 or newer, so that `node` is found' : fix,
  });
}

function nameIn(stdout: string): string | undefined {
  const { result } = parseJsonObject(stdout.split('\n')[0] ?? '');
  const { serverInfo } = isObject(result) ? result : {};
  const { name, version } = isObject(serverInfo) ? serverInfo : {};
  return name === SERVER_NAME ? [name, version].join(' ').trim() : undefined;
}

function ending({ stderr, code, isMissing, isTimedOut }: Outcome): string {
  if (isMissing) return 'its program was not found';
  if (isTimedOut) return 'it took too long';
  const [first = ''] = stderr.trim().split('\n');
  return first === '' ? `exit ${code ?? 'by a signal'}` : truncate(sanitizeLine(first), 200);
}
