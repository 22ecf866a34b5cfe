import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
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
    const machine = new Machine(mkdtempSync(join(tmpdir(), 'agent-')), AGENTS[name], folder, model);
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
