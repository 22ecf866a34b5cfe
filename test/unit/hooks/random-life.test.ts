import { appendFileSync, mkdirSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HoldfastError } from '../../../src/text/holdfast-error.ts';
import { type HookContext, type Reply } from '../../../src/hooks/context.ts';
import { postCompact } from '../../../src/hooks/post-compact.ts';
import { preCompact } from '../../../src/hooks/pre-compact.ts';
import { sessionEnd } from '../../../src/hooks/session-end.ts';
import { sessionStart } from '../../../src/hooks/session-start.ts';
import { userPromptSubmit } from '../../../src/hooks/user-prompt-submit.ts';
import { release } from '../../../src/commands/release.ts';
import { resume, takeover } from '../../../src/commands/resume.ts';
import { makeOutput, type CommandContext } from '../../../src/commands/view/output.ts';
import { advanceRun } from '../../../src/runs/advance.ts';
import { newRun } from '../../../src/commands/start/new-run.ts';
import {
  type OperationContext,
  currentSession,
  takeMessages,
} from '../../../src/sessions/open-project.ts';
import { startRun } from '../../../src/commands/start/start-run.ts';
import { update } from '../../../src/commands/update.ts';
import { holderOf } from '../../../src/sessions/holder.ts';
import { isActive } from '../../../src/sessions/select-run.ts';
import { SessionRegistry } from '../../../src/sessions/session-registry.ts';
import { LIVE_FOR } from '../../../src/state/live-for.ts';
import type { RunState, StoredRun } from '../../../src/state/types.ts';
import { isGuidanceDue } from '../../../src/state/store/hook-state.ts';
import { isObject } from '../../../src/text/json.ts';
import { makeProject, type Project } from '../../support/project.ts';
import { repetitions } from '../../support/repetitions.ts';
import { NOW } from '../../support/runs.ts';
import { STATE, storeOf } from '../../support/store.ts';
import { contextIn } from '../runs/support.ts';
import { hookContext } from './support.ts';

/** A file that a session can edit, and the workflow that it declares. */
const SOURCES = {
  Local: 'CLAUDE.local.md',
  One: 'CLAUDE/Plan/00001-one/PLAN.md',
  Two: 'CLAUDE/Plan/00002-two/PLAN.md',
} as const;
type SourceName = keyof typeof SOURCES;

const forCommand = (context: OperationContext): CommandContext => ({
  ...context,
  output: makeOutput(false),
  hasHooks: () => false,
});

const NO_INPUT = {
  phase: undefined,
  phases: undefined,
  name: undefined,
  status: undefined,
  read: [],
  remind: [],
  set: [],
  setLocal: [],
  artifact: [],
  unread: [],
  forget: [],
  unset: [],
};

