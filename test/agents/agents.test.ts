import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { given } from '../host/support/given.ts';
import { doHoldfast, openHost } from '../host/support/holdfast.ts';
import { AGENTS, installAgent, Machine } from './support/agents.ts';
import { Model } from './support/model.ts';

// A word that only a file has: agents keep the words of prompts by themselves.
const SPECIFICATION = 'The zebra crosses first.';
const NAMES = ['codex', 'qwen', 'gemini', 'opencode'] as const;

let model: Model | undefined;
afterEach(() => {
  model?.stop();
});

describe.each(NAMES)('%s', (name) => {
  test('gives the agent its run back after a compaction and a resume, nobody else, and is removed without a trace', async () => {
    const folder = await installAgent(name);
    model = await Model.start(AGENTS[name].shellTool);
    const base = mkdtempSync(join(tmpdir(), 'agent-'));
    const [home, project] = [join(base, 'home'), join(base, 'project')];
    const machine = new Machine(AGENTS[name], folder, model, home, project);
    const files = Object.keys(AGENTS[name].files(model)).map((path) => join(machine.home, path));
    const before = files.map((path) => readFileSync(path, 'utf8'));
    writeFileSync(join(machine.project, 'spec.md'), SPECIFICATION);
    await machine.holdfast('init', '--host', name);

    model.plan([
      { run: "holdfast start Shop --phases 'A,B,C' --read spec.md" },
      { say: 'It has begun.' },
    ]);
    const session = await machine.turn('Begin.');
    expect(await machine.holdfast('status')).toContain('1/3 A');
    expect(model.takeWork().join('\n')).not.toContain(SPECIFICATION);

    model.plan(
      [{ run: 'echo one' }, { run: 'echo two' }, { run: 'holdfast advance' }, { say: 'Done.' }],
      0,
    );
    await machine.turn('Go on.', session);
    model.takeWork();
    model.plan([{ say: 'Still here.' }]);
    await machine.turn('What now?', session);
    const [resumed = ''] = model.takeWork();
    expect(resumed).toContain(SPECIFICATION);
    expect(resumed).toContain('2/3');

    model.plan([{ say: 'I am another one.' }]);
    await machine.turn('Something else.');
    expect(model.takeWork().join('\n')).not.toContain(SPECIFICATION);
    expect(await machine.holdfast('history')).toContain('restored after compact');

    await machine.holdfast('uninstall', '--host', name);
    expect(files.map((path) => readFileSync(path, 'utf8'))).toEqual(before);
  });
});

test('a run goes from Claude Code to Codex and back, with what each has recorded', async (context) => {
  const host = await openHost('2.1.325', context, { files: { 'spec.md': SPECIFICATION } });
  model = await Model.start(AGENTS.codex.shellTool);
  const folder = await installAgent('codex');
  const codex = new Machine(AGENTS.codex, folder, model, host.home.path, host.project.root);
  await codex.holdfast('init', '--host', 'codex');

  const start = doHoldfast('start', 'Shop', '--phases', 'A,B,C', '--read', 'spec.md');
  await host.print([start, doHoldfast('note', 'SQLITE-IT-IS'), doHoldfast('release')]);

  model.plan([
    { run: 'holdfast resume shop' },
    { run: "holdfast advance --output 'AXLES-FIRST'" },
    { run: 'holdfast note NO-GEARS' },
    { say: 'Done.' },
  ]);
  const thread = await codex.turn('Go on with Shop.');
  expect(model.takeWork()[1]).toContain('SQLITE-IT-IS');
  expect(await codex.holdfast('status')).toMatch(/Held by .*Codex/);
  model.plan([{ run: 'holdfast release' }, { say: 'It is free.' }]);
  await codex.turn('Let go of it.', thread);

  await host.print([doHoldfast('resume', 'shop'), '/compact', 'go on']);
  const restored = given(host.model.turns().at(-1));
  for (const part of ['2/3', 'SQLITE-IT-IS', 'AXLES-FIRST', 'NO-GEARS', SPECIFICATION])
    expect(restored).toContain(part);
  expect(await codex.holdfast('history')).toMatch(/Codex/);
});
