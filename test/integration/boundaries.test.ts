import { describe, expect, it } from 'vitest';
import type { StatusDocument } from '../../src/commands/json/documents.ts';
import { sandbox, type Sandbox } from '../support/cli.ts';
import { openServer } from '../support/mcp.ts';
import { hook, preCompact, sessionStart } from '../support/hooks.ts';
import { onlyRun, writeTree } from '../support/state.ts';

/** Too long to be given with the guidance. */
const LONG = 'line\n'.repeat(600);
const TAG = '**[BUDGET_PIVOT_FEEDBACK]:**';
const template = (context: string, preserve: string): string => `name: Cycle
description: Plans, codes, reviews
max_pivots: 4
steps:
  - {id: plan, type: action, instructions: Plan it.}
  - {id: code, type: action, instructions: Code it.}
  - {id: budget_review, type: action, instructions: Weigh it.}
transitions:
  - {from: plan, to: code, context: ${context}, preserve: [${preserve}]}
  - {from: budget_review, to: plan, context: ${context}, preserve: [${preserve}]}
`;

function cycle(
  context = 'clear',
  preserve = 'summary, plan, feedback',
): Sandbox {
  const box = sandbox({
    '.claude/holdfast/workflows/cycle.yaml': template(context, preserve),
  });
  done(
    box,
    's1',
    'start',
    '--template',
    'cycle',
    'THE-SHOP',
    '--set',
    'team=RED-TEAM',
  );
  done(box, 's1', 'update', '--artifact', 'spec=docs/SPEC-FILE.md');
  return box;
}

