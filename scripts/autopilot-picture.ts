// Makes docs/guide/autopilot.svg from the screen of the real client, with a model on this machine that answers from a script.
// Usage: npm run build && npx tsx scripts/autopilot-picture.ts
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createHost } from '../test/host/support/host.ts';
import { unpackPackage } from '../test/host/support/package.ts';
import type { Reply } from '../test/host/support/reply.ts';
import { isTurn, lastPrompt, type ModelRequest } from '../test/host/support/request.ts';
import { obey } from '../test/host/support/script.ts';
import { archived } from '../test/support/state.ts';
import { terminalPicture } from './terminal-picture.mjs';

const TEMPLATE = `name: Release
description: Plan, build, review
steps:
  - {id: plan, type: action, instructions: Write docs/plan.md.}
  - {id: build, type: action, instructions: Build what docs/plan.md says., context: compact}
  - {id: review, type: action, instructions: Review the change against docs/plan.md., context: clear}
`;
const OUTPUT = {
  plan: 'the plan is in docs/plan.md',
  build: 'search is built',
  review: 'reviewed',
};
const COLUMNS = 118;

function answer(request: ModelRequest): Reply {
  if (!isTurn(request)) return obey(request);
  const { text, toolCalls } = lastPrompt(request);
  const [, step] = /at step (\w+)\./.exec(text) ?? [];
  if (toolCalls > 0) return { text: 'Done.' };
  if (step === undefined) return bash('holdfast start --template release "faster search"');
  const output = Object.entries(OUTPUT).find(([id]) => id === step)?.[1] ?? 'done';
  return bash(`holdfast advance --output "${output}"`);
}

function bash(command: string): Reply {
  return { tools: [{ name: 'Bash', input: { command, description: 'holdfast' } }] };
}

/** The conversation on the screen, without what moves: the spinner, its tips, times, and the lines at the right edge. */
function conversation(screen: string): string[] {
  const lines = screen.split('\n').map((line) => line.trimEnd());
  const end = lines.findLastIndex((line) => /^─{20}/.test(line));
  const input = lines.slice(0, end).findLastIndex((line) => /^─{20}/.test(line));
  const from = lines.findIndex((line) => /^[❯⎿●✻]/.test(line));
  return lines
    .slice(Math.max(from, 0), input)
    .filter((line) => line !== '' && !/^ {20}|^\S \w+…|⎿ {2}Tip:|^✻ /.test(line))
    .map((line) => line.replace(/\d{8}_\d{6}/g, '20261115_090000'));
}

/** The client wraps a long prompt at the width of its terminal. */
function unwrapped(lines: readonly string[]): string[] {
  const joined: string[] = [];
  for (const line of lines) {
    const last = joined.at(-1) ?? '';
    if (/^ {2}[a-z]/.test(line) && last.startsWith('❯'))
      joined.splice(-1, 1, `${last} ${line.trim()}`);
    else joined.push(line);
  }
  return joined;
}

function folded(line: string): string[] {
  if (line.length <= COLUMNS) return [line];
  const end = line.lastIndexOf(' ', COLUMNS);
  return [line.slice(0, end), ...folded(`  ${line.slice(end).trimStart()}`)];
}

const unpacked = await unpackPackage();
const host = await createHost('2.1.325', {
  answer,
  files: {
    '.claude/settings.json': {},
    '.claude/holdfast/workflows/release.yaml': TEMPLATE,
  },
});
try {
  const terminal = await host.terminal(['--plugin-dir', unpacked.folder]);
  const frames: string[][] = [];
  await terminal.say('Release the faster search with the release template.');
  await terminal.until('the end of the run', async () => {
    frames.push(conversation(await terminal.screen()));
    return archived(host.project.root).length > 0;
  });
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  frames.push(conversation(await terminal.screen()));
  const lastWithout = (text: RegExp) =>
    frames.findLast((frame) => !text.test(frame.join('\n'))) ?? [];
  const parts = [lastWithout(/Cleared|\/clear/), frames.at(-1) ?? []];
  const lines = parts.flatMap((part) => [...unwrapped(part).flatMap(folded), '']).slice(0, -1);
  const title =
    'A template run in Claude Code: after one prompt it is compacted, cleared and continued';
  const picture = terminalPicture(
    lines.map((text) => ({ text, look: lookOf(text) })),
    { title, columns: COLUMNS },
  );
  writeFileSync(fileURLToPath(new URL('../docs/guide/autopilot.svg', import.meta.url)), picture);
} finally {
  await host.close();
  await unpacked.remove();
}

function lookOf(line: string): 'typed' | 'output' | 'comment' | 'given' {
  if (/^[❯>]/.test(line)) return 'typed';
  return line.startsWith('● holdfast: ') ? 'given' : 'output';
}
