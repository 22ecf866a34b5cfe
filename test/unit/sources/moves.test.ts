import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SourceStatus } from '../../../src/sources/types.ts';
import { holderOf } from '../../../src/sessions/holder.ts';
import type { RunState } from '../../../src/state/types.ts';
import { planSync } from '../../../src/sources/plan-sync.ts';
import { repetitions } from '../../support/repetitions.ts';
import { LOCAL_FILE } from '../../support/runs.ts';
import { active, SourceWorld } from '../../support/source-world.ts';

const PLAN = 'CLAUDE/Plan/1-auth/PLAN.md';
const OTHER = 'CLAUDE/Plan/2-billing/PLAN.md';

type Step = (world: SourceWorld) => void;
const sync: Step = (world) => world.sync();

function play(steps: readonly Step[]): SourceWorld {
  const world = new SourceWorld();
  for (const act of steps) act(world);
  return world;
}

/**
 * `Auth 2` is phase B of A to E, `Auth! 2` phase 2 of two that only this name has, `Auth@ 2` one that requires spec.md,
 * `Auth+ 2` one with another reminder, `Auth- 2` one without phases; `paused Auth 2` says paused.
 */
function readingOf(text: string): SourceStatus {
  const [, state = 'active', name = 'Auth', sign = '', phase = '1'] =
    /^(?:(paused|unclear|finished|cancelled|not_started) ?)?(\w+)?([!@+-])? ?(\d)?$/.exec(
      text,
    ) ?? [];
  const fields = {
    '!': { phases: [name, `more of ${name}`] },
    '@': { required_reading: ['@spec.md'] },
    '+': { key_reminders: ['x'] },
    '-': { phases: [] },
  }[sign];
  return { ...active(name, Number(phase), fields), state } as SourceStatus;
}

/** `plan Auth 2`, `local Auth 1 + Billing 2`, `plan gone`, and what commands and people do. */
function stepOf(text: string): Step {
  const [verb = '', ...words] = text.trim().split(' ');
  const rest = words.join(' ');
  const setStatus =
    (status: 'paused' | 'in_progress') => (state: RunState) => ({
      ...state,
      status,
    });
  const acts: Record<string, Step> = {
    sync,
    advance: (world) => world.advance('Auth'),
    goto: (world) => world.goTo('Auth', Number(rest)),
    edit: (world) =>
      world.change('Auth', (state) => ({
        ...state,
        phase: { ...state.phase, current: Number(rest), name: '' },
      })),
    hold: (world) => world.hold(rest || 'Auth', 's1'),
    adopt: (world) =>
      world.change('Auth', (state) => ({ ...state, adopted: true })),
    pause: (world) => world.change('Auth', setStatus('paused')),
    resume: (world) => world.change('Auth', setStatus('in_progress')),
    complete: (world) => world.complete('Auth'),
    reopen: (world) => world.reopen('Auth'),
    remove: (world) => world.remove('Auth'),
    on: (world) => world.checkout(rest),
    days: (world) => void (world.clock += Number(rest) * 24 * 3_600_000),
  };
  const path = { plan: PLAN, local: LOCAL_FILE }[verb];
  const act = acts[verb];
  if (act !== undefined) return act;
  if (path === undefined) throw new Error(`nobody can do this: ${text}`);
  if (rest === 'gone') return (world) => void world.files.delete(path);
  if (rest === 'unreadable')
    return (world) =>
      world.files.set(path, [{ kind: 'plan', path, state: 'unreadable' }]);
  return (world) =>
    world.write(
      path,
      ...(rest === 'none' ? [] : rest.split(' & ').map(readingOf)),
    );
}

/** `Auth 2 paused @s1`. */
function shown(state: RunState): string {
  const { workflow, phase, status = 'in_progress' } = state;
  const holder = holderOf(state);
  return [
    `${workflow} ${phase.current}`,
    ...(status === 'in_progress' ? [] : [status]),
    ...(holder === null ? [] : [`@${holder}`]),
  ].join(' ');
}

/** The runs, and after a `/` those in the archive. */
function shownAll({ runs, archive }: SourceWorld): string {
  const list = (states: RunState[]): string => states.map(shown).join(', ');
  const ended = list([...archive.values()]);
  return `${list(runs.map(({ state }) => state))}${ended === '' ? '' : ` / ${ended}`}`.trim();
}

/**
 * A title, what happens, the runs that there are then, and parts of what sessions were told or are offered where that
 * counts.
 */
