import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDirSync, outputFileSync, removeSync } from 'fs-extra/esm';
import type { Environment } from '../../io/run-command.ts';
import { errorCode } from '../../io/read-file.ts';
import type { JsonObject } from '../../util/json.ts';
import { terminalEnvironment } from './environment.ts';
import { owedFolder, sessionFiles } from '../../sessions/session-file.ts';
import { recordedPayload, TRIAL_SESSION } from './recorded-payload.ts';
import type { HookEvent } from '../../install/plan/hook-entry.ts';
import type { DoctorContext } from '../types.ts';

export const TRIAL_WORKFLOW = 'Holdfast Trial';

export interface Outcome {
  stdout: string;
  stderr: string;
  /** null if it was killed. */
  code: number | null;
  /** Whether the program was not found. */
  isMissing: boolean;
  isTimedOut: boolean;
  milliseconds: number;
}

export interface TrialProject {
  send: (hook: JsonObject, event: HookEvent) => Outcome;
  /** Starts a command with this text on standard input. */
  tell: (command: JsonObject, text: string) => Outcome;
}

/** Calls `work` with a temporary project that declares a workflow. */
export function withTrialProject<T>(
  context: Pick<DoctorContext, 'root' | 'config' | 'environment'>,
  work: (trial: TrialProject) => T,
): T {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-doctor-')));
  try {
    ensureDirSync(join(folder, '.git'));
    outputFileSync(join(folder, 'CLAUDE', 'PlanWorkflow.md'), 'A file that is read.\n');
    outputFileSync(
      join(folder, 'CLAUDE.local.md'),
      `# Workflow State\n\nWorkflow: ${TRIAL_WORKFLOW}\nPhase: 1/2 - One\n`,
    );
    const env = hookEnvironment(context);
    let calls = 0;
    return work({
      send: (hook, event) => {
        calls += 1;
        return run(hook, recordedPayload(event, folder, calls), { cwd: folder, env });
      },
      tell: (command, text) => run(command, text, { cwd: folder, env }),
    });
  } finally {
    removeSync(folder);
    // What the hooks have recorded about the trial outside the project.
    for (const path of sessionFiles(context.config, TRIAL_SESSION)) removeSync(path);
    removeSync(owedFolder(context.config, folder));
  }
}

/** The environment in which the client starts a hook, without variables of the session that runs doctor. */
function hookEnvironment({
  root,
  config,
  environment,
}: Pick<DoctorContext, 'root' | 'config' | 'environment'>): Environment {
  const {
    HOLDFAST: _switch,
    CLAUDE_CODE_SESSION_ID: _session,
    CLAUDE_CODE_SESSION_ATTENDED: _attended,
    CLAUDE_PID: _pid,
    ...rest
  } = terminalEnvironment(environment);
  return { ...rest, CLAUDECODE: '1', CLAUDE_PROJECT_DIR: root, CLAUDE_CONFIG_DIR: config };
}

function run(
  { command, args, timeout }: JsonObject,
  input: string,
  place: { cwd: string; env: Environment },
): Outcome {
  const started = process.hrtime.bigint();
  const options = {
    ...place,
    input,
    encoding: 'utf8' as const,
    timeout: 1000 * (typeof timeout === 'number' && timeout > 0 ? Math.min(timeout, 15) : 15),
    killSignal: 'SIGKILL' as const,
    windowsHide: true,
  };
  const program = typeof command === 'string' ? command : '';
  const child = Array.isArray(args)
    ? spawnSync(
        program,
        args.filter((word) => typeof word === 'string'),
        options,
      )
    : spawnSync(program, { ...options, shell: true });
  const error = errorCode(child.error);
  return {
    stdout: child.stdout ?? '',
    stderr: child.stderr ?? '',
    code: child.status,
    // A shell exits with 127 if it does not find the program.
    isMissing: error === 'ENOENT' || (!Array.isArray(args) && child.status === 127),
    isTimedOut: error === 'ETIMEDOUT',
    milliseconds: Number(process.hrtime.bigint() - started) / 1e6,
  };
}
