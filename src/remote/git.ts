import { spawn, spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { errorCode } from '../io/read-file.ts';
import { SAFE_GIT_OPTIONS, WITHOUT_FETCHING } from '../io/safe-git.ts';
import { batchSshCommand } from './ssh-command.ts';

type Environment = Record<string, string | undefined>;

export type GitResult =
  | { kind: 'ended'; code: number; stdout: Buffer; stderr: string }
  | { kind: 'not_there' }
  | { kind: 'timed_out' }
  | { kind: 'stopped'; why: string };

export interface LocalCall {
  input?: string | Buffer;
  environment?: Environment;
}

export interface NetworkCall {
  timeoutMs: number;
  /** `core.sshCommand` of git's configuration, if it is set. */
  sshCommand: string | undefined;
}

/** Git as `sync` calls it: without a prompt, a hook, or a variable that would lead it to another repository. */
export interface Git {
  /** Calls that only touch this clone. */
  local: (words: readonly string[], call?: LocalCall) => GitResult;
  /** Calls that use the network. */
  network: (words: readonly string[], call: NetworkCall) => Promise<GitResult>;
}

const LOCAL_LIMIT_MS = 20_000;
const MAX_OUTPUT = 512_000_000;

const SETTINGS = [
  // A repository may log every ref; ours would only grow.
  'core.logAllRefUpdates=false',
  'core.askPass=',
  'color.ui=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'fetch.output=full',
  'i18n.commitEncoding=UTF-8',
  'i18n.logOutputEncoding=UTF-8',
  'push.gpgSign=false',
  'push.followTags=false',
  'push.recurseSubmodules=no',
  'protocol.version=2',
].flatMap((setting) => ['-c', setting]);

/** Variables that say which repository, index or identity is meant, and those that make git ask somebody. */
const DROPPED =
  /^(?:GIT_(?:DIR|WORK_TREE|INDEX_FILE|INDEX_VERSION|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|PREFIX|SUPER_PREFIX|INTERNAL_SUPER_PREFIX|SHALLOW_FILE|GRAFT_FILE|REPLACE_REF_BASE|NO_REPLACE_OBJECTS|IMPLICIT_WORK_TREE|QUARANTINE_PATH|PUSH_OPTION_.*|CONFIG|CONFIG_PARAMETERS|CONFIG_COUNT|CONFIG_KEY_.*|CONFIG_VALUE_.*|AUTHOR_.*|COMMITTER_.*|REFLOG_ACTION|TRACE.*|CEILING_DIRECTORIES|DEFAULT_HASH|EDITOR|PAGER|ASKPASS|EXTERNAL_DIFF|LITERAL_PATHSPECS|ICASE_PATHSPECS)|SSH_ASKPASS|SSH_ASKPASS_REQUIRE|DISPLAY|LC_ALL|LANGUAGE)$/i;

function environmentFor(environment: Environment): Environment {
  return {
    ...Object.fromEntries(Object.entries(environment).filter(([name]) => !DROPPED.test(name))),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GCM_INTERACTIVE: 'never',
    SSH_ASKPASS_REQUIRE: 'never',
    GIT_NO_REPLACE_OBJECTS: '1',
  };
}

export function makeGit(folder: string, environment: Environment): Git {
  const base = environmentFor(environment);
  // Not in the project, because Windows would prefer a program of that name in the current folder.
  const cwd = dirname(process.execPath);
  const argumentsFor = (words: readonly string[]): string[] => [
    ...SAFE_GIT_OPTIONS,
    ...SETTINGS,
    '--no-optional-locks',
    '--no-pager',
    '-C',
    folder,
    ...words,
  ];
  const local: Git['local'] = (words, call = {}) => {
    const child = spawnSync('git', argumentsFor(words), {
      cwd,
      // Only `network` may fetch.
      env: { ...base, ...WITHOUT_FETCHING, ...call.environment },
      input: call.input ?? '',
      maxBuffer: MAX_OUTPUT,
      timeout: LOCAL_LIMIT_MS,
      killSignal: 'SIGKILL',
      windowsHide: true,
    });
    const error = errorCode(child.error);
    if (error === 'ENOENT') return { kind: 'not_there' };
    if (error === 'ETIMEDOUT') return { kind: 'timed_out' };
    if (error !== undefined || child.status === null)
      return { kind: 'stopped', why: error ?? child.signal ?? 'unknown' };
    const { stdout, status: code } = child;
    return { kind: 'ended', code, stdout, stderr: child.stderr.toString() };
  };
  return {
    local,
    network: (words, { timeoutMs, sshCommand }) =>
      new Promise((settle) => {
        // In a session of its own it has no terminal, so that neither git nor ssh can ask for a password there, and
        // its helpers can be stopped with it.
        const child = spawn('git', argumentsFor(words), {
          cwd,
          env: { ...base, ...batchSsh(base, sshCommand) },
          detached: process.platform !== 'win32',
          windowsHide: true,
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        const output: Buffer[] = [];
        const errors: Buffer[] = [];
        child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
        child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
        let isLate = false;
        const timer = setTimeout(() => {
          isLate = true;
          stopGroup(child.pid);
        }, timeoutMs);
        const stop = (): void => stopGroup(child.pid);
        process.once('exit', stop);
        const end = (result: GitResult): void => {
          clearTimeout(timer);
          process.removeListener('exit', stop);
          settle(result);
        };
        child.once('error', (error) =>
          end(
            errorCode(error) === 'ENOENT'
              ? { kind: 'not_there' }
              : { kind: 'stopped', why: errorCode(error) ?? 'unknown' },
          ),
        );
        child.once('close', (code, signal) => {
          if (isLate) end({ kind: 'timed_out' });
          else if (code === null) end({ kind: 'stopped', why: signal ?? 'unknown' });
          else {
            const stderr = Buffer.concat(errors).toString();
            end({ kind: 'ended', code, stdout: Buffer.concat(output), stderr });
          }
        });
      }),
  };
}

/** Without a terminal ssh cannot ask either, but on Windows it has one. */
function batchSsh(environment: Environment, configured: string | undefined): Environment {
  const command = batchSshCommand({
    command: environment['GIT_SSH_COMMAND'],
    program: environment['GIT_SSH'],
    configured,
  });
  return command === undefined ? {} : { GIT_SSH_COMMAND: command };
}

function stopGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch (error) {
    // It has ended meanwhile.
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}
