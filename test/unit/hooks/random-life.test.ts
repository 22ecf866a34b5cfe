import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { release } from '../../../src/commands/pause.ts';
import { resume, takeover } from '../../../src/commands/resume.ts';
import { newRun } from '../../../src/commands/start/new-run.ts';
import { startRun } from '../../../src/commands/start/start-run.ts';
import {
  makeOutput,
  type CommandContext,
} from '../../../src/commands/view/output.ts';
import { findProjectRoot } from '../../../src/files/environment.ts';
import {
  createHookContext,
  type HookContext,
  type Reply,
} from '../../../src/hooks/context.ts';
import { sessionEnd, sessionStart } from '../../../src/hooks/session.ts';
import { postCompact } from '../../../src/hooks/compaction.ts';
import { preCompact } from '../../../src/hooks/compaction.ts';
import { advanceRun } from '../../../src/runs/advance.ts';
import { findTargetRun } from '../../../src/runs/which-run.ts';
import { holderOf } from '../../../src/sessions/holder.ts';
import { isActive } from '../../../src/state/run.ts';
import { SessionRegistry } from '../../../src/sessions/session-registry.ts';
import { DEFAULTS } from '../../../src/settings/settings.ts';
import { LIVE_FOR } from '../../../src/state/live-for.ts';
import type { Run } from '../../../src/state/types.ts';
import { HoldfastError } from '../../../src/text/holdfast-error.ts';
import { makeProject, type Project } from '../../support/project.ts';
import { repetitions } from '../../support/repetitions.ts';
import { NOW } from '../../support/runs.ts';
import { STATE, storeOf } from '../../support/store.ts';

const PLANS = {
  One: 'CLAUDE/Plan/00001-one/PLAN.md',
  Two: 'CLAUDE/Plan/00002-two/PLAN.md',
} as const;
type PlanName = keyof typeof PLANS;

type Act = 'advance' | 'release' | 'resume' | 'takeover';

/** What the hooks may know, kept by the test itself: who held what, and who wrote what. */
class World {
  readonly project: Project = makeProject({
    '.git/HEAD': 'x',
    'packages/b/.claude/x.json': '{}',
  });
  readonly #config = join(this.project.outside, 'config');
  /** The sessions that are open in each of three clients. */
  readonly open: (string | undefined)[] = [undefined, undefined, undefined];
  readonly #folders = ['.', '.', '.'];
  /** Sessions that can be resumed; a client that was killed has not ended its session. */
  readonly left: string[] = [];
  readonly #killed = new Set<string>();
  /** The sessions before a session's clears, and itself. */
  readonly #lineage = new Map<string, string[]>();
  readonly #everHeld = new Map<string, Set<string>>();
  readonly #released = new Set<string>();
  readonly #wrote = new Set<string>();
  readonly #writtenAt = new Map<string, number>();
  readonly #began = new Map<string, number>();
  readonly #seen = new Map<string, number>();
  #answer: string | undefined;
  #now = NOW.getTime();
  #sessions = 0;
  #runs = 0;

  constructor() {
    mkdirSync(this.project.at('transcripts'));
  }

  pass(minutes: number): void {
    this.#now += minutes * 60_000;
  }

  cd(at: number): void {
    this.#folders[at] = this.#folders[at] === '.' ? 'packages/b' : '.';
  }

