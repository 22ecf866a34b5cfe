import fse from 'fs-extra';
import {
  hookEntries,
  isBlockingHook,
  isSameHook,
  type HookEntry,
  hookEvents,
  type HookEvent,
} from '../../install/hooks.ts';
import {
  fixCommandFor,
  ignoredFiles,
  NEWER_CLIENT,
  placesIn,
  type Registration,
} from '../client-settings.ts';
import type { Facts } from '../facts.ts';
import {
  broken,
  note,
  ok,
  warning,
  type Finding,
  INSTALL_NODE,
  skipped,
} from '../finding.ts';
import { readWhole } from '../../install/disk.ts';
import { SERVER_NAME, startedProgram } from '../../install/host-commands.ts';
import { SCOPES, serverPlaceOf, type Scope } from '../../install/places.ts';
import { valueAt } from '../../install/server.ts';
import { isObject, parseJsonObject, type JsonObject } from '../../text/json.ts';
import { strictJsonProblem } from '../../text/strict-json.ts';
import { reasonNotToRun } from '../safe-to-run.ts';
import {
  commandLine,
  recordedPayload,
  tryOut,
  TRIAL_WORKFLOW,
  type Outcome,
} from '../trial.ts';
import { asWord, quoted } from '../../text/sanitize.ts';

/** Whether each hook is registered, exactly once. */
export function checkRegistration(facts: Facts): Finding[] {
  const { registrations: found, settings, files, environment } = facts;
  if (found.length === 0) {
    const ignored = ignoredFiles(files).join(' and ');
    const fix =
      ignored === ''
        ? 'holdfast init'
        : `correct ${ignored}, then holdfast init`;
    return [broken('no settings register the hooks', fix)];
  }
  const wanted = hookEntries(
    () => '',
    settings.settings.reading.enforce === 'block',
  );
  const findings = [...missing(found, wanted), ...repeated(found)];
  if (environment['HOLDFAST'] === 'off') {
    const message =
      'HOLDFAST=off is set: sessions started from this terminal run without hooks';
    findings.push(warning(message, 'unset HOLDFAST'));
  }
  return findings;
}

function missing(
  found: readonly Registration[],
  wanted: readonly HookEntry[],
): Finding[] {
  const lacking = wanted.filter((entry) =>
    found.every((hook) => !isSameHook(hook, entry)),
  );
  if (lacking.length === 0)
    return [ok(`all ${wanted.length} hooks are registered`, perPlace(found))];
  const names = lacking.map((entry) =>
    isBlockingHook(entry)
      ? 'PreToolUse for edits, which reading.enforce: block needs'
      : entry.event,
  );
  // The plugin does not register the hook for edits.
  const isFromPlugin =
    lacking.some(isBlockingHook) && found.every(({ isPlugin }) => isPlugin);
  const fix = isFromPlugin ? 'holdfast init' : fixCommandFor(found);
  return [warning(`not registered: ${names.join(', ')}`, fix, perPlace(found))];
}

function repeated(found: readonly Registration[]): Finding[] {
  const twice = found.filter((hook) =>
    found.some((other) => other !== hook && isSameHook(other, hook)),
  );
  const evidence = perPlace(twice);
  if (twice.length === 0) return [];
  if (evidence.length === 1)
    return [
      warning(
        'one settings file registers a hook twice',
        fixCommandFor(twice),
        evidence,
      ),
    ];
  const message = 'the same hook is registered in several places';
  const choice =
    'nothing has to be done, the second call does nothing; `holdfast uninstall --scope <scope>` and /plugin remove those that you do not want';
  return [note(message, choice, evidence)];
}

const perPlace = (found: readonly Registration[]): string[] =>
  placesIn(found).map((place) => {
    const here = found.filter((hook) => hook.place === place);
    const events = [...new Set(here.map(({ event }) => event))].join(', ');
    const isElsewhere = here.some(({ elsewhere }) => elsewhere !== null);
    const readers = isElsewhere
      ? ` (read by Claude Code ${NEWER_CLIENT} and newer)`
      : '';
    return `${place}: ${events}${readers}`;
  });

export function checkHookReplies(facts: Facts): Finding[] {
  const groups = new Map<string, Registration[]>();
  for (const registration of facts.registrations) {
    // The line for a shell names its event; apart from that the hooks of one place are the same.
    const key = commandLine(registration.hook).replace(/^e=\w+;/, '');
    groups.set(key, [...(groups.get(key) ?? []), registration]);
  }
  return [...groups.values()].map((registrations) =>
    execute(facts, registrations),
  );
}

const MAX_SHOWN = 200;