const contentOf = (name: SourceName, phase: number): string =>
  name === 'Local'
    ? `# Mine\n\n## Current Workflow State\n\n**Workflow**: Local\n**Phase**: ${phase}/9 - P${phase}\n`
    : `# Plan: ${name}\n\n**Status**: 🔄 In Progress\n\n${[1, 2, 3, 4, 5, 6, 7, 8, 9]
        .map((n) => `### Phase ${n}: P${n} ${n < phase ? '✅' : n === phase ? '🔄' : ''}\n`)
        .join('\n')}`;

function phaseSaid({ source }: RunState): unknown {
  const phase = source?.said?.['phase'];
  return isObject(phase) ? phase['current'] : undefined;
}

interface Client {
  pid: string;
  session: string;
  cwd: string;
}

/** Who types a command: the client in a slot, or a person in a terminal. */
type Caller = number | 'terminal';

const CHANGES = ['advance', 'update', 'release'] as const;
type Change = (typeof CHANGES)[number];

/** A run that a command names; a workflow that is only declared has none yet. */
interface Named {
  name: string;
  run: StoredRun | undefined;
}

interface Command {
  work: (context: OperationContext) => unknown;
  named?: Named | undefined;
  /** Takes the named run also from a live session. */
  takesOver?: boolean;
  /** Lets go of the run instead of working on it. */
  releases?: boolean;
  starts?: boolean;
}

/** What a session must be told of a run. */
interface Waiting {
  runId: string;
  at: number;
}

/** `hook-state.ts` keeps so many for each session. */
const MAX_MESSAGES = 5;

/** What the hooks may know, kept by the test itself: who held what, and who wrote what. */
class World {
  readonly project: Project = makeProject();
  readonly clients: (Client | undefined)[] = [undefined, undefined, undefined];
  /** Sessions that can be resumed. */
  readonly left: string[] = [];
  /** Sessions whose client was killed: they have not ended, so the hooks take them for live for as long as they may. */
  readonly killed = new Set<string>();
  /** The sessions before a session's clears, and itself. */
  readonly lineage = new Map<string, readonly string[]>();
  readonly everHeld = new Map<string, Set<string>>();
  readonly released = new Set<string>();
  readonly wrote = new Map<string, Set<string>>();
  /** When a session began, and when its hold was last confirmed by a hook or by a change of its run. */
  readonly began = new Map<string, number>();
  readonly seen = new Map<string, number>();
  /** When each workflow's source was last written. */
  readonly writtenAt = new Map<string, number>();
  readonly waiting = new Map<string, Waiting[]>();
  /** The run that the summary of a compaction names. */
  #answer: string | null = null;
  /** The phase that each source declares now, and the one it declared when it was last merged. */
  readonly declared = new Map<string, number>();
  merged: ReadonlyMap<string, number> = new Map();
  #now = NOW.getTime();
  #sessions = 0;
  #runs = 0;
  #phase = 1;
  #updates = 0;

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
    // The same call twice within two seconds would be one of a second installation.
    this.#now += 3_000;
    if (!this.began.has(session)) this.began.set(session, this.#now);
    const client = { pid: String(100 + slot), session, cwd: this.project.root };
    this.clients[slot] = client;
    this.killed.delete(session);
    this.#begin(client, source);
    const own = this.runs().filter((run) => this.#isOwn(run, session));
    const free = own.filter((run) => !this.#isHeldByOther(run, session));
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
    this.killed.add(client.session);
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
    this.began.set(session, this.#now);
    this.#begin(next, 'clear');
    if (before !== undefined)
      expect(this.heldBy(session)?.runId, 'the clear hands the run over').toBe(before.runId);
    expect(currentSession(this.registry(), client.session), 'the old id stands for the new').toBe(
      session,
    );
  }

  compact(slot: number, answer: boolean): void {
    const client = this.clients[slot];
    if (client === undefined) return;
    this.#now += 3_000;
    const states = new Map(this.runs().map(({ runId, state }) => [runId, state]));
    const asked = this.call(client, preCompact, 'PreCompact', { trigger: 'manual' });
    this.#now += 3_000;
    const given = this.#begin(client, 'compact');
    const named = (text: string): string | null =>
      /^(?:Workflow|Workflow in progress): (.*)$/m.exec(text)?.[1] ?? null;
    const held = this.heldBy(client.session);
    const context = contextOf(given);
    expect(named(context ?? ''), 'the guidance is of the held run').toBe(
      held?.state.workflow ?? null,
    );
    if (held !== undefined) {
      expect(asked).toContain(held.state.workflow);
      this.#checkPhase(held, states.get(held.runId), context ?? '');
    }
    // In the package, a project of its own, a session without a run merges nothing here.
    if (held !== undefined || client.cwd === this.project.root)
      this.merged = new Map(this.declared);
    const isUndecided = asked?.includes('holdfast run:') === true;
    expect(context?.startsWith('WORKFLOWS IN PROGRESS') === true).toBe(isUndecided);
    const [candidate] = [...(asked ?? '').matchAll(/[a-z0-9-]+-\d{8}_\d{6}/g)].map(([id]) => id);
    this.#answer = (answer && isUndecided ? candidate : undefined) ?? null;
    const summary = this.#answer === null ? 'Done.' : `Done.\nholdfast run: ${this.#answer}\n`;
    this.call(client, postCompact, 'PostCompact', { compact_summary: summary });
    this.#answer = null;
  }

  /** A session that starts is told what waits for it, if it starts in this project. */
  #begin(client: Client, source: string): ReturnType<World['call']> {
    const reply = this.call(client, sessionStart, 'SessionStart', { source });
    if (storeOf(this.project).hookState().messages[client.session] !== undefined) return reply;
    for (const { runId, at } of this.waiting.get(client.session) ?? [])
      if (this.#now - at < LIVE_FOR) expect(JSON.stringify(reply)).toContain(runId);
    this.waiting.delete(client.session);
    return reply;
  }

  /** A source that has changed is right, unless it would take back what a command or a person recorded. */
  #checkPhase({ state }: StoredRun, before: RunState | undefined, guidance: string): void {
    const declared = this.declared.get(state.workflow);
    const hasChanged = declared !== this.merged.get(state.workflow);
    const current = before?.phase.current ?? 0;
    const isBySource =
      before?.phase_set_by === 'source' && phaseSaid(before) === before.phase.current;
    const isFollowed =
      declared !== undefined &&
      (declared > current || (isBySource && declared >= (before.recorded_phase?.current ?? 0)));
    const expected = hasChanged && isFollowed ? declared : current;
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
    this.writtenAt.set(name, this.#now);
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

  async start(caller: Caller): Promise<void> {
    this.#runs += 1;
    const phase = { current: 1, total: 9, name: 'A', status: 'in_progress' as const };
    await this.#command(caller, {
      work: (context) =>
        startRun(context, { ...newRun(context, `Run ${this.#runs}`), phase }, { switches: false }),
      starts: true,
    });
  }

  /** Changes the run that is meant where none is named. */
  async changeMeant(caller: Caller, change: Change): Promise<void> {
    await this.#command(caller, this.#change(change, undefined));
  }

  async changeNamed(caller: Caller, change: Change, which: number): Promise<void> {
    const named = this.#pick(which);
    if (named !== undefined) await this.#command(caller, this.#change(change, named));
  }

  /** `resume`, and `takeover` with `takesOver`. */
  async resume(caller: Caller, which: number, takesOver: boolean): Promise<void> {
    const named = this.#pick(which);
    if (named === undefined) return;
    const work = (context: OperationContext): unknown =>
      (takesOver ? takeover : resume).run(forCommand(context), { run: named.name });
    await this.#command(caller, { work, named, takesOver });
  }

  #change(change: Change, named: Named | undefined): Command {
    const name = named?.name;
    switch (change) {
      case 'advance':
        return { work: (context) => advanceRun(context, name, { artefacts: [] }), named };
      case 'update': {
        this.#updates += 1;
        const input = { ...NO_INPUT, run: name, remind: [`reminder ${this.#updates}`] };
        const work = (context: OperationContext): unknown => update.run(forCommand(context), input);
        return { work, named };
      }
      default:
        return {
          work: (context) => release.run(forCommand(context), { run: name }),
          named,
          releases: true,
        };
    }
  }

  /** A stored run by its id or its name, or a workflow that is only declared. */
  #pick(which: number): Named | undefined {
    const runs = this.runs().toSorted((a, b) => (a.runId < b.runId ? -1 : 1));
    const workflows = new Set(runs.map(({ state }) => state.workflow));
    const names = [
      ...runs.map((run) => ({ name: run.runId, run })),
      ...runs.map((run) => ({ name: run.state.workflow, run })),
      ...[...this.declared.keys()]
        .filter((name) => !workflows.has(name))
        .map((name) => ({ name, run: undefined })),
    ];
    return names[which % Math.max(1, names.length)];
  }

  /** The session sees what others did to its run, by a prompt or by any command. */
  tell(slot: number, how: 'prompt' | 'command'): void {
    const client = this.clients[slot];
    if (client === undefined) return;
    const { session } = client;
    this.#now += 3_000;
    // They wait on where the prompt gives what a compaction owes. In the package, a project of its own, a session
    // without a run belongs to that project.
    const waitsOn =
      isGuidanceDue(storeOf(this.project).hookState(), session) ||
      (client.cwd !== this.project.root && this.heldBy(session) === undefined);
    const told =
      how === 'prompt'
        ? (contextOf(this.call(client, userPromptSubmit, 'UserPromptSubmit', {})) ?? '')
        : takeMessages(this.#context(session)).join('\n');
    if (how === 'prompt' && waitsOn) return;
    for (const { runId } of this.waiting.get(session) ?? [])
      expect(told, `${session} is told of ${runId}`).toContain(runId);
    this.waiting.delete(session);
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
    this.#dateFiles();
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
    if (event !== 'SessionEnd') this.seen.set(session, this.#now);
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
    const { workflow } = run.state;
    const hasEvidence = this.wrote.get(session)?.has(workflow) === true;
    const isWrittenSince =
      (this.writtenAt.get(workflow) ?? 0) > (this.began.get(session) ?? Number.POSITIVE_INFINITY);
    const isNamed = this.#answer === run.runId;
    expect(
      before === null || lineage.includes(before) || !this.#isLive(before),
      `${session} took ${workflow} from ${before}, which is live`,
    ).toBe(true);
    expect(
      isOwn || holders.size === 0 || hasEvidence || isWrittenSince || isNamed,
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

  /** Whether a session that the hooks must take for live, and that is not this one, holds the run. */
  #isHeldByOther(run: StoredRun, session: string | null): boolean {
    const holder = holderOf(run.state);
    return holder !== null && holder !== session && this.#isLive(holder);
  }

  /** Neither ended nor silent for long; a client that was killed has not ended its session. */
  #isLive(session: string): boolean {
    const isOpen = this.clients.some((client) => client?.session === session);
    const seen = this.seen.get(session);
    return (
      (isOpen || this.killed.has(session)) && seen !== undefined && this.#now - seen <= LIVE_FOR
    );
  }

  #sessionOf(caller: Caller): string | null | undefined {
    return caller === 'terminal' ? null : this.clients[caller]?.session;
  }

  #context(session: string | null): OperationContext {
    const context = contextIn(this.project, session);
    return { ...context, registry: this.registry(), now: this.now, command: 'test' };
  }

  async #command(caller: Caller, command: Command): Promise<void> {
    const session = this.#sessionOf(caller);
    if (session === undefined) return;
    this.#now += 3_000;
    this.#dateFiles();
    const before = this.#moment();
    const refusal = await this.#run(session, command);
    const after = this.#moment();
    const changed = [...before.values()].filter(
      ({ runId, state }) => JSON.stringify(after.get(runId)?.state) !== JSON.stringify(state),
    );
    // A command that names a workflow which is only declared stores it, and merges all sources.
    const isMerged = [...after.values()].some(
      ({ runId, state }) => !before.has(runId) && state.source?.kind !== 'cli',
    );
    if (isMerged) this.merged = new Map(this.declared);
    const ids = changed
      .filter((run) => !isMerged || !isSameHold(run, after.get(run.runId)))
      .map(({ runId }) => runId);
    if (session === null) this.#checkTerminal(command, refusal, before, ids);
    else this.#checkSession(session, command, refusal, before, ids);
    if (refusal === null) {
      for (const run of changed) this.#recordLoss(run, after.get(run.runId), session);
      this.#recordHold(session, command, before, after);
    }
  }

  async #run(session: string | null, { work }: Command): Promise<string | null> {
    try {
      await work(this.#context(session));
      return null;
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error;
      return error.code;
    }
  }

  /** A session changes its own run, and another one only if it names it and no live session holds that. */
  #checkSession(
    session: string,
    { named, takesOver, starts }: Command,
    refusal: string | null,
    before: ReadonlyMap<string, StoredRun>,
    changed: readonly string[],
  ): void {
    const own = this.#ownRuns(session, [...before.values()]).map(({ runId }) => runId);
    const run = named?.run;
    const isTheirs = run !== undefined && takesOver !== true && this.#isHeldByOther(run, session);
    const may = isTheirs || run === undefined ? own : [...own, run.runId];
    for (const runId of changed)
      expect(may, `${session} changes ${runId}, which is not its own`).toContain(runId);
    if (run !== undefined) expect(refusal).toBe(isTheirs ? 'held_by_other' : null);
    else if (named === undefined && starts !== true)
      expect(['no_own_run', 'no_workflow'].includes(refusal ?? '')).toBe(own.length === 0);
    if (refusal !== null) expect(changed, `refused: ${refusal}`).toEqual([]);
  }

  /** A person in a terminal changes the run that is named, else the only one; it takes none from a session, nor for one. */
  #checkTerminal(
    { named, takesOver }: Command,
    refusal: string | null,
    before: ReadonlyMap<string, StoredRun>,
    changed: readonly string[],
  ): void {
    const active = [...before.values()].filter(isActive).map(({ runId }) => runId);
    const meant = named === undefined ? (active.length === 1 ? active : []) : [named.run?.runId];
    for (const runId of changed) expect(meant).toContain(runId);
    if (takesOver !== undefined) expect(refusal).not.toBeNull();
    else if (named?.run !== undefined) expect(refusal).toBeNull();
    if (refusal !== null) expect(changed, `refused: ${refusal}`).toEqual([]);
  }

  /** The run that it holds; without one, those that it held before and that are nobody else's now. */
  #ownRuns(session: string, runs: readonly StoredRun[]): StoredRun[] {
    const active = runs.filter(isActive);
    const held = active.filter(({ state }) => holderOf(state) === session);
    if (held.length > 0) return held;
    return active.filter((run) => this.#isOwn(run, session) && !this.#isHeldByOther(run, session));
  }

  /** A session whose run another one took, and a live one whose run a person changed, must be told of it. */
  #recordLoss(run: StoredRun, after: StoredRun | undefined, session: string | null): void {
    const holder = holderOf(run.state);
    const next = after === undefined ? null : holderOf(after.state);
    if (holder === null || holder === session) return;
    if (session === null ? !this.#isHeldByOther(run, null) : next === null || next === holder)
      return;
    const list = [...(this.waiting.get(holder) ?? []), { runId: run.runId, at: this.#now }];
    this.waiting.set(holder, list.slice(-MAX_MESSAGES));
  }

  #recordHold(
    session: string | null,
    { named, releases }: Command,
    before: ReadonlyMap<string, StoredRun>,
    after: ReadonlyMap<string, StoredRun>,
  ): void {
    for (const [runId, { state }] of before) {
      const holder = holderOf(state);
      const next = after.get(runId);
      const isLetGo = next !== undefined && holderOf(next.state) === null;
      if (isLetGo && holder !== null) this.released.add(`${holder} ${runId}`);
    }
    if (session === null) return;
    if (named?.run !== undefined) {
      const key = `${session} ${named.run.runId}`;
      if (releases === true) this.released.add(key);
      else this.released.delete(key);
    }
    const held = this.heldBy(session);
    if (held === undefined) return;
    const { runId, state } = held;
    if (JSON.stringify(before.get(runId)?.state) === JSON.stringify(state)) return;
    this.seen.set(session, this.#now);
    this.everHeld.set(runId, (this.everHeld.get(runId) ?? new Set()).add(session));
    this.released.delete(`${session} ${runId}`);
  }

  #moment(): Map<string, StoredRun> {
    const { runs } = storeOf(this.project).list();
    return new Map(runs.map((run) => [run.runId, run]));
  }

  /** What holds after every step, whoever made it. */
  check(): void {
    const holders = this.runs().flatMap(({ state }) => holderOf(state) ?? []);
    expect(new Set(holders).size, 'a session holds one run').toBe(holders.length);
    const { messages } = storeOf(this.project).hookState();
    const sessions = new Set([...this.waiting.keys(), ...Object.keys(messages)]);
    for (const session of sessions) {
      const list = this.waiting.get(session) ?? [];
      const kept = messages[session] ?? [];
      // What nobody asked for in two weeks is forgotten.
      const isOld = list.every(({ at }) => this.#now - at >= 14 * 24 * 3_600_000);
      if (isOld && kept.length === 0) this.waiting.delete(session);
      else
        expect(
          kept.map(({ at, text }) => ({ at, runId: /\(([^()\s]+)\)/.exec(text)?.[1] })),
          `what waits for ${session}`,
        ).toEqual(list.map(({ at, runId }) => ({ at, runId })));
    }
  }

  /** The files that were written just now get the time of this world. */
  #dateFiles(): void {
    const files = this.project.exists(STATE)
      ? readdirSync(this.project.at(STATE), { recursive: true, encoding: 'utf8' })
          .filter((name) => name.endsWith('.json'))
          .map((name) => join(STATE, name))
      : [];
    for (const file of [...files, ...Object.values(SOURCES)]) {
      const path = this.project.at(file);
      const time = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      if (time >= STARTED) utimesSync(path, this.now, this.now);
    }
  }
}