function done(box: Sandbox, session: string, ...words: string[]): string {
  const { code, stdout, stderr } = box.run(words, { session });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

function statusOf(box: Sandbox, session: string): StatusDocument {
  return JSON.parse(done(box, session, 'status', '--json'));
}

/** Lines in which the guidance names the run, which is called by its summary. */
const NAMES_RUN =
  /^(Workflow: THE-SHOP|\d\. Begin your next message with .*: .*THE-SHOP, Phase .*)\n/gm;

/** As the host does it: the conversation gets another id. */
function clear(box: Sandbox, session: string, next: string): string {
  hook(box, 'sessionend-clear', { session_id: session, reason: 'clear' });
  return sessionStart(box, next, 'clear').context;
}

const count = (text: string, of: string): number => text.split(of).length - 1;

describe('after a clear between two steps', () => {
  it('the guidance contains exactly what is preserved, and after the next compaction what was set since', () => {
    const box = cycle();
    done(box, 's1', 'update', '--set', 'region=NORTH');
    done(box, 's1', 'advance', '--output', 'THE-PLAN');
    const text = clear(box, 's1', 's2');
    expect(text.match(NAMES_RUN)).toHaveLength(2);
    expect(count(text, 'THE-SHOP')).toBe(2);
    expect(count(text, 'THE-PLAN')).toBe(1);
    expect(text).toContain('> Code it.');
    for (const lost of ['RED-TEAM', 'SPEC-FILE', 'NORTH', '\nContext\n'])
      expect(text).not.toContain(lost);
    done(
      box,
      's2',
      'update',
      '--set',
      'decided=USE-SQLITE',
      '--set',
      'region=SOUTH',
    );
    done(box, 's2', 'update', '--artifact', 'notes=docs/NOTES.md');
    preCompact(box, 's2');
    const { context: later } = sessionStart(box, 's2', 'compact');
    for (const kept of ['USE-SQLITE', 'SOUTH', 'NOTES.md', 'THE-PLAN'])
      expect(count(later, kept)).toBe(1);
    for (const lost of ['RED-TEAM', 'SPEC-FILE'])
      expect(later).not.toContain(lost);
  });

  it('keys of the context and of artifacts can be preserved too, and required reading is named once', () => {
    const box = cycle('clear', 'team, spec');
    for (const name of ['SPEC', 'PLAN'])
      writeTree(box.root, { [`docs/${name}-FILE.md`]: LONG });
    done(
      box,
      's1',
      'update',
      '--read',
      'docs/SPEC-FILE.md',
      '--read',
      'docs/PLAN-FILE.md',
    );
    done(
      box,
      's1',
      'advance',
      '--output',
      'THE-PLAN',
      '--artefact',
      'docs/PLAN-FILE.md',
    );
    const text = clear(box, 's1', 's2');
    for (const kept of ['RED-TEAM', 'SPEC-FILE', 'PLAN-FILE'])
      expect(count(text, kept)).toBe(1);
    expect(text.replaceAll(NAMES_RUN, '')).not.toContain('THE-SHOP');
    expect(text).not.toContain('THE-PLAN');
  });

  it('a preserved artifact is named by the path that it has', () => {
    const box = cycle('clear', 'spec');
    writeTree(box.root, { 'docs/SPEC-FILE.md': LONG });
    done(box, 's1', 'advance');
    expect(clear(box, 's1', 's2')).toMatch(/^- spec: docs\/SPEC-FILE\.md$/m);
  });

  it('what was made again after a pivot is given to the next iteration', () => {
    const yaml = `name: Twice\ndescription: x\nmax_pivots: 1\nsteps:
  - {id: refine, type: ralph, n: 2, instructions: Refine it.}
  - {id: review, type: action, instructions: Review it.}
transitions: [{from: review, to: refine, context: clear}]\n`;
    const box = sandbox({ '.claude/holdfast/workflows/twice.yaml': yaml });
    done(box, 's1', 'start', '--template', 'twice');
    for (const output of ['FIRST', 'SECOND'])
      done(box, 's1', 'advance', '--output', output);
    done(box, 's1', 'pivot', 'refine', '--feedback', 'AGAIN');
    clear(box, 's1', 's2');
    done(box, 's2', 'advance', '--output', 'BETTER');
    preCompact(box, 's2');
    expect(sessionStart(box, 's2', 'compact').context).toContain(
      'output of refine.1: BETTER',
    );
  });
});

describe('with more than fits', () => {
  it('every preserved item and the note about reverting are still included', () => {
    const keys = Array.from({ length: 9 }, (_, index) => `fact${index}`);
    const box = cycle('clear', `plan, feedback, ${keys.join(', ')}`);
    const long = 'words of some length\n'.repeat(300);
    const facts = keys.flatMap((key) => [
      '--set',
      `${key}=${key.toUpperCase()} ${long}`,
    ]);
    const reminders = keys.flatMap((key) => [
      '--remind',
      `${key} ${'again '.repeat(60)}`,
    ]);
    done(box, 's1', 'update', ...facts, ...reminders);
    done(box, 's1', 'advance', '--output', `THE-PLAN ${long}`);
    done(box, 's1', 'advance');
    done(box, 's1', 'pivot', 'plan', '--feedback', `HALVE-IT ${long}`);
    const text = clear(box, 's1', 's2');
    expect(text.length).toBeLessThanOrEqual(8_000);
    expect(count(text, `${TAG} HALVE-IT`)).toBe(1);
    expect(count(text, 'Work done since then may have to be reverted')).toBe(1);
    for (const kept of ['THE-PLAN', ...keys.map((key) => key.toUpperCase())])
      expect(count(text, kept)).toBe(1);
    expect(
      text.split('\nPreserved')[1]?.match(/ more characters: `hold/g),
    ).toHaveLength(11);
  });
});

describe('after a compaction', () => {
  it.each(['compact', 'keep'])(
    'after a %s, preserved items come first and the rest follows',
    (context) => {
      const box = cycle(context);
      done(box, 's1', 'advance', '--output', 'THE-PLAN');
      preCompact(box, 's1');
      const { context: text } = sessionStart(box, 's1', 'compact');
      expect(text.match(NAMES_RUN)).toHaveLength(2);
      expect(count(text, 'THE-SHOP')).toBe(2);
      for (const kept of ['THE-PLAN', 'RED-TEAM', 'SPEC-FILE'])
        expect(count(text, kept)).toBe(1);
      expect(text.indexOf('\nPreserved\n')).toBeLessThan(
        text.indexOf('\nContext\n'),
      );
    },
  );
});

describe('feedback', () => {
  function sentBack(box: Sandbox, feedback = 'HALVE-IT'): void {
    done(box, 's1', 'advance', '--output', 'THE-PLAN');
    done(box, 's1', 'advance', '--output', 'THE-CODE');
    done(box, 's1', 'pivot', 'plan', '--feedback', feedback);
  }

  it('is in the guidance after the clear and in the instructions, once each, until its step is done', async () => {
    const box = cycle();
    sentBack(box);
    const text = clear(box, 's1', 's2');
    expect(count(text, `${TAG} HALVE-IT`)).toBe(1);
    expect(count(text, 'HALVE-IT')).toBe(1);
    expect(text).not.toContain('THE-CODE');
    const instructions = statusOf(box, 's2').step?.instructions ?? '';
    expect(count(instructions, TAG)).toBe(1);
    expect(done(box, 's2', 'status')).toContain(`${TAG} HALVE-IT`);
    const server = await openServer(box, { session: 's2' });
    expect(
      count(JSON.stringify(await server.call('workflow_status', {})), TAG),
    ).toBe(1);

    preCompact(box, 's2');
    expect(count(sessionStart(box, 's2', 'compact').context, TAG)).toBe(1);
    const next = done(box, 's2', 'advance', '--output', 'NEW-PLAN');
    expect(next).not.toContain('HALVE-IT');
    const preserved = clear(box, 's2', 's3');
    expect(count(preserved, TAG)).toBe(1);
    expect(statusOf(box, 's3').step?.instructions).toBe('Code it.');
  });

  it('and an output of 100 KB are kept whole', () => {
    const box = cycle('keep');
    const text = 'x'.repeat(100 * 1024);
    for (const words of [
      ['advance', '--output'],
      ['pivot', 'plan', '--feedback'],
    ])
      box.run([...words, '-'], { session: 's1', input: text });
    const { feedback = [], machine } = onlyRun(box.root);
    expect([feedback[0], machine]).toMatchObject([
      { text },
      { sentBack: { plan: `(sent back) ${text}` } },
    ]);
  });
});

describe('pivot', () => {
  it('is refused without feedback, to a later or unknown step, and in a run without a template', () => {
    const box = cycle();
    for (const [words, code, message] of [
      [['plan'], 2, "required option '--feedback <text>' not specified"],
      [['plan', '--feedback', ' \u200B'], 1, 'the feedback is blank'],
      [
        ['code', '--feedback', 'x'],
        1,
        'step "code" does not come before the current step "plan"',
      ],
      [['plann', '--feedback', 'x'], 1, 'this workflow has no step "plann"'],
    ] as const) {
      const { stderr } = box.run(['pivot', ...words], { code, session: 's1' });
      expect(stderr).toContain(message);
    }
    box.run(['start', 'Shop', '--switch'], { session: 's1' });
    const { stderr } = box.run(['pivot', 'x', '--feedback', 'y'], {
      code: 1,
      session: 's1',
    });
    expect(stderr).toMatch(/holdfast update shop-\S+ --phase/);
  });

  it('warns from the third on, and shows in history', () => {
    const box = cycle('keep');
    const round = (): string => {
      done(box, 's1', 'advance', '--output', 'OLD');
      done(box, 's1', 'advance');
      return done(box, 's1', 'pivot', 'plan', '--feedback', 'AGAIN');
    };
    expect([round(), round()].join('')).not.toContain('Warning');
    expect(round()).toContain('This run went back 3 times, of 4');
    round();
    expect(statusOf(box, 's1').warnings).toEqual([
      expect.stringContaining('the next pivot is refused'),
    ]);
    expect(
      count(
        done(box, 's1', 'history'),
        'went back from budget_review to plan: AGAIN',
      ),
    ).toBe(4);
  });
});
