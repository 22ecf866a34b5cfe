import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fse from 'fs-extra';
import type { HookEvent } from '../install/hooks.ts';
import { errorCode } from '../files/read-file.ts';
import type { Environment } from '../files/run-command.ts';
import { SessionRegistry } from '../sessions/session-registry.ts';
import { hookMemoryFile, sessionFile } from '../files/environment.ts';
import { MARKED_EVENTS, WakeMarks } from '../state/store/state-folder.ts';
import type { JsonObject } from '../text/json.ts';
import type { Facts } from './facts.ts';
import { payloads } from './recorded-payloads.generated.ts';

export const TRIAL_WORKFLOW = 'Holdfast Trial';
const TRIAL_SESSION = 'holdfast-doctor';

/** No hook may take longer, whatever is registered. */
const MAX_SECONDS = 15;

/** The folder of the project in which the payloads were recorded. */
const RECORDED_FOLDER = '/home/dev/shop';

/** A registered command, and what it is given on standard input in the trial's folder. */
export interface TrialCall {
  command: JsonObject;
  input: (folder: string, call: number) => string;
}

export interface Outcome {
  stdout: string;
  stderr: string;
  /** How it ended, if not with exit code 0. */
  failure: string | null;
}

/** Runs commands one after the other, as the client would, in a temporary project that declares a workflow. */
export function tryOut<Call extends TrialCall>(
  facts: Facts,
  calls: readonly Call[],
): (Call & Outcome)[] {
  const { config, now } = facts;
  const temporary = fse.mkdtempSync(join(tmpdir(), 'holdfast-doctor-'));
  const cwd = fse.realpathSync(temporary);
  try {
    writeProject(cwd);
    const env = clientEnvironment(facts);
    const registry = new SessionRegistry(config, now.getTime());
    registry.recordStart(TRIAL_SESSION, cwd, null);

    return calls.map((call, index) => {
      // Else the shell would not start Node for events without anything to do.
      new WakeMarks(config).wake(TRIAL_SESSION, MARKED_EVENTS);
      const outcome = run(call.command, call.input(cwd, index), { cwd, env });
      return { ...call, ...outcome };
    });
  } finally {
    fse.removeSync(cwd);
    // What the hooks have recorded about the trial outside the project.
    fse.removeSync(sessionFile(config, TRIAL_SESSION));
    fse.removeSync(hookMemoryFile(config, cwd));
    new WakeMarks(config).remove(TRIAL_SESSION, MARKED_EVENTS);
  }
}

/** A project whose local file declares a workflow. */
function writeProject(folder: string): void {
  fse.ensureDirSync(join(folder, '.git'));
  fse.outputFileSync(
    join(folder, 'CLAUDE', 'PlanWorkflow.md'),
    'A file that is read.\n',
  );
  fse.outputFileSync(
    join(folder, 'CLAUDE.local.md'),
    `# Workflow State\n\nWorkflow: ${TRIAL_WORKFLOW}\nPhase: 1/2 - One\n`,
  );
}

function clientEnvironment(facts: Facts): Environment {
  const env: Environment = {
    ...facts.environment,
    CLAUDECODE: '1',
    CLAUDE_PROJECT_DIR: facts.root,
    CLAUDE_CONFIG_DIR: facts.config,
    CLAUDE_CODE_SESSION_ID: TRIAL_SESSION,
    // Without it, the hooks would take this process for a client, and make its file.
    CLAUDE_PID: 'none',
  };
  // Those of the session that runs doctor.
  delete env['HOLDFAST'];
  delete env['CLAUDE_CODE_SESSION_ATTENDED'];
  return env;
}

/** A payload recorded from the client, adapted to a folder and to one call. */
export function recordedPayload(
  event: HookEvent,
  folder: string,
  call: number,
): string {
  const recorded: Partial<Record<HookEvent, object>> = payloads;
  const payload = {
    hook_event_name: event,
    ...recorded[event],
    session_id: TRIAL_SESSION,
    prompt_id: `${TRIAL_SESSION}-${call}`,
    transcript_path: `${folder}/transcript.jsonl`,
  };
  return JSON.stringify(payload, (_key, value: unknown) =>
    typeof value === 'string'
      ? value.replaceAll(RECORDED_FOLDER, () => folder)
      : value,
  );
}

export function commandLine({ command, args }: JsonObject): string {
  const words = [command, ...(Array.isArray(args) ? args : [])];
  return words.filter((word) => typeof word === 'string').join(' ');
}

function run(
  { command, args, timeout }: JsonObject,
  input: string,
  place: { cwd: string; env: Environment },
): Outcome {
  const seconds =
    typeof timeout === 'number' && timeout > 0 ? timeout : MAX_SECONDS;
  const options = {
    ...place,
    input,
    encoding: 'utf8' as const,
    timeout: 1_000 * Math.min(seconds, MAX_SECONDS),
    killSignal: 'SIGKILL' as const,
    windowsHide: true,
  };
  const program = typeof command === 'string' ? command : '';
  const words = Array.isArray(args)
    ? args.filter((word) => typeof word === 'string')
    : null;
  const { error, status, stdout, stderr } =
    words === null
      ? spawnSync(program, { ...options, shell: true })
      : spawnSync(program, words, options);
  return {
    stdout: stdout ?? '',
    stderr: stderr ?? '',
    failure: failureOf(status, error),
  };
}

function failureOf(status: number | null, error?: Error): string | null {
  if (status === 0) return null;
  if (errorCode(error) === 'ETIMEDOUT') return 'did not end in time';
  if (status === null) return 'could not be started, or was killed';
  return `ended with exit code ${status}`;
}