/** Real time is far from that of a life. */
const STARTED = Date.now() - 60_000;

/** Whether only the source's words have changed. */
function isSameHold(run: StoredRun, after: StoredRun | undefined): boolean {
  const holdOf = ({ state }: StoredRun): string => JSON.stringify([state.hold, state.sessions]);
  return after !== undefined && holdOf(run) === holdOf(after);
}

function contextOf(reply: Reply): string | null {
  const json: unknown = JSON.parse(reply ?? '{}');
  const output = isObject(json) ? json['hookSpecificOutput'] : undefined;
  const text = isObject(output) ? output['additionalContext'] : undefined;
  return typeof text === 'string' ? text : null;
}

type Step = (world: World) => void | Promise<void>;

const slot = fc.nat({ max: 2 });
const run = fc.nat({ max: 9 });
const change = fc.constantFrom(...CHANGES);
const onSlot = (
  name: string,
  step: (world: World, at: number) => void | Promise<void>,
): fc.Arbitrary<[string, Step]> => slot.map((at) => [`${name} ${at}`, (world) => step(world, at)]);

const comings: fc.Arbitrary<[string, Step]> = fc.oneof(
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
  onSlot('cd', (world, at) => world.cd(at)),
  fc
    .constantFrom(1, 30, 13 * 60)
    .map((minutes): [string, Step] => [`${minutes} minutes pass`, (world) => world.pass(minutes)]),
);

