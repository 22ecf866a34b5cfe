import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HoldfastError } from '../../../src/errors/holdfast-error.ts';
import type { HookContext } from '../../../src/hooks/context.ts';
import { postCompact } from '../../../src/hooks/post-compact.ts';
import { preCompact } from '../../../src/hooks/pre-compact.ts';
import type { Reply } from '../../../src/hooks/protocol.ts';
import { sessionEnd } from '../../../src/hooks/session-end.ts';
import { sessionStart } from '../../../src/hooks/session-start.ts';
import { advanceRun } from '../../../src/operations/advance.ts';
import { newRun } from '../../../src/operations/new-run.ts';
import type { OperationContext } from '../../../src/operations/open-project.ts';
import { releaseRuns } from '../../../src/operations/release.ts';
import { startRun } from '../../../src/operations/start.ts';
import { holderOf } from '../../../src/sessions/holder.ts';
import { isActive } from '../../../src/sessions/select-run.ts';
import { SessionRegistry } from '../../../src/sessions/session-registry.ts';
import { LIVE_FOR } from '../../../src/state/live-for.ts';
import type { StoredRun } from '../../../src/state/types.ts';
import { isObject } from '../../../src/util/json.ts';
import { makeProject, type Project } from '../../support/project.ts';
import { repetitions } from '../../support/repetitions.ts';
import { NOW } from '../../support/runs.ts';
import { storeOf } from '../../support/store.ts';
import { contextIn } from '../operations/support.ts';
import { hookContext } from './support.ts';

/** A file that a session can edit, and the workflow that it declares. */
const SOURCES = {
  Local: 'CLAUDE.local.md',
  One: 'CLAUDE/Plan/00001-one/PLAN.md',
  Two: 'CLAUDE/Plan/00002-two/PLAN.md',
} as const;
type SourceName = keyof typeof SOURCES;

