import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { drivenProject, START, TWO_STEPS } from '../support/driven.ts';
import { stateFiles } from '../support/state.ts';

describe('run refuses with a sentence', () => {
  it.each([
    [['nothing-like-it'], 'no run is named "nothing-like-it"'],
    [['--template', 'relese'], 'did you mean release?'],
    [[], 'start one with `holdfast run --template <template>`'],
  ])('%j', (words, text) => {
    const box = drivenProject(TWO_STEPS);
    const result = box.drive(words, { code: 1 });
    expect(result.stderr).toContain(text);
    expect(stateFiles(box.root)).toEqual([]);
  });

  it.each([
    [['--max-cost', 'lots'], 'an amount in US dollars'],
    [['--max-time', '5'], 'a duration such as 40s, 15m or 2h'],
    [['--permission-mode', 'yolo'], 'acceptEdits'],
    [['--frobnicate'], 'unknown option'],
  ])('%j is wrong usage', (words, text) => {
    const result = drivenProject(TWO_STEPS).drive([...START, ...words], {
      code: 2,
    });
    expect(result.stderr).toContain(text);
  });

  it('a client that is missing, does not start or is too old', () => {
    const box = drivenProject(TWO_STEPS);
    const nowhere = box.drive(START, {
      code: 1,
      env: { PATH: dirname(process.execPath) },
    });
    expect(nowhere.stderr).toContain('`claude` is not on the PATH');
    writeFileSync(join(box.fake, 'version'), '2.0.14');
    const old = box.drive(START, { code: 1 });
    expect(old.stderr).toContain('Claude Code 2.0.14 cannot be driven');
    expect(old.stderr).toContain('claude update');
    writeFileSync(join(box.home, 'fake-bin/claude'), '#!/bin/sh\nexit 9\n');
    expect(box.drive(START, { code: 1 }).stderr).toContain('does not start');
    expect(stateFiles(box.root)).toEqual([]);
  });

  it('a run without a template, a finished one, and one that a live session holds', () => {
    const box = drivenProject(TWO_STEPS);
    box.run(['start', 'By hand']);
    expect(box.drive(['by-hand'], { code: 1 }).stderr).toContain(
      'has no template',
    );
    box.run(['complete', 'by-hand']);
    expect(box.drive(['by-hand'], { code: 1 }).stderr).toContain(
      'is completed',
    );
    box.run(['start', '--template', 'release'], { session: 'interactive' });
    const held = box.drive(['release'], { code: 1 });
    expect(held.stderr).toContain('belongs to the live session interactive');
    expect(box.calls('start')).toEqual([]);
  });

  it('HOLDFAST=off, because the hooks of the driven sessions would do nothing', () => {
    const box = drivenProject(TWO_STEPS);
    const env = { HOLDFAST: 'off' };
    const result = box.drive(START, { code: 1, env });
    expect(result.stderr).toContain('HOLDFAST=off is set');
    expect(result.stderr).toContain('unset HOLDFAST');
    expect(stateFiles(box.root)).toEqual([]);
    expect(box.calls()).toEqual([]);
    const plan = box.drive([...START, '--dry-run'], { env });
    expect(plan.stderr).toContain('`run` would refuse: HOLDFAST=off is set');
    box.drive(START, { env: { HOLDFAST: 'on' } });
  });

  it('inside a session that is driven itself', () => {
    const box = drivenProject(TWO_STEPS);
    box.script([
      [{ run: 'holdfast run --template release; holdfast advance' }],
    ]);
    box.drive(START);
    expect(box.calls('tool')[0]?.output).toContain(
      'runs inside a session that `holdfast run` drives',
    );
  });
});
