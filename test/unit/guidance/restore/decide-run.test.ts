import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import {
  candidateAnswer,
  decideRun,
  decideUnderLock,
} from '../../../../src/guidance/restore/restore-session.ts';
import type { RestorationInput } from '../../../../src/guidance/restore/choose-restoration.ts';
import type { RunChoice } from '../../../../src/sessions/choose-run.ts';
import { DEFAULTS } from '../../../../src/settings/settings.ts';
import type { Run } from '../../../../src/state/types.ts';
import { makeProject, type Project } from '../../../support/project.ts';
import { aPhase, aRun, heldBy, HERE, NOW } from '../../../support/runs.ts';
import { change, createRun, storeOf } from '../../../support/store.ts';

/** Lists the runs, lets something else happen, then decides under the lock. */
function decideAfter(
  meanwhile: (project: Project, run: Run) => void,
  session = 'me',
): { choice: RunChoice; listed: Run[] } {
  const project = makeProject();
  const store = storeOf(project);
  const run = createRun(store, heldBy('me'));
  const listed = store.list().runs;
  meanwhile(project, run);
  const choice = store.transaction((tx) =>
    decideUnderLock(tx, { ...inputIn(project, listed), session }),
  );
  return { choice, listed };
}

const inputIn = (
  { root }: Project,
  runs: Run[],
  transcript = '',
): RestorationInput => ({
  root,
  config: '/nowhere',
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

describe('a decision made before the lock was acquired', () => {
  test('is made again from the current runs if the run has changed', () => {
    const { choice } = decideAfter((project, { runId }) => {
      change(storeOf(project), runId, (state) => ({
        ...state,
        phase: aPhase({ current: 4 }),
      }));
    });
    expect(choice).toMatchObject({
      kind: 'run',
      run: { state: { phase: { current: 4 } } },
    });
  });

  test('is made again if a live session has taken the run', () => {
    const { choice } = decideAfter((project, { runId }) => {
      const live = heldBy('them', { environment: { hostname: hostname() } });
      change(storeOf(project), runId, (state) => ({ ...state, ...live }));
    });
    expect(choice.kind).toBe('none');
  });

  test('is made again if the run is gone', () => {
    const { choice } = decideAfter((project, { path }) =>
      rmSync(project.at(path)),
    );
    expect(choice).toEqual({ kind: 'none' });
  });

  test('stands if it names no run, whatever was created since', () => {
    const { choice } = decideAfter((project) => {
      createRun(storeOf(project), { workflow: 'Another' });
    }, 'another');
    expect(choice).toMatchObject({
      kind: 'undecided',
      candidates: [{ slug: 'feature' }],
    });
  });
});

describe('the transcript', () => {
  const PLANS = ['One', 'Two'].map((workflow) => ({
    workflow,
    source: { kind: 'plan' as const, path: `CLAUDE/Plan/${workflow}/PLAN.md` },
  }));
  const EDIT = {
    name: 'Edit',
    input: { file_path: 'CLAUDE/Plan/One/PLAN.md' },
  };
  const line = (call: object): string =>
    `${JSON.stringify({ type: 'assistant', message: { content: [{ type: 'tool_use', id: 'x', ...call }] } })}\n`;

  function decideWith(
    write: (project: Project, path: string) => void,
  ): RunChoice {
    const project = makeProject();
    const store = storeOf(project);
    for (const fields of PLANS) createRun(store, fields);
    write(project, 'transcript.jsonl');
    return decideRun(
      inputIn(project, store.list().runs, project.at('transcript.jsonl')),
    );
  }

  test.each<[string, (project: Project, path: string) => void]>([
    ['missing', () => undefined],
    [
      'broken',
      (project, path) =>
        project.write(path, '{"type":"assistant","tool_use"\n['),
    ],
    ['a FIFO', (project, path) => project.fifo(path)],
    [
      'deeply nested',
      (project, path) =>
        project.write(path, `"tool_use"${'['.repeat(500_000)}`),
    ],
    [
      'large, with the edit out of reach',
      (project, path) =>
        project.write(path, line(EDIT) + 'x'.repeat(9_000_000)),
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
  const named = candidateAnswer(summary, runs, 's1', {
    now: NOW,
    hostname: HERE,
  });
  expect(named).toBe(isNamed ? run : null);
});
