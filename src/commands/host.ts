import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AnyCommand } from './command.ts';
import { flag } from './options.ts';
import { packageFolder } from './view/installation.ts';

// Called by Claude Code, and in bundles of their own. They come here only with options before or after the command, which
// the parser checks; otherwise bin/holdfast.cjs starts them directly.

export const statusline: AnyCommand = {
  usage: 'statusline',
  about:
    'print one line about the run of the session that Claude Code describes on standard input',
  examples: [
    'holdfast statusline --segment < input.json',
    'holdfast init --statusline',
  ],
  options: {
    segment: flag(
      'for tools that compose a status line: without the line break at the end',
    ),
  },
  takesAnything: true,
  passOn: (words, { segment }) =>
    callHook([
      'statusline',
      ...(segment === true ? ['--segment'] : []),
      ...words,
    ]),
};

export const hook: AnyCommand = {
  usage: 'hook [event]',
  about:
    'called by Claude Code with an event on standard input; always exits 0',
  examples: ['holdfast hook < event.json'],
  passOn: () => callHook(process.argv.slice(2)),
};

export const mcp: AnyCommand = {
  usage: 'mcp',
  about: 'MCP server on standard input and output, called by Claude Code',
  examples: ['holdfast mcp < requests.jsonl', 'holdfast init --mcp'],
  passOn: () => load('mcp'),
};

function callHook(words: readonly string[]): void {
  process.argv.splice(2, Infinity, ...words);
  load('hook');
}

function load(bundle: string): void {
  createRequire(join(packageFolder(), 'bin/'))(`../dist/${bundle}.cjs`);
}