describe.each([
  [
    'who set the phase',
    `
    the source’s phase follows it: plan Auth 2, sync, plan Auth 4, sync => Auth 4
    and back: plan Auth 3, sync, plan Auth 1, sync => Auth 1
    a command’s stays although the source is edited: plan Auth 1, sync, advance, advance, plan Auth+ 1, sync => Auth 3
    a late tick does not pull it back: plan Auth 1, sync, advance, advance, plan Auth 2, sync => Auth 3
    nor does a source that goes back: plan Auth 2, sync, advance, plan Auth 1, sync => Auth 3
    a source that gets ahead moves it: plan Auth 1, sync, advance, plan Auth 4, sync => Auth 4
    and may go back as far as what was recorded: plan Auth 1, sync, advance, plan Auth 4, sync, plan Auth 2, sync => Auth 2
    but not behind it: plan Auth 1, sync, advance, plan Auth 4, sync, plan Auth 1, sync => Auth 4
    a phase that was set back by a command stays: plan Auth 4, sync, goto 2, plan Auth+ 4, sync => Auth 2
    a phase written into the state file by hand stays: plan Auth 2, sync, edit 4, plan Auth 3, sync => Auth 4
    a branch with an older plan takes nothing away: plan Auth 2, sync, on feat, advance, on main, plan Auth 1, sync, on feat, sync => Auth 3
    but shows what it says of a phase that only sources set: plan Auth 1, on feat, plan Auth 3, sync, on main, sync => Auth 1
    `,
  ],
  [
    'what the source says',
    `
    paused pauses the run and tells its session: plan Auth 2, sync, hold, plan paused Auth 2, sync => Auth 2 paused @s1 => s1: CLAUDE/Plan/1-auth/PLAN.md says that Auth is paused
    in progress again goes on: plan Auth 2, sync, hold, plan paused Auth 2, sync, plan Auth 3, sync => Auth 3 @s1 => is paused; is active
    paused does not undo a resume: plan Auth 2, sync, plan paused Auth 2, sync, resume, sync, plan paused Auth 3, sync => Auth 3
    in progress does not undo a pause by a command: plan Auth 2, sync, pause, plan Auth 3, sync => Auth 3 paused
    cancelled cancels, and tells its session: plan Auth 2, sync, hold, plan cancelled, sync => / Auth 2 cancelled @s1 => is cancelled
    also a run that somebody wrote to: plan Auth 2, sync, adopt, plan cancelled, sync => / Auth 2 cancelled
    but not one that was reopened: plan Auth 2, sync, plan cancelled, sync, reopen, sync => Auth 2
    not started releases: plan Auth 2, sync, hold, plan not_started, sync => Auth 2 => is not started
    finished completes: plan Auth 2, sync, hold, plan finished, sync => / Auth 2 completed @s1 => is finished
    finished does not end what somebody wrote to: plan Auth 2, sync, advance, plan finished, sync => Auth 3 => nothing
    nor what somebody wrote into the state file: plan Auth 2, sync, edit 3, plan finished, sync => Auth 3
    a word that is not understood changes nothing: plan Auth 2, sync, hold, plan unclear Auth 2, sync => Auth 2 @s1 => nothing
    and feeds the run: plan Auth 2, sync, plan unclear Auth 3, sync => Auth 3
    and starts none: plan unclear Auth 2, sync =>
    nor does one that is paused: plan paused Auth 2, sync =>
    a file that cannot be read changes nothing: plan Auth 2, sync, plan unreadable, sync => Auth 2
    a section that says finished ends its run, not the others: local Auth 1 & Billing 2, sync, local finished Auth 1 & Billing 2, sync => Billing 2 / Auth 1 completed
    `,
  ],
  [
    'a section that changed',
    `
    a corrected name renames, also for the session that holds it: local Auht@ 2, sync, hold Auht, local Auth@ 2, sync => Auth 2 @s1 => nothing
    another workflow belongs to nobody, and a run of hooks alone is archived: local Auth! 1, sync, hold, local Billing! 1, sync => Billing 1 / Auth 1 cancelled @s1 => s1: CLAUDE.local.md no longer declares Auth
    a run that somebody wrote to stays with its session, which is told once: local Auth! 1, sync, hold, adopt, local Billing! 1, sync, sync, local Billing! 2, sync => Auth 1 @s1, Billing 2 => stays with this session
    its section may come back: local Auth! 1, sync, adopt, local Billing! 1, sync, local Auth! 2, sync => Auth 2 / Billing 1 cancelled
    empty lists are not the same work: local Auth- 1, sync, local Billing- 1, sync => Billing 1 / Auth 1 cancelled
    the same work twice renames nothing: local Auth@ 1, sync, local One@ 1 & Two@ 1, sync => One 1, Two 1 / Auth 1 cancelled
    a section that is gone archives the run of hooks alone: local Auth 1, sync, hold, local none, sync => / Auth 1 cancelled @s1 => CLAUDE.local.md no longer declares Auth
    and leaves another one: local Auth 1, sync, hold, adopt, local gone, sync => Auth 1 @s1 => CLAUDE.local.md was gone
    `,
  ],
  [
    'a run that ended',
    `
    a completed run does not come back when its Phase line catches up: local Auth 1, sync, complete, local Auth 5, sync => / Auth 1 completed => Auth was completed
    and is offered for 14 days: plan Auth 1, sync, complete, days 15, sync => / Auth 1 completed => nothing
    it comes back as a new run after it was gone here: local Auth 1, sync, complete, local none, sync, days 7, local Auth 1, sync => Auth 1 / Auth 1 completed => nothing
    also if it said finished meanwhile: plan Auth 3, sync, plan finished, sync, plan Auth 1, sync => Auth 1 / Auth 3 completed
    not if it was gone on another branch only: plan Auth 1, sync, complete, on other, plan gone, sync, on main, sync => / Auth 1 completed => Auth was completed
    nor on a branch whose plan is older: plan Auth 1, on feat, sync, plan finished, sync, on main, sync => / Auth 1 completed => Auth was completed
    a run whose folder was deleted has ended, too: plan Auth 1, sync, remove, sync, plan Auth 2, sync =>  => Auth was deleted
    a reopened run is fed again: plan Auth 1, sync, complete, reopen, plan Auth 3, sync => Auth 3 => nothing
    a branch switch brings the run back from the archive: on feat, plan Auth 2, sync, hold, on bare, plan gone, sync, on feat, sync => Auth 2 @s1 => was gone
    a recurring one starts anew: local Auth 3, sync, local none, sync, local Auth 1, sync => Auth 1 / Auth 3 cancelled
    `,
  ],
])('%s', (_subject, table) => {
  const rows = table
    .trim()
    .split('\n')
    .map((row) => row.split('=>').map((cell) => cell.trim()));
  test.each(rows)('%s', (what = '', runs = '', words = '') => {
    const world = play(
      what
        .slice(what.indexOf(': ') + 2)
        .split(', ')
        .map(stepOf),
    );
    expect(shownAll(world)).toBe(runs);
    const parts = words === 'nothing' ? [] : words.split('; ');
    const said = [...world.told, ...world.offers];
    if (words !== '')
      expect(said).toEqual(
        parts.map((part) => expect.stringContaining(part) as string),
      );
    expect(planSync(world.input)).toMatchObject({
      changes: [],
      records: world.records,
    });
  });
});

