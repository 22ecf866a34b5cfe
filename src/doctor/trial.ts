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
const MAX_SECONDS = 15;
/** A registered command, and what it is given on standard input in the trial's folder. */
export type TrialCall = {
  command: JsonObject;
  input: (folder: string, call: number) => string;
};

/** `failure`: how it ended, if not with exit code 0. */
export type Outcome = {
  stdout: string;
  stderr: string;
  failure: string | null;
};

/** Runs commands one after the other, as the client would, in a temporary project that declares a workflow. */
export function tryOut<Call extends TrialCall>(
  { root, config, environment, now }: Facts,
  calls: readonly Call[],
): (Call & Outcome)[] {
  const cwd = fse.realpathSync(
    fse.mkdtempSync(join(tmpdir(), 'holdfast-doctor-')),
  );
  try {
    fse.ensureDirSync(join(cwd, '.git'));
    fse.outputFileSync(
      join(cwd, 'CLAUDE', 'PlanWorkflow.md'),
      'A file that is read.\n',
    );
    const local = `# Workflow State\n\nWorkflow: ${TRIAL_WORKFLOW}\nPhase: 1/2 - One\n`;
    fse.outputFileSync(join(cwd, 'CLAUDE.local.md'), local);
    const client = {
      CLAUDECODE: '1',
      CLAUDE_PROJECT_DIR: root,
      CLAUDE_CONFIG_DIR: config,
    };
    const env: Environment = { ...environment, ...client };
    // Those of the session that runs doctor.
    for (const name of ['HOLDFAST', 'CLAUDE_CODE_SESSION_ATTENDED'])
      delete env[name];
    // Without it, the hooks would take this process for a client, and make its file.
    env['CLAUDE_PID'] = 'none';
    env['CLAUDE_CODE_SESSION_ID'] = TRIAL_SESSION;
    new SessionRegistry(config, now.getTime()).recordStart(
      TRIAL_SESSION,
      cwd,
      null,
    );
    const start = ({ command, input }: Call, index: number): Outcome => {
      // Else the shell would not start Node for events without anything to do.
      new WakeMarks(config).wake(TRIAL_SESSION, MARKED_EVENTS);
      return run(command, input(cwd, index), { cwd, env });
    };
    return calls.map((call, index) => ({ ...call, ...start(call, index) }));
  } finally {
    fse.removeSync(cwd);
    // What the hooks have recorded about the trial outside the project.
    fse.removeSync(sessionFile(config, TRIAL_SESSION));
    fse.removeSync(hookMemoryFile(config, cwd));
    new WakeMarks(config).remove(TRIAL_SESSION, MARKED_EVENTS);
  }
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
      ? value.replaceAll('/home/dev/shop', () => folder)
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
    timeout: 1000 * Math.min(seconds, MAX_SECONDS),
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
  const failure =
    errorCode(error) === 'ETIMEDOUT'
      ? 'did not end in time'
      : status === null
        ? 'could not be started, or was killed'
        : `ended with exit code ${status}`;
  return {
    stdout: stdout ?? '',
    stderr: stderr ?? '',
    failure: status === 0 ? null : failure,
  };
}
