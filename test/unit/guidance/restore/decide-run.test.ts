import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { candidateAnswer, decideRun } from '../../../../src/guidance/restore/restore-session.ts';
import type { RestorationInput } from '../../../../src/guidance/restore/choose-restoration.ts';
import type { RunChoice } from '../../../../src/sessions/choose-run.ts';
import { DEFAULTS } from '../../../../src/settings/settings.ts';
import type { StoredRun } from '../../../../src/state/types.ts';
import { makeProject, type Project } from '../../../support/project.ts';
import { aRun, HERE, NOW } from '../../../support/runs.ts';
import { createRun, storeOf } from '../../../support/store.ts';

const inputIn = ({ root }: Project, runs: StoredRun[], transcript = ''): RestorationInput => ({
  root,
  launchFolder: root,
  runs,
  session: 'me',
  source: 'compact',
  isAttended: true,
  settings: DEFAULTS,
  transcript,
  sources: [],
  now: NOW,
  hostname: hostname(),
});

describe('the transcript', () => {
  const PLANS = ['One', 'Two'].map((workflow) => ({
    workflow,
    source: { kind: 'plan' as const, path: `CLAUDE/Plan/${workflow}/PLAN.md` },
  }));
  const EDIT = { name: 'Edit', input: { file_path: 'CLAUDE/Plan/One/PLAN.md' } };
  const line = (call: object): string =>
    `${JSON.stringify({ type: 'assistant', message: { content: [{ type: 'tool_use', id: 'x', ...call }] } })}\n`;

  function decideWith(write: (project: Project, path: string) => void): RunChoice {
    const project = makeProject();
    const store = storeOf(project);
    for (const fields of PLANS) createRun(store, fields);
    write(project, 'transcript.jsonl');
    return decideRun(inputIn(project, store.list().runs, project.at('transcript.jsonl')));
  }

  test.each<[string, (project: Project, path: string) => void]>([
    ['missing', () => undefined],
    ['broken', (project, path) => project.write(path, '{"type":"assistant","tool_use"\n[')],
    ['a FIFO', (project, path) => project.fifo(path)],
    ['deeply nested', (project, path) => project.write(path, `"tool_use"${'['.repeat(500_000)}`)],
    [
      'large, with the edit out of reach',
      (project, path) => project.write(path, line(EDIT) + 'x'.repeat(9_000_000)),
    ],
  ])('costs only its evidence if it is %s', (_, write) => {
    expect(decideWith(write)).toMatchObject({ kind: 'undecided' });
  });
});

test.each([
  ['holdfast run: ID', true],
  ['- holdfast run: `ID`', true],
  ['- **holdfast run:** ID', true],
  ['We typed holdfast run: ID yesterday.', false],
  ['holdfast run: nothing-20250501_080000', false],
  ['holdfast run: ID\nholdfast run: other-1', false],
])('a summary with the line %s names the run: %s', (line, isNamed) => {
  const run = aRun();
  const summary = `Summary\n\n${line.replace('ID', run.runId)}\nThe rest.`;
  const runs = [run, aRun({}, { runId: 'other-1' })];
  const named = candidateAnswer(summary, runs, 's1', { now: NOW, hostname: HERE });
  expect(named).toBe(isNamed ? run : null);
});