describe('a phase before the current one that nobody has passed', () => {
  const plan =
    (current: number, phases: string[], undone: number[]): Step =>
    (world) =>
      world.write(PLAN, active('Auth', current, { phases, undone }));
  const three = plan(3, ['A', 'B', 'C'], []);
  const four = plan(4, ['A', 'New', 'B', 'C'], [2]);
  test.each<[string, Step[], number[] | undefined]>([
    ['is open if it was inserted unmarked', [three, sync, four, sync], [2]],
    [
      'is not one that a command has passed',
      [
        plan(1, ['A', 'B', 'C'], []),
        sync,
        stepOf('advance'),
        plan(3, ['A', 'B', 'C'], [1, 2]),
        sync,
      ],
      [2],
    ],
  ])('%s', (_title, steps, undone) => {
    expect(play(steps).named('Auth')?.state.undone).toEqual(undone);
  });
});

/** The label is shown in a counterexample. */
const step = (label: string, act: Step): Step =>
  Object.assign((world: SourceWorld) => act(world), {
    [fc.toStringMethod]: () => label,
  });
const names = fc.constantFrom('Auth', 'Billing', 'Search');
const paths = fc.constantFrom(LOCAL_FILE, PLAN, OTHER);
const branches = fc.constantFrom('main', 'feat', 'fix');
const number = fc.integer({ min: 1, max: 5 });
const readings = fc
  .record({
    name: names,
    phase: number,
    state: fc.constantFrom(
      'active',
      'active',
      'active',
      'paused',
      'unclear',
      'finished',
    ),
  })
  .map(({ name, phase, state }): SourceStatus => ({
    ...active(name, phase),
    state,
  }));
