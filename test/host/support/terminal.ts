import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { permissionFlags, type Seat, seatEnvironment } from './seat.ts';
import { type Probe, waitFor } from './wait.ts';

export interface Terminal {
  /** Waits until the client is idle, types a prompt or a slash command (one line) and sends it. */
  say(line: string): Promise<void>;
  /** A key by tmux's name for it: `Escape`, `C-c`, `Enter`. */
  press(key: string): Promise<void>;
  screen(): Promise<string>;
  /** What is on the input line, without blanks; undefined while there is none. */
  typed(): Promise<string | undefined>;
  /** Waits until the probe holds; a failure shows the screen. */
  until<T>(what: string, probe: Probe<T>): Promise<T>;
  /** Leaves the client as a person would, so that its last hooks run. */
  quit(): Promise<void>;
  close(): Promise<void>;
}

export type TerminalSize = { readonly columns: number; readonly rows: number };

const run = promisify(execFile);

/** The interactive client in a terminal of its own, ready for the first prompt. */
export async function openTerminal(
  seat: Seat,
  args: readonly string[] = [],
  size: TerminalSize = { columns: 160, rows: 50 },
): Promise<Terminal> {
  // A separate socket starts a separate tmux server. Its path must be short, so it is not inside the home folder.
  const socket = join(tmpdir(), `holdfast-${randomUUID().slice(0, 8)}.tmux`);
  const env = { ...seatEnvironment(seat), TERM: 'xterm-256color' };
  const tmux = async (...command: string[]): Promise<string> => {
    const { stdout } = await run(
      'tmux',
      ['-S', socket, '-f', '/dev/null', '-u', ...command],
      {
        env,
      },
    );
    return stdout;
  };
  const ask = async (format: string) =>
    (await tmux('display-message', '-p', '-t', PANE, format)).trim();
  const hasEnded = async () => (await ask('#{pane_dead}')) === '1';

  const terminal: Terminal = {
    async say(line) {
      await terminal.until('the client to be idle', async () =>
        isIdle(await terminal.screen()),
      );
      // To tmux itself, a semicolon at the end would begin the next command.
      await tmux(
        'send-keys',
        '-t',
        PANE,
        '-l',
        '--',
        line.replace(/;$/, '\\;'),
      );
      // An Enter that follows too closely is taken as part of a pasted text.
      const typed = async () => (await terminal.typed()) === squeeze(line);
      await terminal.until(`"${line}" on the input line`, typed);
      await terminal.press('Enter');
      // Until the client has taken the line, what is typed next would be added to it.
      await terminal.until(`"${line}" to be taken`, async () => {
        return !(await typed()) || (await hasEnded());
      });
    },
    async press(key) {
      await tmux('send-keys', '-t', PANE, key);
    },
    screen: () => tmux('capture-pane', '-p', '-t', PANE),
    typed: async () => inputLine(await terminal.screen()),
    until: (what, probe) => waitFor(what, probe, () => terminal.screen()),
    async quit() {
      await terminal.say('/exit');
      await terminal.until('the client to end', hasEnded);
    },
    async close() {
      try {
        // While it ends, the client writes to its home once more: a home removed before that would come back.
        if (!(await hasEnded()))
          process.kill(Number(await ask('#{pane_pid}')), 'SIGHUP');
        await terminal.until('the client to end', hasEnded);
      } finally {
        await tmux('kill-server');
        await rm(socket, { force: true });
      }
    },
  };

  const command = [seat.client, ...permissionFlags(seat), ...args];
  // The pane outlives its client, so that the reason of a failed start can still be read.
  const keepPane = [';', 'set-option', '-g', 'remain-on-exit', 'on'];
  await tmux(
    'new-session',
    '-d',
    '-s',
    PANE,
    '-x',
    String(size.columns),
    '-y',
    String(size.rows),
    '-c',
    seat.cwd,
    ...command,
    ...keepPane,
  );
  try {
    await terminal.until('the input line', async () => {
      const screen = await terminal.screen();
      if (await hasEnded())
        throw new Error(`the client ended at once\n${screen}`);
      return inputLine(screen) !== undefined;
    });
  } catch (error) {
    await terminal.close();
    throw error;
  }
  return terminal;
}

const PANE = 'client';

function isIdle(screen: string): boolean {
  return (
    inputLine(screen) !== undefined && !screen.includes('esc to interrupt')
  );
}

/** What has been typed so far, without blanks (it wraps): it stands between the last two rules of the screen. */
function inputLine(screen: string): string | undefined {
  const typed = screen.split(/^─{10}.*$/m).at(-2);
  return typed?.startsWith('\n❯') === true
    ? squeeze(typed).slice(1)
    : undefined;
}

function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, '');
}