const work: fc.Arbitrary<[string, Step]> = fc.oneof(
  onSlot('start', (world, at) => world.start(at)),
  onSlot('edit the state', (world, at) => world.editState(at)),
  fc
    .tuple(slot, fc.constantFrom<SourceName>('Local', 'One', 'Two'))
    .map(([at, name]): [string, Step] => [
      `edit ${name} in ${at}`,
      (world) => world.edit(at, name),
    ]),
  fc
    .tuple(slot, change)
    .map(([at, what]): [string, Step] => [
      `${what} in ${at}`,
      (world) => world.changeMeant(at, what),
    ]),
  fc
    .tuple(slot, change, run)
    .map(([at, what, which]): [string, Step] => [
      `${what} run ${which} in ${at}`,
      (world) => world.changeNamed(at, what, which),
    ]),
  fc
    .tuple(slot, run, fc.boolean())
    .map(([at, which, takesOver]): [string, Step] => [
      `${takesOver ? 'take over' : 'resume'} run ${which} in ${at}`,
      (world) => world.resume(at, which, takesOver),
    ]),
  onSlot('prompt', (world, at) => world.tell(at, 'prompt')),
  onSlot('look', (world, at) => world.tell(at, 'command')),
);

const terminals: fc.Arbitrary<[string, Step]> = fc.oneof(
  fc.constant<[string, Step]>(['start in a terminal', (world) => world.start('terminal')]),
  change.map((what): [string, Step] => [
    `${what} in a terminal`,
    (world) => world.changeMeant('terminal', what),
  ]),
  fc
    .tuple(change, run)
    .map(([what, which]): [string, Step] => [
      `${what} run ${which} in a terminal`,
      (world) => world.changeNamed('terminal', what, which),
    ]),
  run.map((which): [string, Step] => [
    `take over run ${which} in a terminal`,
    (world) => world.resume('terminal', which, true),
  ]),
);