const commands = fc.oneof(
  names.map((name) => step(`advance ${name}`, (world) => world.advance(name))),
  names.map((name) =>
    step(`hold ${name}`, (world) => world.hold(name, `of ${name}`)),
  ),
);
const edits = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(paths, readings)
      .map(([path, reading]) =>
        step(`write ${path} ${JSON.stringify(reading)}`, (world) =>
          world.write(path, reading),
        ),
      ),
  },
  paths.map((path) =>
    step(`delete ${path}`, (world) => void world.files.delete(path)),
  ),
  branches.map((branch) =>
    step(`checkout ${branch}`, (world) => world.checkout(branch)),
  ),
  names.map((name) =>
    step(`complete ${name}`, (world) => world.complete(name)),
  ),
  names.map((name) =>
    step(`delete the folder of ${name}`, (world) => world.remove(name)),
  ),
);
const history = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: edits },
    { weight: 2, arbitrary: commands },
    { weight: 4, arbitrary: fc.constant(step('sync', sync)) },
  ),
  { maxLength: 30 },
);
const cases = { numRuns: repetitions(2_000) };

describe('any history', () => {
  test('a sync that follows a sync changes nothing', () => {
    fc.assert(
      fc.property(history, (steps) => {
        const world = play([...steps, sync]);
        expect(planSync(world.input)).toMatchObject({
          changes: [],
          records: world.records,
        });
      }),
      cases,
    );
  });

  test('no source and no branch takes back what a command recorded, or ends the run that it was recorded in', () => {
    const isEnding = (reading: SourceStatus): boolean =>
      reading.state === 'finished';
    const later = fc.array(
      fc.oneof(
        fc
          .tuple(
            paths,
            readings.filter((reading) => !isEnding(reading)),
          )
          .map(([path, reading]) =>
            step(`write ${path} ${JSON.stringify(reading)}`, (world) =>
              world.write(path, reading),
            ),
          ),
        paths.map((path) =>
          step(`delete ${path}`, (world) => void world.files.delete(path)),
        ),
        branches.map((branch) =>
          step(`checkout ${branch}`, (world) => world.checkout(branch)),
        ),
        fc.constant(step('sync', sync)),
      ),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(history, names, later, (before, name, after) => {
        const world = play([...before, sync]);
        world.advance(name);
        const recorded = world.named(name);
        if (recorded?.state.adopted !== true) return;
        for (const act of [...after, sync]) act(world);
        const now = world.runs.find(({ runId }) => runId === recorded.runId);
        expect(now?.state.phase.current).toBeGreaterThanOrEqual(
          recorded.state.phase.current,
        );
        expect(holderOf(now?.state ?? recorded.state)).toBe(
          holderOf(recorded.state),
        );
      }),
      cases,
    );
  });

  test('nothing that a session holds ends without a word to it', () => {
    fc.assert(
      fc.property(history, names, edits, (steps, name, edit) => {
        const world = play([...steps, sync]);
        world.hold(name, 'me');
        const mine = world.named(name);
        if (mine === undefined) return;
        edit(world);
        const isByCommand = world.runs.every(
          ({ runId }) => runId !== mine.runId,
        );
        world.sync();
        const now = world.runs.find(({ runId }) => runId === mine.runId);
        const isSame =
          now !== undefined && now.state.status === mine.state.status;
        if (!isByCommand && !isSame)
          expect(world.told.some((text) => text.startsWith('me: '))).toBe(true);
      }),
      cases,
    );
  });

  test('a run that has ended is never started again by a source that was not gone', () => {
    fc.assert(
      fc.property(
        history,
        names,
        fc.array(fc.tuple(number, fc.boolean()), { maxLength: 5 }),
        (steps, name, later) => {
          const world = play([
            ...steps,
            (one) => one.write(PLAN, active(name, 1)),
            sync,
          ]);
          const run = world.runs.find(
            ({ state }) =>
              state.source?.path === PLAN && state.workflow === name,
          );
          if (
            run === undefined ||
            world.runs.filter(({ state }) => state.workflow === name).length > 1
          )
            return;
          world.complete(name);
          const others = new Set(world.runs.map(({ runId }) => runId));
          for (const path of [LOCAL_FILE, OTHER]) world.files.delete(path);
          for (const [phase, isSynced] of later) {
            world.write(PLAN, active(name, phase));
            if (isSynced) world.sync();
          }
          world.sync();
          expect(world.runs.filter(({ runId }) => !others.has(runId))).toEqual(
            [],
          );
        },
      ),
      cases,
    );
  });
});