  begin(
    at: number,
    session: string | undefined,
    source: string,
    before: string[] = [],
  ): void {
    // The same call twice within two seconds would be one of a second installation.
    this.#now += 3_000;
    const id = session ?? `s${(this.#sessions += 1)}`;
    if (session === undefined) {
      this.#lineage.set(id, [...before, id]);
      this.#began.set(id, this.#now);
      this.project.write(`transcripts/${id}.jsonl`, '');
    }
    this.open[at] = id;
    this.#killed.delete(id);
    this.#call(at, sessionStart, 'SessionStart', { source });
    const isFree = (run: Run): boolean =>
      this.#isOwn(run, id) && !this.#isTaken(run, id);
    if (source === 'resume' && this.#active().some(isFree))
      expect(this.heldBy(id), `${id} finds its run again`).toBeDefined();
  }

  end(at: number, reason: string): void {
    const session = this.open[at];
    if (session === undefined) return;
    this.#call(at, sessionEnd, 'SessionEnd', { reason });
    this.open[at] = undefined;
    this.left.push(session);
  }

  /** The client is killed, so SessionEnd never runs. */
  crash(at: number): void {
    const session = this.open[at];
    if (session === undefined) return;
    this.open[at] = undefined;
    this.left.push(session);
    this.#killed.add(session);
  }

  clear(at: number): void {
    const session = this.open[at];
    if (session === undefined) return;
    const before = this.heldBy(session);
    this.end(at, 'clear');
    this.begin(at, undefined, 'clear', this.#lineage.get(session));
    if (before !== undefined)
      expect(this.heldBy(this.open[at] ?? '')?.runId, 'it is handed over').toBe(
        before.runId,
      );
  }

  compact(at: number, answers: boolean): void {
    const session = this.open[at];
    if (session === undefined) return;
    this.#now += 3_000;
    const asked =
      this.#call(at, preCompact, 'PreCompact', { trigger: 'manual' }) ?? '';
    this.#now += 3_000;
    const given =
      this.#call(at, sessionStart, 'SessionStart', { source: 'compact' }) ?? '';
    const held = this.heldBy(session)?.state.workflow;
    const named = /(?:"|\\n)(?:Workflow|Workflow in progress): (.*?)\\n/.exec(
      given,
    )?.[1];
    expect(named, 'the guidance is of the held run').toBe(held);
    if (held !== undefined) expect(asked).toContain(held);
    const isUndecided = asked.includes('holdfast run:');
    expect(given.includes('"WORKFLOWS IN PROGRESS')).toBe(isUndecided);
    this.#answer =
      answers && isUndecided
        ? /[a-z0-9-]+-\d{8}_\d{6}/.exec(asked)?.[0]
        : undefined;
    const compact_summary = `Done.\n${this.#answer ? `holdfast run: ${this.#answer}\n` : ''}`;
    this.#call(at, postCompact, 'PostCompact', { compact_summary });
    this.#answer = undefined;
  }

  edit(at: number, name: PlanName): void {
    const session = this.open[at];
    if (session === undefined) return;
    const path = PLANS[name];
    this.project.write(
      path,
      `# Plan: ${name}\n\n**Status**: 🔄 In Progress\n\n### Phase 1: A 🔄\n`,
    );
    const input = { file_path: this.project.at(path) };
    const content = [
      { type: 'tool_use', id: `t${this.#now}`, name: 'Edit', input },
    ];
    const line = JSON.stringify({ type: 'assistant', message: { content } });
    appendFileSync(
      this.project.at(`transcripts/${session}.jsonl`),
      `${line}\n`,
    );
    this.#writtenAt.set(name, this.#now);
    this.#wrote.add(`${session} ${name}`);
  }

  async start(at: number | 'terminal'): Promise<void> {
    const phase = {
      current: 1,
      total: 9,
      name: 'A',
      status: 'in_progress' as const,
    };
    const name = `Run ${(this.#runs += 1)}`;
    await this.#command(at, undefined, 'start', (context) =>
      startRun(
        context,
        { ...newRun(context, name), phase },
        { switches: false },
      ),
    );
  }

  /** A command on the run that is meant, or on one that is named. */
  async act(at: number | 'terminal', act: Act, which?: number): Promise<void> {
    const runs = this.#active().toSorted((a, b) =>
      a.runId < b.runId ? -1 : 1,
    );
    const named =
      which === undefined ? undefined : runs[which % Math.max(1, runs.length)];
    if (which !== undefined && named === undefined) return;
    const run = named?.runId;
    const session = at === 'terminal' ? null : this.open[at];
    const ownsNone =
      typeof session === 'string' && this.#own(session).length === 0;
    const isTheirs =
      act !== 'takeover' && named && this.#isTaken(named, session ?? null);
    const refusal = await this.#command(at, named, act, (context) => {
      if (act === 'advance') {
        const target = findTargetRun(context, run);
        return advanceRun(context, context.caller, target, { artefacts: [] });
      }
      if (act === 'release') return release.run(context, { run });
      return (act === 'resume' ? resume : takeover).run(context, {
        run: run ?? '',
      });
    });
    if (session === null && named && act !== 'takeover')
      expect(refusal).toBeNull();
    if (typeof session !== 'string') return;
    if (named === undefined)
      expect(['no_own_run', 'no_workflow'].includes(refusal ?? '')).toBe(
        ownsNone,
      );
    else expect(refusal).toBe(isTheirs ? 'held_by_other' : null);
  }

  heldBy(session: string): Run | undefined {
    return this.#active().find((run) => holderOf(run.state) === session);
  }

  /** A session changes its own run, and another one only if it names it and no live session holds that. */
  async #command(
    at: number | 'terminal',
    named: Run | undefined,
    act: Act | 'start',
    work: (context: CommandContext) => unknown,
  ): Promise<string | null> {
    const session = at === 'terminal' ? null : this.open[at];
    if (session === undefined) return null;
    this.#now += 3_000;
    this.#dateFiles();
    const before = this.#all();
    const active = this.#active();
    const isTheirs =
      named && act !== 'takeover' && session && this.#isTaken(named, session);
    const may = named === undefined || isTheirs ? [] : [named];
    if (session !== null) may.push(...this.#own(session));
    else if (named === undefined && active.length === 1) may.push(...active);
    let refusal: string | null = null;
    try {
      await work({
        root: this.project.root,
        cwd: this.project.root,
        launchFolder: this.project.root,
        session,
        client: null,
        registry: new SessionRegistry(this.#config, this.#now),
        config: this.#config,
        environment: { PATH: process.env['PATH'] },
        settings: DEFAULTS,
        store: storeOf(this.project),
        caller:
          session === null
            ? { kind: 'person', at: 'terminal' }
            : { kind: 'agent', via: 'shell', session },
        warn: () => undefined,
        hostname: hostname(),
        now: new Date(this.#now),
        command: 'test',
        output: makeOutput(false),
        hasHooks: () => false,
      });
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error;
      refusal = error.code;
    }
    if (session === null && act === 'takeover') expect(refusal).not.toBeNull();
    const after = this.#all();
    const hasChanged = (id: string): boolean =>
      JSON.stringify(before.get(id)?.state) !==
      JSON.stringify(after.get(id)?.state);
    const allowed = refusal === null ? may.map(({ runId }) => runId) : [];
    for (const id of before.keys())
      if (hasChanged(id))
        expect(allowed, `${session} changes ${id}, ${refusal}`).toContain(id);
    if (refusal !== null) return refusal;
    for (const [id, { state }] of before) {
      const holder = holderOf(state);
      const next = after.get(id);
      if (holder && next && holderOf(next.state) === null)
        this.#released.add(`${holder} ${id}`);
    }
    if (session === null) return null;
    if (named && act === 'release')
      this.#released.add(`${session} ${named.runId}`);
    else if (named) this.#released.delete(`${session} ${named.runId}`);
    const held = this.heldBy(session)?.runId;
    if (held === undefined || !hasChanged(held)) return null;
    this.#seen.set(session, this.#now);
    this.#everHeld.set(
      held,
      (this.#everHeld.get(held) ?? new Set()).add(session),
    );
    this.#released.delete(`${session} ${held}`);
    return null;
  }

  #call(
    at: number,
    handler: (context: HookContext) => Reply,
    event: string,
    fields: Record<string, string>,
  ): Reply {
    const session = this.open[at] ?? '';
    this.#dateFiles();
    const before = this.#all();
    const problems: string[] = [];
    const cwd = this.project.at(this.#folders[at] ?? '.');
    const raw = {
      ...fields,
      transcript_path: this.project.at(`transcripts/${session}.jsonl`),
    };
    const input = { event, session, cwd, raw };
    const context = createHookContext(input, {
      root: findProjectRoot(cwd, this.project.outside),
      isFolderGiven: false,
      environment: {
        CLAUDE_CONFIG_DIR: this.#config,
        CLAUDE_PROJECT_DIR: this.project.root,
      },
      now: new Date(this.#now),
      note: (problem) => problems.push(problem),
    });
    const reply = handler({
      ...context,
      client: { pid: `10${at}`, start: `boot-ns-10${at}` },
    });
    expect(problems).toEqual([]);
    for (const [id, run] of this.#all())
      this.#checkHolder(run, before.get(id), session);
    if (event !== 'SessionEnd') this.#seen.set(session, this.#now);
    return reply;
  }

  /** A hook may only make the session that it was called for a holder, and only of a run that is not another's. */
  #checkHolder(
    { runId, state }: Run,
    last: Run | undefined,
    session: string,
  ): void {
    const holder = holderOf(state);
    const before = last === undefined ? null : holderOf(last.state);
    if (holder === null || holder === before) return;
    const { workflow } = state;
    const holders = this.#everHeld.get(runId) ?? new Set();
    const lineage = this.#lineage.get(session) ?? [];
    expect(holder).toBe(session);
    expect(
      before === null || lineage.includes(before) || !this.#isLive(before),
      `${session} took ${workflow} from ${before}, which is live`,
    ).toBe(true);
    const hasEvidence =
      this.#wrote.has(`${session} ${workflow}`) ||
      (this.#writtenAt.get(workflow) ?? 0) >
        (this.#began.get(session) ?? Infinity);
    expect(
      holders.size === 0 ||
        lineage.some((id) => holders.has(id)) ||
        hasEvidence ||
        this.#answer === runId,
      `${workflow} of ${[...holders].join()} was given to ${session}`,
    ).toBe(true);
    expect(
      this.#released.has(`${session} ${runId}`),
      'a released run came back',
    ).toBe(false);
    this.#everHeld.set(runId, holders.add(session));
  }

  #isOwn({ runId }: Run, session: string): boolean {
    const isHeld = this.#everHeld.get(runId)?.has(session) === true;
    return isHeld && !this.#released.has(`${session} ${runId}`);
  }

  /** The run that it holds; without one, those that it held before and that are nobody else's now. */
  #own(session: string): Run[] {
    const held = this.#active().filter(
      ({ state }) => holderOf(state) === session,
    );
    if (held.length > 0) return held;
    return this.#active().filter(
      (run) => this.#isOwn(run, session) && !this.#isTaken(run, session),
    );
  }

  /** Whether a session that the hooks must take for live, and that is not this one, holds the run. */
  #isTaken({ state }: Run, session: string | null): boolean {
    const holder = holderOf(state);
    return holder !== null && holder !== session && this.#isLive(holder);
  }

  #isLive(session: string): boolean {
    const seen = this.#seen.get(session);
    if (seen === undefined || this.#now - seen > LIVE_FOR) return false;
    return this.open.includes(session) || this.#killed.has(session);
  }

  #all(): Map<string, Run> {
    const { runs } = storeOf(this.project).list();
    return new Map(runs.map((run) => [run.runId, run]));
  }

  #active(): Run[] {
    return [...this.#all().values()].filter(isActive);
  }

  check(): void {
    const holders = this.#active().flatMap(
      ({ state }) => holderOf(state) ?? [],
    );
    expect(new Set(holders).size, 'a session holds one run').toBe(
      holders.length,
    );
  }

  /** The files that were written just now get the time of this world. */
  #dateFiles(): void {
    const now = new Date(this.#now);
    for (const folder of [STATE, 'CLAUDE'].filter((name) =>
      this.project.exists(name),
    ))
      for (const name of readdirSync(this.project.at(folder), {
        recursive: true,
        encoding: 'utf8',
      })) {
        const path = this.project.at(join(folder, name));
        if (/\.(?:json|md)$/.test(name) && statSync(path).mtimeMs >= STARTED)
          utimesSync(path, now, now);
      }
  }
}

