import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  mkdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { sleep } from '../../src/files/lock.ts';
import { binary, type Sandbox } from './cli.ts';

/** Whether tests can open a terminal. */
export const hasTmux = spawnSync('tmux', ['-V']).status === 0;

export interface Shell {
  /** Types a line, waits until the shell is ready again, and returns what the line printed, with its exit code. */
  type: (line: string) => { shown: string; code: number };
  /** Types a line that asks something, waits for the question, and answers it; `before` is called in between. */
  answer: (
    line: string,
    question: RegExp,
    reply: string,
    before?: () => void,
  ) => { shown: string; code: number };
  resize: (columns: number) => void;
}

const PANE = 'shell';
const PATIENCE_MS = 300_000;
const POLL_MS = 10;
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
  // The prompt counts the lines that were typed and has the exit code of the last one. It is in a file as well, because
  // looking at the screen takes a process.
  const rc = join(box.home, 'rc');
  const prompts = join(box.home, 'prompts');
  writeFileSync(prompts, '');
  writeFileSync(
    rc,
    `unset HISTFILE\nn=0\nPROMPT_COMMAND='c=$?; n=$((n+1)); echo >>"$HOME/prompts"; PS1="[$n] $c\\$ "'\n`,
  );
  const tmux = (...words: string[]): string =>
    execFileSync('tmux', ['-S', socket, '-f', '/dev/null', '-u', ...words], {
      env,
      encoding: 'utf8',
    });
  const shell = ['bash', '--noprofile', '--rcfile', rc, '-i'];
  tmux(
    ...['set-option', '-g', 'history-limit', '50000', ';'],
    ...[
      'new-session',
      '-d',
      '-s',
      PANE,
      '-x',
      String(columns),
      '-y',
      '50',
      '-c',
      box.root,
    ],
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
      if (Date.now() > end)
        throw new Error(`no ${what}\n${lines().join('\n')}`);
      sleep(POLL_MS);
    }
  };
  let typed = 0;
  /** What the last line printed, once the shell is ready again. */
  const reply = (): { shown: string; code: number } =>
    waitFor('prompt', () => {
      if (statSync(prompts).size <= typed) return undefined;
      const all = lines();
      const [, n, code] = READY.exec(all.at(-1) ?? '') ?? [];
      if (Number(n) !== typed + 1) return undefined;
      const start = all.findLastIndex((line) => line.startsWith(`[${typed}] `));
      return { shown: all.slice(start, -1).join('\n'), code: Number(code) };
    });
  const send = (text: string): void => {
    tmux(
      ...['send-keys', '-t', PANE, '-l', '--', text.replace(/;$/, '\\;'), ';'],
      ...['send-keys', '-t', PANE, 'Enter'],
    );
  };
  reply();
  return {
    type: (line) => {
      typed += 1;
      send(line);
      return reply();
    },
    answer: (line, question, text, before = () => undefined) => {
      typed += 1;
      send(line);
      // The same question may have been asked and answered before.
      waitFor(String(question), () =>
        question.test(lines().at(-1) ?? '') ? true : undefined,
      );
      before();
      send(text);
      return reply();
    },
    resize: (width) => {
      tmux('resize-window', '-t', PANE, '-x', String(width));
    },
  };
}
