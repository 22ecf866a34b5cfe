import { statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { logFailure } from '../../../src/hooks/log.ts';
import { compile } from '../../support/child.ts';
import { makeProject, type Project } from '../../support/project.ts';
import { NOW } from '../../support/runs.ts';
import { STATE } from '../../support/store.ts';

const LOG = `${STATE}/holdfast.log`;
const TIME = NOW.toISOString();

function projectWithState(): Project {
  return makeProject({ [`${STATE}/.gitignore`]: '*\n' });
}

describe('a failure', () => {
  test('is one line with time, event and message', () => {
    const project = projectWithState();
    logFailure(project.root, 'PreCompact', new TypeError('a\nb\r\nc'), NOW);
    logFailure(project.root, 'SessionEnd', 'thrown as a text', NOW);
    expect(project.read(LOG)).toBe(
      `${TIME} PreCompact TypeError: a b c\n${TIME} SessionEnd thrown as a text\n`,
    );
  });
});

describe('the log', () => {
  test('has whole lines also if several hooks fail at once: it has no lock', async () => {
    const project = projectWithState();
    const script = compile(`
      import { logFailure } from './hooks/log.ts';
      for (let count = 0; count < 300; count += 1)
        logFailure(${JSON.stringify(project.root)}, 'Stop', 'no luck', new Date(${NOW.getTime()}));
    `);
    await Promise.all(Array.from({ length: 3 }, () => script.start().end()));
    // An empty line is no harm: one hook saw another's line while it was being written.
    const lines = project.read(LOG).split(/\n+/);
    expect(lines).toEqual([...Array.from({ length: 900 }, () => `${TIME} Stop no luck`), '']);
  });

  test('is bounded and keeps the newest lines whole', () => {
    const project = projectWithState();
    for (let count = 1; count <= 300; count += 1) {
      logFailure(project.root, 'PreCompact', `number ${count} ${'x'.repeat(500)}`, NOW);
      expect(statSync(project.at(LOG)).size).toBeLessThanOrEqual(64_000);
    }
    const lines = project.read(LOG).trimEnd().split('\n');
    const numbers = lines.map((line) =>
      Number(/^\S+ PreCompact number (\d+) x{500}$/.exec(line)?.[1]),
    );
    expect(numbers.length).toBeGreaterThan(50);
    expect(numbers).toEqual(numbers.map((_, index) => 301 - numbers.length + index));
  });
});
