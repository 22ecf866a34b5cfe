import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { given } from '../host/support/given.ts';
import { doHoldfast, openHost } from '../host/support/holdfast.ts';
import { AGENTS, installAgent, Machine } from './support/agents.ts';
import { Model } from './support/model.ts';
import { messagesOf, rolesOf } from './support/requests.ts';

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
    const files = Object.keys(AGENTS[name].files(model)).map((path) =>
      join(machine.home, path),
    );
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
      [
        { run: 'echo one' },
        { run: 'echo two' },
        { run: 'holdfast advance' },
        { say: 'Done.' },
      ],
      0,
    );
    await machine.turn('Go on.', session);
    model.takeWork();
    model.plan([{ say: 'Still here.' }]);
    await machine.turn('What now?', session);
    const [resumed = ''] = model.takeWork();
    expect(rolesOf(resumed, SPECIFICATION)).toEqual([AGENTS[name].role]);
    expect(resumed).toContain('2/3');

    model.plan([{ say: 'I am another one.' }]);
    await machine.turn('Something else.');
    expect(model.takeWork().join('\n')).not.toContain(SPECIFICATION);
    expect(await machine.holdfast('history')).toContain(
      'restored after compact',
    );

    await machine.holdfast('uninstall', '--host', name);
    expect(files.map((path) => readFileSync(path, 'utf8'))).toEqual(before);
  });
});

test('OpenCode gives guidance at the end of the last user message of a request, and nowhere else', async () => {
  model = await Model.start(AGENTS.opencode.shellTool);
  const folder = await installAgent('opencode');
  const base = mkdtempSync(join(tmpdir(), 'opencode-'));
  const [home, project] = [join(base, 'home'), join(base, 'project')];
  const machine = new Machine(AGENTS.opencode, folder, model, home, project);
  writeFileSync(join(project, 'spec.md'), SPECIFICATION);
  await machine.holdfast('init', '--host', 'opencode');

  // A run that nobody holds is offered from the first request on, when OpenCode asks for a title as well.
  await machine.holdfast('start', 'Giraffe', '--phases', 'A,B');
  model.plan([
    { run: "holdfast start Shop --phases 'A,B,C' --read spec.md" },
    { say: 'Begun.' },
  ]);
  const session = await machine.turn('Begin.');
  const first = model.take();
  expect(first.map(({ kind }) => kind).toSorted()).toEqual([
    'other',
    'work',
    'work',
  ]);
  const title = first.find(({ kind }) => kind === 'other');
  expect(rolesOf(title?.body ?? '', 'Begin.')).toEqual(['user']);
  expect(rolesOf(title?.body ?? '', 'Giraffe')).toEqual([]);
  const offered = first.find(({ kind }) => kind === 'work');
  expect(rolesOf(offered?.body ?? '', 'Giraffe')).toEqual(['user']);

  model.plan([{ run: 'echo one' }, { run: 'echo two' }, { say: 'Done.' }], 0);
  await machine.turn('Go on.', session);
  const [, summary, ...continued] = model.take();
  expect(summary?.kind).toBe('summary');
  expect(summary?.body).toContain('verbatim in the summary');
  expect(summary?.body).not.toMatch(/Added by holdfast|Giraffe|zebra/);
  model.plan([{ run: 'echo three' }, { say: 'Still here.' }]);
  await machine.turn('What now?', session);
  const resumed = model.take();

  expect([continued.length, resumed.length]).toEqual([2, 2]);
  for (const [requests, prompt] of [
    [continued, 'Continue if you have next steps'],
    [resumed, 'What now?'],
  ] as const)
    for (const { body } of requests) {
      expect(rolesOf(body, SPECIFICATION)).toEqual(['user']);
      const last =
        messagesOf(body).findLast(({ role }) => role === 'user')?.text ?? '';
      expect(last.startsWith(prompt)).toBe(true);
      expect(last).toMatch(
        /\nAdded by holdfast, not typed by the user:\n\nWORKFLOW[^]*zebra/,
      );
    }
  // The last of them came after the result of a tool.
  expect(messagesOf(resumed.at(-1)?.body ?? '').at(-1)).toEqual({
    role: 'tool',
    text: 'three\n',
  });

  const stored = filesBelow(join(home, '.local/share/opencode')).map((path) =>
    readFileSync(path),
  );
  expect(stored.some((content) => content.includes('What now?'))).toBe(true);
  expect(stored.some((content) => content.includes(SPECIFICATION))).toBe(false);
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

test('a run goes from Claude Code to Codex and back, with what each has recorded', async (context) => {
  const host = await openHost('2.1.325', context, {
    files: { 'spec.md': SPECIFICATION },
  });
  model = await Model.start(AGENTS.codex.shellTool);
  const folder = await installAgent('codex');
  const codex = new Machine(
    AGENTS.codex,
    folder,
    model,
    host.home.path,
    host.project.root,
  );
  await codex.holdfast('init', '--host', 'codex');

  const start = doHoldfast(
    'start',
    'Shop',
    '--phases',
    'A,B,C',
    '--read',
    'spec.md',
  );
  await host.print([
    start,
    doHoldfast('note', 'SQLITE-IT-IS'),
    doHoldfast('release'),
  ]);

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
  for (const part of [
    '2/3',
    'SQLITE-IT-IS',
    'AXLES-FIRST',
    'NO-GEARS',
    SPECIFICATION,
  ])
    expect(restored).toContain(part);
  expect(await codex.holdfast('history')).toMatch(/Codex/);
});
