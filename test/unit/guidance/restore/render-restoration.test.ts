import { describe, expect, test } from 'vitest';
import {
  chooseRestoration,
  withContextActionDone,
  type RestorationInput,
} from '../../../../src/guidance/restore/choose-restoration.ts';
import { decideRun } from '../../../../src/guidance/restore/restore-session.ts';
import {
  renderRestoration,
  type RenderedRestoration,
} from '../../../../src/guidance/restore/render-restoration.ts';
import { DEFAULTS } from '../../../../src/settings/settings.ts';
import type { RunState, Run } from '../../../../src/state/types.ts';
import { makeProject, type Project } from '../../../support/project.ts';
import {
  aPhase,
  aRun,
  aSaid,
  heldBy,
  HERE,
  localFile,
  minutesBefore,
  NOW,
} from '../../../support/runs.ts';

const run = (runId: string, fields: Partial<RunState> = {}): Run =>
  aRun(
    { created_at: minutesBefore(120), ...fields },
    { runId, modifiedAt: Date.parse(minutesBefore(10)) },
  );

function prepare(
  project: Project,
  fields: Partial<RestorationInput>,
): RenderedRestoration {
  const request = {
    root: project.root,
    config: '/nowhere',
    launchFolder: project.root,
    settings: DEFAULTS,
    runs: [],
    sources: [],
    session: 'me',
    source: 'compact',
    isAttended: true,
    now: NOW,
    hostname: HERE,
    transcript: project.at('transcript.jsonl'),
    ...fields,
  };
  const choice = chooseRestoration(decideRun(request), request);
  return renderRestoration(withContextActionDone(choice, request), request);
}

describe('a Phase line in CLAUDE.local.md that is behind the state', () => {
  const sentence = (
    fields: Parameters<typeof aSaid>[0],
  ): string | undefined => {
    const mine = run('mine', {
      ...heldBy('me'),
      phase: aPhase({ current: 3, name: 'Build' }),
    });
    const { text } = prepare(makeProject(), {
      runs: [mine],
      sources: [localFile(aSaid(fields))],
    });
    return text?.split('\n').find((line) => line.startsWith('This replaces'));
  };
  const replaces =
    'This replaces the Phase line of CLAUDE.local.md, which still says';
  const behind = { phase: { current: 1, total: 5 } };
  const there = `${replaces} 1/5. \`holdfast update  --phase 1\` goes there.`;

  test.each([
    ['an earlier number is reported as replaced', behind, there],
    [
      'so is that of the same workflow',
      { workflow: 'FEATURE!', ...behind },
      there,
    ],
    [
      'another name alone, too',
      { phase: { name: 'Design' } },
      `${replaces} Design.`,
    ],
    [
      'the same number is not',
      { phase: { current: 3, total: 5, name: 'Other' } },
      undefined,
    ],
    ['a later number is not', { phase: { current: 4, total: 5 } }, undefined],
    [
      'nor that of another workflow',
      { workflow: 'Other', ...behind },
      undefined,
    ],
  ])('%s', (_, fields, text) => {
    expect(sentence(fields)).toBe(text);
  });
});

describe('what a session is given', () => {
  const mine = run('mine', {
    ...heldBy('me'),
    required_reading: ['@a.md', '@gone.md'],
  });

  test('on resume, where its run stands, what changed and which command shows the rest', () => {
    const loaded = {
      artifact_id: '@a.md',
      loaded_at: minutesBefore(9),
      digest: 'old',
    };
    const of = (fields: Partial<RunState>): RenderedRestoration =>
      prepare(makeProject({ 'a.md': 'new' }), {
        runs: [run('mine', { ...heldBy('me'), ...fields })],
        source: 'resume',
      });
    const { text, guidance, userLine } = of({});
    expect(text).toBe(
      'This session works on Feature.\nPhase: 1/5 - Design (in_progress)\n`holdfast status mine` shows all of it. When done: holdfast advance',
    );
    expect(guidance).toBeNull();
    expect(userLine).toMatch(
      /^holdfast: this session works on Feature, phase 1\/5/,
    );
    const more = of({
      required_reading: ['@a.md'],
      context_metadata: { artifacts_in_context: [loaded] },
    }).text;
    expect(more).toContain(
      '\nNot in this conversation as they are now: @a.md. Load them with the Read tool.\n',
    );
  });

  test('on clear, workflow, phase and at most ten paths, and how to continue', () => {
    const required_reading = Array.from({ length: 12 }, (_, n) => `@${n}`);
    const cleared = run('mine', { ...heldBy('me'), required_reading });
    const { text, guidance, userLine } = prepare(makeProject({ '0': 'x' }), {
      runs: [cleared],
      source: 'clear',
    });
    expect(text?.split('\n')).toEqual([
      'A WORKFLOW WAS IN PROGRESS BEFORE THE CONTEXT WAS CLEARED',
      '',
      'Workflow: Feature',
      'Phase: 1/5 - Design (in_progress)',
      '',
      'Required reading',
      '@0',
      ...Array.from({ length: 9 }, (_, n) => `@${n + 1} (missing)`),
      '… 2 more: `holdfast status`',
      '',
      'This session still holds the run: continue with it if the user wants to (`holdfast guidance mine` shows everything about it). If this conversation is about something else, run `holdfast release`.',
    ]);
    expect(guidance).toBeNull();
    expect(userLine).toMatch(
      /^holdfast: Feature, phase 1\/5 - Design is still/,
    );
  });

  test('at startup an offer of three lines at most', () => {
    const runs = ['a', 'b', 'c', 'd'].map((id) =>
      run(id, { workflow: `Flow\n${id}` }),
    );
    const { text, userLine } = prepare(makeProject(), {
      runs,
      source: 'startup',
    });
    expect(text?.split('\n')).toHaveLength(3);
    expect(text).toContain(
      'Phase 1/5 - Design, started 2 hours ago, held by nobody; `holdfast resume',
    );
    expect(userLine).toMatch(
      /^holdfast: in progress here: (?:"Flow \w" \(phase [^)]+\),? ?){3}(?: and \d more|and \d more)?; type \/holdfast:resume <name> to continue one$/,
    );
  });

  test.each(['compact', 'clear', 'resume'])(
    'on %s the user learns of a blocked phase',
    (source) => {
      const phase = { ...mine.state.phase, status: 'blocked' as const };
      const blocked = run('mine', { ...mine.state, phase });
      const { userLine } = prepare(makeProject(), { runs: [blocked], source });
      expect(userLine).toMatch(
        /phase 1\/5 - Design \(blocked\).*type "continue"/,
      );
    },
  );
});
