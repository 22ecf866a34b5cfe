import { existsSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fse from 'fs-extra';
import { expect, test } from 'vitest';
import { openServer } from '../support/mcp.ts';
import { stateFiles } from '../support/state.ts';
import { type Box, command } from './support/box.ts';
import { publish } from './support/figures.ts';
import { COMMANDS, fullProject, hooksIn, SESSION } from './support/hostile.ts';
import { measuredCommand, measuredHook } from './support/measured.ts';

const TEMPLATE = '.claude/holdfast/workflows/built.yaml';
const STORE = '.claude/holdfast/trusted-templates.json';
const counts = { tricks: 0, processes: 0 };

/** Beside those that hooks and other suites use: whatever could move a run past its gate. */
const MOVES: readonly string[][] = [
  ['takeover', 'built'],
  ['advance', 'built'],
  ['advance', 'built', '--force', '--output', 'done'],
  ['tasks', 'make', '--run', 'built'],
  ['pivot', 'make', '--run', 'built', '--feedback', 'again'],
  ['start', '--template', 'built', '--switch'],
  ['advance', '--force'],
  ['trust', 'built', '--yes'],
  ['advance', '--force'],
  ['start', '--template', TEMPLATE, '--switch'],
  ['advance'],
  ['fail', '--reason', 'x'],
];

function executedIn(box: Box): string[] {
  return readdirSync(join(box.tree, 'outside')).filter((name) => name.startsWith('executed'));
}

function editRun(box: Box, edit: (text: string) => string): void {
  const holdsGate = (file: string): boolean =>
    readFileSync(join(box.root, file), 'utf8').includes('executed-gate');
  const full = join(box.root, stateFiles(box.root).find(holdsGate) ?? '');
  writeFileSync(full, edit(readFileSync(full, 'utf8')));
}

const OTHER_GATE = ['touch ../outside/executed-gate', 'touch ../outside/executed-other'] as const;

/** What a project could do to have its gates run without a word of the user to exactly them. */
const TRICKS: Record<string, { isTrusted: boolean; play: (box: Box) => Record<string, string> }> = {
  'a template that nobody trusted': { isTrusted: false, play: () => ({}) },
  'another gate after the trust': {
    isTrusted: true,
    play: (box) => {
      const text = readFileSync(join(box.root, TEMPLATE), 'utf8');
      box.write(TEMPLATE, text.replace(...OTHER_GATE));
      editRun(box, (state) => state.replaceAll(...OTHER_GATE));
      return {};
    },
  },
  'a gate more after the trust': {
    isTrusted: true,
    play: (box) => {
      const more = 'type: action\n    gate: touch ../outside/executed-more\n    instructions: Ship';
      const text = readFileSync(join(box.root, TEMPLATE), 'utf8');
      box.write(TEMPLATE, text.replace('type: action\n    instructions: Ship', more));
      editRun(box, (state) =>
        state.replace('"id": "ship"', '"id": "ship", "gate": "touch ../outside/executed-more"'),
      );
      return {};
    },
  },
  'a record of trust in the project': {
    isTrusted: true,
    play: (box) => {
      fse.moveSync(
        join(box.home, STORE),
        join(box.root, '.claude/holdfast/trusted-templates.json'),
      );
      return { CLAUDE_CONFIG_DIR: join(box.root, '.claude') };
    },
  },
  'a home in the project': {
    isTrusted: true,
    play: (box) => {
      fse.moveSync(join(box.home, '.claude'), join(box.root, 'home/.claude'));
      return { HOME: join(box.root, 'home') };
    },
  },
  'a link to a record of trust in the project': {
    isTrusted: true,
    play: (box) => {
      fse.moveSync(join(box.home, '.claude/holdfast'), join(box.root, 'kept'));
      symlinkSync(join(box.root, 'kept'), join(box.home, '.claude/holdfast'));
      return {};
    },
  },
  'a way out of the project and back to a record in it': {
    isTrusted: true,
    play: (box) => {
      fse.moveSync(join(box.home, '.claude'), join(box.root, 'config'));
      return { CLAUDE_CONFIG_DIR: `${box.tree}/outside/../project/./config` };
    },
  },
};

const full = await fullProject();

test.each(Object.keys(TRICKS))('%s: no gate and no command of it is run', async (name) => {
  const trick = TRICKS[name];
  if (trick === undefined) throw new Error(name);
  full.backTo('full');
  if (trick.isTrusted) {
    await full.must(command('trust', 'built', '--yes'));
    expect(existsSync(join(full.home, STORE))).toBe(true);
  }
  const env = trick.play(full);
  const around = { session: SESSION, env };
  for (const words of [...COMMANDS, ...MOVES])
    expect([0, 1, 2]).toContain(measuredCommand(full, words, SESSION, env).code);
  for (const call of hooksIn(full)) measuredHook(full, call.payload, call.event);
  const server = await openServer(full, around);
  await server.call('workflow_start', { template: 'built' });
  for (const _ of [1, 2, 3]) await server.call('workflow_advance', { output: 'done' });
  await server.call('prime_context', { artifacts: ['plugin'] });
  await server.end();
  counts.tricks += 1;
  counts.processes += COMMANDS.length + MOVES.length + 9;
  expect(executedIn(full)).toEqual([]);
  if (counts.tricks === Object.keys(TRICKS).length) publish('hostile-gates', counts);
});

test('the same gate runs once the user has trusted it', async () => {
  full.backTo('full');
  await full.must(command('trust', 'built', '--yes'));
  await full.must({ ...command('takeover', 'built'), session: SESSION });
  await full.must({ ...command('advance', 'built'), session: SESSION });
  expect(executedIn(full)).toEqual(['executed-gate']);
});
