import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { errorCode } from './read-file.ts';
import {
  runCommand,
  signalGroup,
  type CommandResult,
  type Environment,
} from './run-command.ts';

/** Runs git in `folder` without executing anything that the repository configures, except filters of its files. */
export function runGit(
  folder: string,
  words: readonly string[],
  environment: Environment = process.env,
  options: Parameters<typeof runCommand>[3] = {},
): CommandResult {
  // Inside a git hook GIT_DIR and similar variables are set, which would lead git to another repository.
  const others = Object.entries(environment).filter(
    ([name]) => !/^GIT_/i.test(name),
  );
  return runCommand(
    'git',
    gitWords(folder, words),
    { ...Object.fromEntries(others), ...WITHOUT_FETCHING },
    options,
  );
}

/** `GIT_SSH`, `GIT_SSH_COMMAND`, `GIT_SSL_NO_VERIFY` */
const CONNECTION = '(?:SSH|SSH_COMMAND|SSH_VARIANT|SSL_.*|HTTP_.*|PROXY_.*)';
/** `GIT_CONFIG_GLOBAL` */
const CONFIGURATION = 'CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)';
/** How to connect. Any other variable of git could lead it to another repository, or have it ask somebody. */
const KEPT = new RegExp(`^GIT_(?:${CONNECTION}|${CONFIGURATION})$`, 'i');

/** A remote's address may come with the repository, and other transports start the program that it names. */
const PROTOCOLS = 'file:git:http:https:ssh';

export type NetworkResult = CommandResult | { kind: 'timed out' };

/** For a command that uses the network, where nobody is asked for anything. */
export async function runGitOnNetwork(
  folder: string,
  words: readonly string[],
  environment: Environment,
  {
    timeoutMs,
    sshCommand,
  }: { timeoutMs: number; sshCommand: string | undefined },
): Promise<NetworkResult> {
  const kept = Object.entries(environment).filter(
    ([name]) => !/^GIT_/i.test(name) || KEPT.test(name),
  );
  const child = spawn('git', gitWords(folder, words), {
    // Not in the project, because Windows would prefer a program of that name in the current folder.
    cwd: dirname(process.execPath),
    env: {
      ...Object.fromEntries(kept),
      ...batchSsh(environment, sshCommand),
      LC_ALL: 'C',
      DISPLAY: undefined,
      SSH_ASKPASS: undefined,
      SSH_ASKPASS_REQUIRE: 'never',
      GIT_TERMINAL_PROMPT: '0',
      GIT_ALLOW_PROTOCOL: PROTOCOLS,
      GCM_INTERACTIVE: 'never',
    },
    // In a session of its own it has no terminal, so that neither git nor ssh can ask for a password there, and its
    // helpers can be stopped with it.
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr, isLate] = ['', '', false];
  child.stdout
    .setEncoding('utf8')
    .on('data', (text: string) => (stdout += text));
  child.stderr
    .setEncoding('utf8')
    .on('data', (text: string) => (stderr += text));
  const stop = (): void => {
    if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
  };
  const timer = setTimeout(() => {
    isLate = true;
    stop();
  }, timeoutMs);
  process.once('exit', stop);
  const result = await new Promise<CommandResult>((settle) => {
    child.once('error', (error) => {
      const errno = errorCode(error) ?? null;
      settle(
        errno === 'ENOENT'
          ? { kind: 'not there' }
          : { kind: 'no answer', errno },
      );
    });
    child.once('close', (code) =>
      settle(
        code === null
          ? { kind: 'no answer', errno: null }
          : { kind: 'ended', code, stdout, stderr },
      ),
    );
  });
  clearTimeout(timer);
  process.removeListener('exit', stop);
  return isLate ? { kind: 'timed out' } : result;
}

/** In batch mode, in which OpenSSH fails instead of asking, also on Windows, where it always has a terminal. */
function batchSsh(
  environment: Environment,
  configured: string | undefined,
): Environment {
  const { GIT_SSH_COMMAND: own, GIT_SSH: program } = environment;
  const command = own ?? configured ?? (program === undefined ? 'ssh' : '');
  const [, quoted, plain = ''] = /^\s*(?:"([^"]*)"|(\S+))/.exec(command) ?? [];
  const isOpenSsh = /(?:^|[/\\])ssh(?:\.exe)?$/i.test(quoted ?? plain);
  return isOpenSsh ? { GIT_SSH_COMMAND: `${command} -o BatchMode=yes` } : {};
}

/** Overrides settings by which a repository would have a command that only reads start a program. */
const SAFE_GIT_OPTIONS = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'log.showSignature=false',
  'color.ui=false',
  // A folder of a project may look like a repository without a work tree, whose configuration came with the project.
  'safe.bareRepository=explicit',
].flatMap((setting) => ['-c', setting]);

const gitWords = (folder: string, words: readonly string[]): string[] => [
  ...SAFE_GIT_OPTIONS,
  '--no-optional-locks',
  '--no-pager',
  '-C',
  folder,
  ...words,
];

/**
 * In a partial clone, fetching missing objects would run the transport that the repository configures. Only newer
 * versions of git know the first variable; the second one allows no transport, whatever the configuration says.
 */
const WITHOUT_FETCHING = { GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' };