/** Real time is far from that of a life. */
const STARTED = Date.now() - 60_000;

type Step = [string, (world: World) => void | Promise<void>];

const slot = fc.nat({ max: 2 });
const which = fc.nat({ max: 9 });
const step = (
  name: string,
  run: (world: World, at: number) => void | Promise<void>,
) => slot.map((at): Step => [`${name} in ${at}`, (world) => run(world, at)]);

const steps: fc.Arbitrary<Step> = fc.oneof(
  step('open', (world, at) => {
    world.end(at, 'prompt_input_exit');
    world.begin(at, undefined, 'startup');
  }),
  step('exit', (world, at) => world.end(at, 'prompt_input_exit')),
  fc.tuple(slot, which).map(([at, n]): Step => [
    `come back to ${n} in ${at}`,
    (world) => {
      const session = world.left[n % Math.max(1, world.left.length)];
      if (session === undefined || world.open.includes(session)) return;
      world.end(at, 'resume');
      world.begin(at, session, 'resume');
    },
  ]),
  step('crash', (world, at) => world.crash(at)),
  step('clear', (world, at) => world.clear(at)),
  step('compact', (world, at) => world.compact(at, false)),
  step('compact and answer', (world, at) => world.compact(at, true)),
  step('cd', (world, at) => world.cd(at)),
  fc
    .constantFrom(1, 30, 13 * 60)
    .map((minutes): Step => [
      `${minutes} minutes`,
      (world) => world.pass(minutes),
    ]),
  step('edit One', (world, at) => world.edit(at, 'One')),
  step('edit Two', (world, at) => world.edit(at, 'Two')),
  step('start', (world, at) => world.start(at)),
  step('advance', (world, at) => world.act(at, 'advance')),
  step('release', (world, at) => world.act(at, 'release')),
  fc
    .tuple(
      slot,
      fc.constantFrom<Act>('advance', 'release', 'resume', 'takeover'),
      which,
    )
    .map(([at, act, n]): Step => [
      `${act} run ${n} in ${at}`,
      (world) => world.act(at, act, n),
    ]),
  fc.constant<Step>([
    'start in a terminal',
    (world) => world.start('terminal'),
  ]),
  fc
    .tuple(fc.constantFrom<Act>('advance', 'release', 'takeover'), which)
    .map(([act, n]): Step => [
      `${act} ${n} elsewhere`,
      (world) => world.act('terminal', act, n),
    ]),
);

test('a random life: every session keeps its own run, is never given that of another, and changes none', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(0, 2, 3),
      fc.array(steps, { minLength: 5, maxLength: 30, size: 'max' }),
      async (workers, life) => {
        const world = new World();
        for (let at = 0; at < workers; at += 1) {
          world.begin(at, undefined, 'startup');
          await world.start(at);
        }
        for (const [, run] of life) {
          await run(world);
          world.check();
        }
      },
    ),
    { numRuns: repetitions(60) },
  );
});