const contentOf = (name: SourceName, phase: number): string =>
  name === 'Local'
    ? `# Mine\n\n## Current Workflow State\n\n**Workflow**: Local\n**Phase**: ${phase}/9 - P${phase}\n`
    : `# Plan: ${name}\n\n**Status**: 🔄 In Progress\n\n${[1, 2, 3, 4, 5, 6, 7, 8, 9]
        .map((n) => `### Phase ${n}: P${n} ${n < phase ? '✅' : n === phase ? '🔄' : ''}\n`)
        .join('\n')}`;

interface Client {
  pid: string;
  session: string;
  cwd: string;
}

/** What the hooks may know, kept by the test itself: who held what, and who wrote what. */
class World {
  readonly project: Project = makeProject();
  readonly clients: (Client | undefined)[] = [undefined, undefined, undefined];
  /** Sessions that can be resumed. */
  readonly left: string[] = [];
  /** When a client was killed: its session has not ended, so the hooks take it for live for as long as they may. */
  readonly killedAt = new Map<string, number>();
  /** The sessions before a session's clears, and itself. */
  readonly lineage = new Map<string, readonly string[]>();
  readonly everHeld = new Map<string, Set<string>>();
  readonly released = new Set<string>();
  readonly wrote = new Map<string, Set<string>>();
  /** The phase that each source declares now, and the one it declared when it was last merged. */
  readonly declared = new Map<string, number>();
  merged: ReadonlyMap<string, number> = new Map();
  #now = NOW.getTime();
  #sessions = 0;
  #runs = 0;
  #phase = 1;

  constructor() {
    this.project.write('.git/HEAD', 'x');
    this.project.write('packages/b/.claude/settings.json', '{}');
    mkdirSync(this.project.at('transcripts'));
  }

  pass(minutes: number): void {
    this.#now += minutes * 60_000;
  }

  newSession(): string {
    this.#sessions += 1;
    const session = `s${this.#sessions}`;
    this.lineage.set(session, [session]);
    this.project.write(`transcripts/${session}.jsonl`, '');
    return session;
  }

  open(slot: number, session: string, source: string): void {
    this.#now += 1_000;
    const client = { pid: String(100 + slot), session, cwd: this.project.root };
    this.clients[slot] = client;
    this.killedAt.delete(session);
    this.call(client, sessionStart, 'SessionStart', { source });
    const own = this.runs().filter((run) => this.#isOwn(run, session));
    const free = own.filter((run) => !this.#isHeldByLiveSession(run, session));
    if (source === 'resume' && free.length > 0)
      expect(this.heldBy(session), `${session} finds its run again`).toBeDefined();
  }

  end(slot: number, reason: string): void {
    const client = this.clients[slot];
    if (client === undefined) return;
    this.call(client, sessionEnd, 'SessionEnd', { reason });
    this.clients[slot] = undefined;
    this.left.push(client.session);
  }

  /** The client is killed, so SessionEnd never runs. */
  crash(slot: number): void {
    const client = this.clients[slot];
    if (client === undefined) return;
    this.clients[slot] = undefined;
    this.left.push(client.session);
    this.killedAt.set(client.session, this.#now);
  }

  clear(slot: number): void {
    const client = this.clients[slot];
    if (client === undefined) return;
    const before = this.heldBy(client.session);
    this.call(client, sessionEnd, 'SessionEnd', { reason: 'clear' });
    this.left.push(client.session);
    const session = this.newSession();
    this.lineage.set(session, [...(this.lineage.get(client.session) ?? []), session]);
    const next = { ...client, session };
    this.clients[slot] = next;
    this.#now += 500;
    this.call(next, sessionStart, 'SessionStart', { source: 'clear' });
    if (before !== undefined)
      expect(this.heldBy(session)?.runId, 'the clear hands the run over').toBe(before.runId);
    expect(this.registry().current(client.session), 'the old id stands for the new').toBe(session);
  }

  compact(slot: number, answer: boolean): void {
    const client = this.clients[slot];
    if (client === undefined) return;
    this.#now += 3_000;
    const phases = new Map(this.runs().map(({ runId, state }) => [runId, state.phase.current]));
    const asked = this.call(client, preCompact, 'PreCompact', { trigger: 'manual' });
    this.#now += 3_000;
    const given = this.call(client, sessionStart, 'SessionStart', { source: 'compact' });
    const named = (text: string): string | null =>
      /^(?:Workflow|Workflow in progress): (.*)$/m.exec(text)?.[1] ?? null;
    const held = this.heldBy(client.session);
    const context = contextOf(given);
    expect(named(context ?? ''), 'the guidance is of the held run').toBe(
      held?.state.workflow ?? null,
    );
    if (held !== undefined) {
      expect(asked).toContain(held.state.workflow);
      this.#checkPhase(held, phases.get(held.runId), context ?? '');
    }
    // In the package, a project of its own, a session without a run merges nothing here.
    if (held !== undefined || client.cwd === this.project.root)
      this.merged = new Map(this.declared);
    const isUndecided = asked?.includes('holdfast run:') === true;
    expect(context?.startsWith('WORKFLOWS IN PROGRESS') === true).toBe(isUndecided);
    const [candidate] = [...(asked ?? '').matchAll(/[a-z0-9-]+-\d{8}_\d{6}/g)].map(([id]) => id);
    const summary = answer && isUndecided ? `Done.\nholdfast run: ${candidate}\n` : 'Done.';
    this.call(client, postCompact, 'PostCompact', { compact_summary: summary });
  }

  /** A source that has changed is right; one that has not does not pull the phase back. */
  #checkPhase({ state }: StoredRun, before: number | undefined, guidance: string): void {
    const declared = this.declared.get(state.workflow);
    const hasChanged = declared !== this.merged.get(state.workflow);
    const expected = hasChanged ? declared : before;
    expect(guidance, 'what the newest source says is restored').toContain(
      `Phase: ${expected}/${state.phase.total}`,
    );
  }

  edit(slot: number, name: SourceName): void {
    const client = this.clients[slot];
    if (client === undefined) return;
    this.#phase = (this.#phase % 9) + 1;
    this.project.write(SOURCES[name], contentOf(name, this.#phase));
    this.declared.set(name, this.#phase);
    this.#recordEdit(client, SOURCES[name]);
    this.wrote.set(client.session, (this.wrote.get(client.session) ?? new Set()).add(name));
  }

  /** The agent edits the state file of its run by hand. */
  editState(slot: number): void {
    const client = this.clients[slot];
    const run = client === undefined ? undefined : this.heldBy(client.session);
    if (client === undefined || run === undefined) return;
    this.#phase = (this.#phase % 9) + 1;
    const phase = { ...run.state.phase, current: this.#phase };
    this.project.write(run.path, JSON.stringify({ ...run.state, phase }));
    this.#recordEdit(client, run.path);
  }

  #recordEdit({ session }: Client, path: string): void {
    const input = { file_path: this.project.at(path) };
    const block = { type: 'tool_use', id: `t${this.#now}`, name: 'Edit', input };
    const line = JSON.stringify({ type: 'assistant', message: { content: [block] } });
    appendFileSync(this.project.at(`transcripts/${session}.jsonl`), `${line}\n`);
  }

  async start(slot: number): Promise<void> {
    this.#runs += 1;
    const phase = { current: 1, total: 9, name: 'A', status: 'in_progress' as const };
    await this.#command(slot, (context) =>
      startRun(context, { ...newRun(context, `Run ${this.#runs}`), phase }, { switches: false }),
    );
  }

  async release(slot: number): Promise<void> {
    const session = this.clients[slot]?.session;
    const run = session === undefined ? undefined : this.heldBy(session);
    if (session === undefined || run === undefined) return;
    await this.#command(slot, (context) => releaseRuns(context, undefined));
    this.released.add(`${session} ${run.runId}`);
  }

  async advance(slot: number): Promise<void> {
    await this.#command(slot, (context) => advanceRun(context, undefined, { artefacts: [] }));
  }

  cd(slot: number): void {
    const client = this.clients[slot];
    if (client !== undefined)
      client.cwd =
        client.cwd === this.project.root ? this.project.at('packages/b') : this.project.root;
  }

  get now(): Date {
    return new Date(this.#now);
  }

  runs(): StoredRun[] {
    return storeOf(this.project)
      .list()
      .runs.filter((run) => isActive(run));
  }

  heldBy(session: string): StoredRun | undefined {
    return this.runs().find((run) => holderOf(run.state) === session);
  }

  registry(): SessionRegistry {
    return new SessionRegistry(join(this.project.outside, 'config'), this.#now);
  }

  call(
    client: Client,
    handler: (context: HookContext) => Reply,
    event: string,
    fields: Record<string, string>,
  ): Reply {
    const { session } = client;
    const before = new Map(this.runs().map((run) => [run.runId, holderOf(run.state)]));
    const problems: string[] = [];
    const context = hookContext(this.project, {
      event,
      session,
      cwd: client.cwd,
      raw: { ...fields, transcript_path: this.project.at(`transcripts/${session}.jsonl`) },
      now: this.now,
      note: (problem) => problems.push(problem),
    });
    const process = { pid: client.pid, start: `boot-ns-${client.pid}` };
    const reply = handler({ ...context, client: process });
    expect(problems).toEqual([]);
    for (const run of this.runs()) this.#checkHolder(run, before.get(run.runId) ?? null, session);
    return reply;
  }

  /** A hook may only make the session that it was called for a holder, and only of a run that is not another's. */
  #checkHolder(run: StoredRun, before: string | null, session: string): void {
    const holder = holderOf(run.state);
    if (holder === null || holder === before) return;
    const holders = this.everHeld.get(run.runId) ?? new Set();
    const lineage = this.lineage.get(session) ?? [];
    expect(holder).toBe(session);
    const isOwn = lineage.some((id) => holders.has(id));
    const hasEvidence = this.wrote.get(session)?.has(run.state.workflow) === true;
    expect(
      isOwn || holders.size === 0 || hasEvidence,
      `${run.state.workflow} of ${[...holders].join()} was given to ${session}`,
    ).toBe(true);
    expect(this.released.has(`${session} ${run.runId}`), 'a released run came back').toBe(false);
    this.everHeld.set(run.runId, holders.add(session));
  }

  #isOwn(run: StoredRun, session: string): boolean {
    return (
      this.everHeld.get(run.runId)?.has(session) === true &&
      !this.released.has(`${session} ${run.runId}`)
    );
  }

  #isHeldByLiveSession(run: StoredRun, except: string): boolean {
    const holder = holderOf(run.state);
    if (holder === null || holder === except) return false;
    const killed = this.killedAt.get(holder);
    return (
      this.clients.some((client) => client?.session === holder) ||
      (killed !== undefined && this.#now - killed <= LIVE_FOR)
    );
  }

  async #command(slot: number, work: (context: OperationContext) => unknown): Promise<void> {
    const session = this.clients[slot]?.session;
    if (session === undefined) return;
    const context = { ...contextIn(this.project, session), registry: this.registry() };
    const known = new Set(this.runs().map(({ runId }) => runId));
    try {
      await work({ ...context, now: this.now });
    } catch (error) {
      // Refused, for example because the session holds no run; what matters is who holds what afterwards.
      if (!(error instanceof HoldfastError)) throw error;
    }
    // A command that means a workflow which is only declared stores it, and merges all sources.
    const isStored = ({ runId, state }: StoredRun): boolean =>
      !known.has(runId) && state.source?.kind !== 'cli';
    if (this.runs().some(isStored)) this.merged = new Map(this.declared);
    const held = this.heldBy(session);
    if (held === undefined) return;
    this.everHeld.set(held.runId, (this.everHeld.get(held.runId) ?? new Set()).add(session));
    this.released.delete(`${session} ${held.runId}`);
  }
}

function contextOf(reply: Reply): string | null {
  const json: unknown = JSON.parse(reply ?? '{}');
  const output = isObject(json) ? json['hookSpecificOutput'] : undefined;
  const text = isObject(output) ? output['additionalContext'] : undefined;
  return typeof text === 'string' ? text : null;
}

type Step = (world: World) => void | Promise<void>;

const slot = fc.nat({ max: 2 });
const onSlot = (
  name: string,
  step: (world: World, at: number) => void | Promise<void>,
): fc.Arbitrary<[string, Step]> => slot.map((at) => [`${name} ${at}`, (world) => step(world, at)]);

const steps: fc.Arbitrary<[string, Step]> = fc.oneof(
  onSlot('open', (world, at) => {
    world.end(at, 'prompt_input_exit');
    world.open(at, world.newSession(), 'startup');
  }),
  onSlot('exit', (world, at) => world.end(at, 'prompt_input_exit')),
  fc.tuple(slot, fc.nat({ max: 5 })).map(([at, which]): [string, Step] => [
    `resume ${which} in ${at}`,
    (world) => {
      const session = world.left[which % Math.max(1, world.left.length)];
      if (session === undefined || world.clients.some((client) => client?.session === session))
        return;
      world.end(at, 'resume');
      world.open(at, session, 'resume');
    },
  ]),
  onSlot('crash', (world, at) => world.crash(at)),
  onSlot('clear', (world, at) => world.clear(at)),
  onSlot('compact', (world, at) => world.compact(at, false)),
  onSlot('compact and answer', (world, at) => world.compact(at, true)),
  onSlot('start', (world, at) => world.start(at)),
  onSlot('advance', (world, at) => world.advance(at)),
  onSlot('release', (world, at) => world.release(at)),
  onSlot('edit the state', (world, at) => world.editState(at)),
  onSlot('cd', (world, at) => world.cd(at)),
  fc
    .tuple(slot, fc.constantFrom<SourceName>('Local', 'One', 'Two'))
    .map(([at, name]): [string, Step] => [
      `edit ${name} in ${at}`,
      (world) => world.edit(at, name),
    ]),
  fc
    .constantFrom(1, 30, 13 * 60)
    .map((minutes): [string, Step] => [`${minutes} minutes pass`, (world) => world.pass(minutes)]),
);

test('a random life: every session keeps its own run, as it stands now, and is never given that of another', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 30 }), async (life) => {
      const world = new World();
      for (const [, step] of life) await step(world);
    }),
    { numRuns: repetitions(200) },
  );
});
