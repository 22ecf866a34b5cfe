import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gateEnvironment } from '../../src/templates/gates/run-gate.ts';
import { binary, sandbox, type Sandbox } from '../support/cli.ts';
import { onlyRun, writeTree } from '../support/state.ts';

const holdfast = `"${process.execPath}" "${binary}"`;

/** A run at a step whose gate is the given command. */
function atGate(gate: string): Sandbox {
  const box = sandbox({
    '.claude/holdfast/workflows/gated.json': JSON.stringify({
      name: 'Gated',
      description: 'Has a gate',
      steps: [
        { id: 'plan', type: 'action', instructions: 'Plan it' },
        { id: 'build', type: 'action', instructions: 'Build it', gate },
        { id: 'ship', type: 'action', instructions: 'Ship it' },
      ],
    }),
  });
  box.run(['start', '--template', 'gated']);
  box.run(['advance']);
  const trusted = box.run(['trust', 'gated', '--yes']);
  expect(trusted.code, trusted.stderr).toBe(0);
  return box;
}

const REFUSED =
  /^holdfast: this command is part of a gate of gated-\S+, and a gate must not change its own run; .*\n$/;

describe('a gate that calls holdfast on its own run', () => {
  test('fails with a call that moves its own run, and may change another one', () => {
    const other = `${holdfast} start Other --phases A,B && ${holdfast} advance other`;
    const box = atGate(`${other} && ${holdfast} advance gated 2> refused.txt`);
    box.run(['advance', 'gated'], { code: 1 });
    expect(readFileSync(join(box.root, 'refused.txt'), 'utf8')).toMatch(
      REFUSED,
    );
    expect(box.json(['show', 'gated'])).toMatchObject({
      run: { phase: { current: 2 } },
    });
    expect(box.json(['show', 'other'])).toMatchObject({
      run: { phase: { current: 2 } },
    });
  });

  test('is refused whatever would change the run', () => {
    const box = atGate('true');
    const before = onlyRun(box.root);
    const { HOLDFAST_GATE = '' } = gateEnvironment({}, before.run_id ?? '');
    for (const words of [
      ['fail', '--reason', 'x'],
      ['pivot', 'plan', '--feedback', 'x'],
      ['update', '--remind', 'x'],
      ['pause', '--reason', 'x'],
      ['resume', 'gated'],
      ['release'],
      ['context', '--done'],
      ['complete', '--purge', 'gated'],
    ]) {
      const refused = box.run(words, { code: 1, env: { HOLDFAST_GATE } });
      expect({ words, ...refused }).toMatchObject({
        words,
        code: 1,
        stderr: expect.stringMatching(REFUSED),
      });
      expect(onlyRun(box.root), words.join(' ')).toEqual(before);
    }
  });

  test('may read it, and then the run advances', () => {
    const reads = ['status', 'show gated', 'export gated'];
    const box = atGate(
      reads.map((words) => `${holdfast} ${words}`).join(' && '),
    );
    box.run(['advance']);
    expect(onlyRun(box.root)).toMatchObject({ phase: { current: 3 } });
  });
});

test('a gate is no person: it cannot answer, trust, or change the run of a live session', () => {
  const calls = [
    'approve asking',
    'reject asking --feedback no',
    'trust asking --yes',
    'sync on origin',
    'release asking',
    'note text --run asking',
  ];
  const box = atGate(
    calls.map((words) => `${holdfast} ${words} 2>> refused.txt`).join('; '),
  );
  writeTree(box.root, {
    '.claude/holdfast/workflows/asking.json': JSON.stringify({
      name: 'Asking',
      description: 'Asks the user',
      steps: [
        { id: 'agree', type: 'approval', instructions: 'Look at it' },
        { id: 'ship', type: 'action', instructions: 'Ship it', gate: 'true' },
      ],
    }),
  });
  box.run(['start', '--template', 'asking'], { session: 's2' });
  box.run(['advance', 'gated'], { session: 's1', code: 1 });
  const refused = readFileSync(join(box.root, 'refused.txt'), 'utf8')
    .trim()
    .split('\n');
  expect(refused).toEqual([
    expect.stringContaining(
      "only a person can approve, not an agent's session",
    ),
    expect.stringContaining("only a person can reject, not an agent's session"),
    expect.stringContaining('only a person can trust "Asking"'),
    expect.stringContaining('only a person can run'),
    expect.stringContaining('is held by session s2'),
    expect.stringContaining('is held by session s2'),
  ]);
  expect(box.json(['status', 'asking'])).toMatchObject({
    run: { phase: { current: 1 } },
    wait: expect.stringMatching(/^agree@/),
  });
});