function execute(
  facts: Facts,
  registrations: readonly Registration[],
): Finding {
  const where = `the command of ${placesIn(registrations).join(', ')}`;
  const { hook = {} } = registrations[0] ?? {};
  const shown = quoted(commandLine(hook), MAX_SHOWN);
  const reason = reasonNotToRun(hook, facts);
  if (reason !== null)
    return skipped(`${where} was not executed: ${reason}`, [shown]);
  // In the order in which a session sends them. The compaction comes first, because it creates the run.
  const others = hookEvents().filter(
    (event) => event !== 'PreCompact' && event !== 'SessionEnd',
  );
  const calls = (['PreCompact', ...others, 'SessionEnd'] as const).flatMap(
    (event) =>
      [
        // The client would send the same event to all places that have the same command.
        ...new Map(
          registrations
            .filter((each) => each.event === event)
            .map((each) => [commandLine(each.hook), each]),
        ).values(),
      ].map(({ hook: command }) => ({
        event,
        command,
        input: (folder: string, call: number) =>
          recordedPayload(event, folder, call),
      })),
  );
  const outcomes = tryOut(facts, calls);
  const problems = outcomes.flatMap((outcome) => {
    const problem = replyProblem(outcome.event, outcome);
    return problem === null ? [] : [`${outcome.event} ${problem}`];
  });
  const isGone = !fse.existsSync(startedProgram(hook, facts)?.file ?? '');
  if (isGone || problems.length > 0) {
    const why = isGone
      ? "does nothing: holdfast's files are gone"
      : `does not work: ${problems[0]}`;
    const fix =
      facts.node === null ? INSTALL_NODE : fixCommandFor(registrations);
    return broken(`${where} ${why}`, fix, [shown, ...problems]);
  }
  const replies = outcomes.map(({ event, stdout }) =>
    stdout === ''
      ? `${event}: no reply`
      : `${event}: ${stdout.length} characters`,
  );
  return ok(`${where} works as registered`, [shown, ...new Set(replies)]);
}

function replyProblem(
  event: HookEvent,
  { stdout, stderr, failure }: Outcome,
): string | null {
  if (failure !== null) return failure;
  if (stderr !== '') return `complained: ${quoted(stderr, MAX_SHOWN)}`;
  switch (event) {
    case 'PreCompact': {
      const isText =
        stdout.includes(TRIAL_WORKFLOW) && !stdout.trimStart().startsWith('{');
      return isText ? null : 'gave no text for the summariser';
    }
    case 'SessionStart':
    case 'SubagentStart': {
      const { hookSpecificOutput: output } = parseJsonObject(stdout);
      const isGuidance =
        isObject(output) &&
        output['hookEventName'] === event &&
        String(output['additionalContext']).includes(TRIAL_WORKFLOW);
      return isGuidance ? null : 'gave no guidance';
    }
    default:
      return stdout === ''
        ? null
        : 'gave a reply that Claude Code does not expect';
  }
}

/** Whether the MCP server is registered and answers. */
export function checkMcp(facts: Facts): Finding[] {
  const found = SCOPES.flatMap((scope) => checkScope(facts, scope));
  return found.length > 0
    ? found
    : [
        skipped(
          'the MCP server is not registered; `holdfast init --mcp` registers it',
        ),
      ];
}

function checkScope(facts: Facts, scope: Scope): Finding[] {
  const { path, at } = serverPlaceOf(scope, facts.root, facts.hostFile);
  const text = (readWhole(path) ?? '').replace(/^\uFEFF/, '').trim() || '{}';
  const problem = strictJsonProblem(text);
  if (problem !== null) {
    const message = `${path}:${problem.line}: this is not strict JSON (${problem.why}), so no MCP server is read`;
    // That of scope user is the same file.
    return scope === 'local' ? [] : [warning(message, 'correct that line')];
  }
  const server = valueAt(JSON.parse(text), [...at, SERVER_NAME]);
  const fix = `holdfast init --scope ${scope} --mcp`;
  return isObject(server) ? [startServer(facts, server, { path, fix })] : [];
}

const CLIENT = { name: 'holdfast doctor', version: '1' };
const PARAMS = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: CLIENT,
};
const HELLO = { jsonrpc: '2.0', id: 1, method: 'initialize', params: PARAMS };

function startServer(
  facts: Facts,
  server: JsonObject,
  { path, fix }: { path: string; fix: string },
): Finding {
  const evidence = [asWord(path), quoted(commandLine(server), MAX_SHOWN)];
  const reason = reasonNotToRun(server, facts);
  if (reason !== null)
    return skipped(`the MCP server was not started: ${reason}`, evidence);
  const command = {
    ...server,
    args: Array.isArray(server['args']) ? server['args'] : [],
  };
  const [outcome] = tryOut(facts, [
    { command, input: () => `${JSON.stringify(HELLO)}\n` },
  ]);
  const { result } = parseJsonObject(outcome?.stdout.split('\n')[0] ?? '');
  const { serverInfo } = isObject(result) ? result : {};
  const { name, version } = isObject(serverInfo) ? serverInfo : {};
  if (name === SERVER_NAME)
    return ok(
      `the MCP server answers as registered: ${name} ${String(version)}`,
      evidence,
    );
  const [complaint = ''] = outcome?.stderr.trim().split('\n') ?? [];
  const why =
    complaint === '' ? (outcome?.failure ?? 'said something else') : complaint;
  return broken(
    `the MCP server does not answer: it ${asWord(why, MAX_SHOWN)}`,
    facts.node === null ? INSTALL_NODE : fix,
    evidence,
  );
}
