import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unreachable } from '../errors.ts';
import { codeOf } from '../io/read-file.ts';
import type { JsonObject } from '../state/json.ts';
import type { Examined } from './types.ts';

export const TRIAL_WORKFLOW = 'Holdfast Trial';

/** Events in the order in which a session sends them; the compaction comes first, because it makes the run. */
export const TRIAL_EVENTS = [
  'PreCompact',
  'SessionStart',
  'PostCompact',
  'UserPromptSubmit',
  'PostToolUse',
  'PreToolUse',
  'SessionEnd',
] as const;
export type TrialEvent = (typeof TRIAL_EVENTS)[number];

export interface Outcome {
  stdout: string;
  stderr: string;
  /** null where it was stopped. */
  code: number | null;
  /** The program itself is not there. */
  isMissing: boolean;
  isTimedOut: boolean;
  milliseconds: number;
}

export interface Trial {
  send: (hook: JsonObject, event: TrialEvent) => Outcome;
  /** What a process costs here that does nothing. */
  idle: (program: string) => Outcome;
}

/** Gives `work` a throw-away project with a workflow in it. */
export function inTrialProject<T>(
  examined: Pick<Examined, 'root' | 'environment'>,
  work: (trial: Trial) => T,
): T {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-doctor-')));
  try {
    mkdirSync(join(folder, '.git'));
    writeFileSync(join(folder, 'notes.md'), 'A file that is read.\n');
    writeFileSync(
      join(folder, 'CLAUDE.local.md'),
      `# Workflow State\n\nWorkflow: ${TRIAL_WORKFLOW}\nPhase: 1/2 - One\n`,
    );
    const env = hookEnvironment(examined);
    let calls = 0;
    return work({
      send: (hook, event) => {
        calls += 1;
        return run(hook, JSON.stringify(payload(event, folder, calls)), { cwd: folder, env });
      },
      idle: (program) => run({ command: program, args: ['-e', '0'] }, '', { cwd: folder, env }),
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As the host would start a hook, without what belongs to a session that runs doctor. */
function hookEnvironment({
  root,
  environment,
}: Pick<Examined, 'root' | 'environment'>): Record<string, string | undefined> {
  const {
    HOLDFAST: _switch,
    CLAUDE_CODE_SESSION_ID: _session,
    CLAUDE_CODE_SESSION_ATTENDED: _attended,
    CLAUDE_PID: _pid,
    ...rest
  } = environment;
  return { ...rest, CLAUDECODE: '1', CLAUDE_PROJECT_DIR: root };
}

function run(
  { command, args, timeout }: JsonObject,
  input: string,
  place: { cwd: string; env: Record<string, string | undefined> },
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
  const error = codeOf(child.error);
  return {
    stdout: child.stdout ?? '',
    stderr: child.stderr ?? '',
    code: child.status,
    // A shell says 127 for a program that it does not find.
    isMissing: error === 'ENOENT' || (!Array.isArray(args) && child.status === 127),
    isTimedOut: error === 'ETIMEDOUT',
    milliseconds: Number(process.hrtime.bigint() - started) / 1e6,
  };
}

/** What the client sends, without the fields that no hook needs. */
function payload(event: TrialEvent, folder: string, call: number): object {
  const common = {
    session_id: 'holdfast-doctor',
    transcript_path: join(folder, 'transcript.jsonl'),
    cwd: folder,
    prompt_id: `holdfast-doctor-${call}`,
    hook_event_name: event,
  };
  const file = join(folder, 'notes.md');
  switch (event) {
    case 'PreCompact':
      return { ...common, trigger: 'manual', custom_instructions: null };
    case 'SessionStart':
      return { ...common, source: 'compact' };
    case 'PostCompact':
      return { ...common, trigger: 'manual', compact_summary: 'A summary.' };
    case 'UserPromptSubmit':
      return { ...common, prompt: 'go on' };
    case 'PostToolUse':
      return {
        ...common,
        tool_name: 'Read',
        tool_input: { file_path: file },
        tool_response: {
          type: 'text',
          file: { filePath: file, content: 'A file that is read.\n', numLines: 2 },
        },
      };
    case 'PreToolUse':
      return { ...common, tool_name: 'Bash', tool_input: { command: 'true' } };
    case 'SessionEnd':
      return { ...common, reason: 'other' };
    default:
      return unreachable(event);
  }
}
