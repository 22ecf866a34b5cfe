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
  type TrialCall,
} from '../trial.ts';
import { asWord, quoted } from '../../text/sanitize.ts';

/** Whether each hook is registered. One that is registered twice does its work once, so that is only noted. */
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
  // Only event and condition are compared, so the commands do not matter.
  const isBlocking = settings.settings.reading.enforce === 'block';
  const wanted = hookEntries(() => '', isBlocking);
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

/** Where hooks are registered, with their events. */
function perPlace(found: readonly Registration[]): string[] {
  return placesIn(found).map((place) => {
    const here = found.filter((hook) => hook.place === place);
    const events = [...new Set(here.map(({ event }) => event))].join(', ');
    const isElsewhere = here.some(({ elsewhere }) => elsewhere !== null);
    const readers = isElsewhere
      ? ` (read by Claude Code ${NEWER_CLIENT} and newer)`
      : '';
    return `${place}: ${events}${readers}`;
  });
}

/** Executes the registered commands, each once, and looks at what they reply. */
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

const MAX_SHOWN_CHARS = 200;

function execute(
  facts: Facts,
  registrations: readonly Registration[],
): Finding {
  const where = `the command of ${placesIn(registrations).join(', ')}`;
  const { hook = {} } = registrations[0] ?? {};
  const shown = quoted(commandLine(hook), MAX_SHOWN_CHARS);
  const reason = reasonNotToRun(hook, facts);
  if (reason !== null)
    return skipped(`${where} was not executed: ${reason}`, [shown]);

  const problems: string[] = [];
  const replies = new Set<string>();
  for (const outcome of tryOut(facts, sessionCalls(registrations))) {
    const { event, stdout } = outcome;
    const problem = replyProblem(event, outcome);
    if (problem !== null) problems.push(`${event} ${problem}`);
    const reply = stdout === '' ? 'no reply' : `${stdout.length} characters`;
    replies.add(`${event}: ${reply}`);
  }

  const isGone = !fse.existsSync(startedProgram(hook, facts)?.file ?? '');
  if (!isGone && problems.length === 0)
    return ok(`${where} works as registered`, [shown, ...replies]);
  const why = isGone
    ? "does nothing: holdfast's files are gone"
    : `does not work: ${problems[0]}`;
  const fix = facts.node === null ? INSTALL_NODE : fixCommandFor(registrations);
  return broken(`${where} ${why}`, fix, [shown, ...problems]);
}

interface HookCall extends TrialCall {
  event: HookEvent;
}

/** In the order in which a session sends them. The compaction comes first, because it creates the run. */
function sessionCalls(registrations: readonly Registration[]): HookCall[] {
  const others = hookEvents().filter(
    (event) => event !== 'PreCompact' && event !== 'SessionEnd',
  );
  const events: HookEvent[] = ['PreCompact', ...others, 'SessionEnd'];

  const calls: HookCall[] = [];
  for (const event of events) {
    // The client would send the same event to all places that have the same command.
    const commands = new Map<string, JsonObject>();
    for (const { event: registered, hook } of registrations)
      if (registered === event) commands.set(commandLine(hook), hook);
    const input = (folder: string, call: number): string =>
      recordedPayload(event, folder, call);
    for (const command of commands.values())
      calls.push({ event, command, input });
  }
  return calls;
}

/** What is wrong with a reply, after the name of its event; null if it is as expected. */
function replyProblem(
  event: HookEvent,
  { stdout, stderr, failure }: Outcome,
): string | null {
  if (failure !== null) return failure;
  if (stderr !== '') return `complained: ${quoted(stderr, MAX_SHOWN_CHARS)}`;
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
  if (found.length > 0) return found;
  return [
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

/** The first message of a client. */
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'holdfast doctor', version: '1' },
  },
};

function startServer(
  facts: Facts,
  server: JsonObject,
  { path, fix }: { path: string; fix: string },
): Finding {
  const evidence = [asWord(path), quoted(commandLine(server), MAX_SHOWN_CHARS)];
  const reason = reasonNotToRun(server, facts);
  if (reason !== null)
    return skipped(`the MCP server was not started: ${reason}`, evidence);

  const words = Array.isArray(server['args']) ? server['args'] : [];
  const command = { ...server, args: words };
  const input = (): string => `${JSON.stringify(INITIALIZE)}\n`;
  const [outcome] = tryOut(facts, [{ command, input }]);
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
    `the MCP server does not answer: it ${asWord(why, MAX_SHOWN_CHARS)}`,
    facts.node === null ? INSTALL_NODE : fix,
    evidence,
  );
}