const steps = fc.oneof(
  { arbitrary: comings, weight: 3 },
  { arbitrary: work, weight: 3 },
  { arbitrary: terminals, weight: 1 },
);

/** The sessions that have a run of their own from the beginning. */
const workers = fc.constantFrom(0, 2, 3);

test('a random life: every session keeps its own run, as it stands now, is never given that of another, and changes none', async () => {
  await fc.assert(
    fc.asyncProperty(
      workers,
      fc.array(steps, { minLength: 5, maxLength: 30, size: 'max' }),
      async (count, life) => {
        const world = new World();
        for (let at = 0; at < count; at += 1) {
          world.open(at, world.newSession(), 'startup');
          await world.start(at);
        }
        for (const [, step] of life) {
          await step(world);
          world.check();
        }
      },
    ),
    { numRuns: repetitions(200) },
  );
});

test('a session that changed another run by name, beside its own, does not own that one afterwards', async () => {
  for (const isTheirs of [false, true]) {
    const world = new World();
    for (const at of [0, 1]) world.open(at, world.newSession(), 'startup');
    await world.start(0);
    await world.start(isTheirs ? 1 : 'terminal');
    world.end(1, 'prompt_input_exit');
    await world.changeNamed(0, 'advance', 1);
    await world.changeMeant(0, 'release');
    await world.changeMeant(0, 'advance');
    world.end(0, 'prompt_input_exit');
    world.open(0, 's1', 'resume');
    expect(world.heldBy('s1')).toBeUndefined();
  }
});
