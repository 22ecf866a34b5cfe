import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { binary, type Sandbox } from './cli.ts';

/** Whether tests can open a terminal. */
export const hasTmux = spawnSync('tmux', ['-V']).status === 0;

export interface Shell {
  /** Types a line, waits until the shell is ready again, and returns what the line printed, with its exit code. */
  type: (line: string) => { shown: string; code: number };
  /** Types a line that asks something, waits for the question, and answers it. */
  answer: (line: string, question: RegExp, reply: string) => { shown: string; code: number };
  resize: (columns: number) => void;
  /** Everything that was typed and printed, as a person reads it. */
  transcript: () => string;
}

const PANE = 'shell';
const PATIENCE_MS = 60_000;
const READY = /^\[(\d+)\] (\d+)\$ ?$/;

/** A shell in a terminal of its own, in the project of a sandbox, with `holdfast` on the PATH. */
export function openShell(box: Sandbox, columns = 80): Shell {
  const socket = join(tmpdir(), `holdfast-${randomUUID().slice(0, 8)}.tmux`);
  const bin = join(box.home, 'bin');
  mkdirSync(bin);
  symlinkSync(binary, join(bin, 'holdfast'));
  const env = {
    PATH: [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
    HOME: box.home,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    TZ: 'UTC',
  };
  // The prompt counts the lines that were typed and has the exit code of the last one.
  const rc = join(box.home, 'rc');
  writeFileSync(
    rc,
    'unset HISTFILE\nn=0\nPROMPT_COMMAND=\'c=$?; n=$((n+1)); PS1="[$n] $c\\$ "\'\n',
  );
  const tmux = (...words: string[]): string =>
    execFileSync('tmux', ['-S', socket, '-f', '/dev/null', '-u', ...words], {
      env,
      encoding: 'utf8',
    });
  const shell = ['bash', '--noprofile', '--rcfile', rc, '-i'];
  tmux(
    ...['set-option', '-g', 'history-limit', '50000', ';'],
    ...['new-session', '-d', '-s', PANE, '-x', String(columns), '-y', '50', '-c', box.root],
    ...shell,
  );
  onTestFinished(() => {
    tmux('kill-server');
    rmSync(socket, { force: true });
  });

  /** All lines so far; `-J` joins what the terminal itself has wrapped. */
  const lines = (...how: string[]): string[] =>
    tmux('capture-pane', '-p', '-S', '-', ...how, '-t', PANE)
      .trimEnd()
      .split('\n');
  const waitFor = <T>(what: string, probe: () => T | undefined): T => {
    const end = Date.now() + PATIENCE_MS;
    for (;;) {
      const found = probe();
      if (found !== undefined) return found;
      if (Date.now() > end) throw new Error(`no ${what}\n${lines().join('\n')}`);
      spawnSync('sleep', ['0.05']);
    }
  };
  let typed = 0;
  const prompt = (): number =>
    waitFor('prompt', () => {
      const [, n, code] = READY.exec(lines().at(-1) ?? '') ?? [];
      return Number(n) === typed + 1 ? Number(code) : undefined;
    });
  const send = (text: string): void => {
    tmux('send-keys', '-t', PANE, '-l', '--', text.replace(/;$/, '\\;'));
    tmux('send-keys', '-t', PANE, 'Enter');
  };
  const reply = (code: number): { shown: string; code: number } => {
    const all = lines();
    const start = all.findLastIndex((line) => line.startsWith(`[${typed}] `));
    return { shown: all.slice(start, -1).join('\n'), code };
  };
  prompt();
  return {
    type: (line) => {
      typed += 1;
      send(line);
      return reply(prompt());
    },
    answer: (line, question, text) => {
      typed += 1;
      send(line);
      waitFor(String(question), () => (question.test(lines().join('\n')) ? true : undefined));
      send(text);
      return reply(prompt());
    },
    resize: (width) => {
      tmux('resize-window', '-t', PANE, '-x', String(width));
    },
    transcript: () => lines().join('\n'),
  };
}
