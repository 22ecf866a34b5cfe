import { createHash } from 'node:crypto';
import { localJournal, type TimedEvent } from '../../src/sync/journals.ts';
import { outgoing, planRun } from '../../src/sync/plan.ts';
import { appliedState, arrivedState } from '../../src/sync/applied-state.ts';
import { type LocalRun, type Place } from '../../src/sync/portable.ts';
import { isEnded } from '../../src/state/phases.ts';
import {
  fromFiles,
  sameContent,
  toFiles,
  type Snapshot,
} from '../../src/sync/commits.ts';
import type { Commits as RunCommits, Side } from '../../src/sync/commits.ts';
import type { FieldConflict, RunState } from '../../src/state/types.ts';
import { canonicalJson } from '../../src/text/json.ts';

const RUN_ID = 'feature-20250501_080000';

interface Commit extends Side {
  parents: readonly string[];
  /** Above that of every ancestor. */
  generation: number;
}

const [FROM_A, FROM_B, BELOW] = [1, 2, 4];

/** Git without git: commits named after their content, for simulations of thousands of rounds. */
export class Commits implements RunCommits {
  readonly #commits = new Map<string, Commit>();

  get count(): number {
    return this.#commits.size;
  }

  read(commit: string): Commit {
    const found = this.#commits.get(commit);
    if (found === undefined) throw new Error(`there is no commit ${commit}`);
    return found;
  }

  write(snapshot: Snapshot, parents: readonly string[]): string {
    const files = toFiles(snapshot);
    const commit = createHash('sha1')
      .update(canonicalJson([[...files], parents]))
      .digest('hex');
    const generation =
      1 + Math.max(0, ...parents.map((parent) => this.read(parent).generation));
    this.#commits.set(commit, {
      commit,
      parents,
      generation,
      snapshot: fromFiles(files),
    });
    return commit;
  }

  /** From the newest down, as git does: a commit below one that was found is not a best one. */
  commonAncestors(a: string, b: string): string[] {
    const marks = new Map([[a, FROM_A]]);
    marks.set(b, (marks.get(b) ?? 0) | FROM_B);
    const waiting = new Set([a, b]);
    const found = new Set<string>();
    const isOpen = (commit: string): boolean =>
      ((marks.get(commit) ?? 0) & BELOW) === 0;
    while ([...waiting].some(isOpen)) {
      const [next = ''] = [...waiting].toSorted(
        (one, two) => this.read(two).generation - this.read(one).generation,
      );
      waiting.delete(next);
      const mark = marks.get(next) ?? 0;
      const isCommon = (mark & FROM_A) !== 0 && (mark & FROM_B) !== 0;
      if (isCommon) found.add(next);
      for (const parent of this.read(next).parents) {
        marks.set(
          parent,
          (marks.get(parent) ?? 0) | mark | (isCommon ? BELOW : 0),
        );
        waiting.add(parent);
      }
    }
    return [...found].filter(isOpen);
  }

  continues(commit: string, earlier: string | undefined): boolean {
    return (
      earlier === undefined ||
      this.commonAncestors(commit, earlier).includes(earlier)
    );
  }
}

/** The remote: a ref that moves only to what continues it. */
export type Hub = { tracking: string | undefined };

export function makeHub(): Hub {
  return { tracking: undefined };
}

/** A sync that nothing interrupts. */
export const WHOLE = 6;

/** A machine with one state file and the refs of its run. */
export class Machine {
  readonly place: Place;
  state: RunState | null = null;
  journal: TimedEvent[] = [];
  /** Every conflict that its user learned of, in the order of telling. */
  readonly told: FieldConflict[] = [];
  #base: string | undefined;
  #local: string | undefined;
  #tracking: string | undefined;
  #at = '';
  /** What the last reconciliation was given, if it changed nothing. */
  #inStep: readonly unknown[] = [];

  constructor(
    name: string,
    private readonly commits: Commits,
    private readonly hub: Hub,
  ) {
    this.place = { machine: name, version: '1.0.0', paths: [] };
  }

  get head(): string | undefined {
    return this.#local;
  }

  edit(at: string, change: (state: RunState) => RunState, event: string): void {
    if (this.state === null) return;
    this.state = { ...change(this.state), updated_at: at };
    this.journal.push({ at, event });
    this.#at = at;
  }

  start(at: string, state: RunState): void {
    this.state = { ...state, run_id: RUN_ID, schema_version: 1 };
    this.journal.push({ at, event: 'started' });
    this.#at = at;
  }

  /** Each stage is a place where the machine may lose its connection or be switched off. True after a whole sync. */
  sync(at: string, stages: number): boolean {
    if (stages < 1) return false;
    this.#tracking = this.hub.tracking;
    this.#reconcile(at, stages - 1);
    if (stages < 5) return false;
    if (this.#local !== undefined && this.#local !== this.#tracking) {
      if (!this.commits.continues(this.#local, this.hub.tracking)) return false;
      this.hub.tracking = this.#local;
      if (stages < WHOLE) return false;
      this.#tracking = this.#local;
    }
    return true;
  }

  /** As `status` does: tells what merges have decided, once. */
  tell(): void {
    if (this.state?.conflicts === undefined) return;
    const { conflicts, ...state } = this.state;
    this.told.push(...conflicts);
    this.state = state;
  }

  #localRun(): LocalRun | null {
    const { state, journal } = this;
    return state === null
      ? null
      : { runId: RUN_ID, state, journal, at: this.#at };
  }

  #inputs(): unknown[] {
    return [this.state, this.#at, this.#base, this.#local, this.#tracking];
  }

  #reconcile(at: string, stages: number): void {
    // The same plan again, which takes most of the time of a simulation.
    const inputs = this.#inputs();
    if (inputs.every((input, index) => input === this.#inStep[index])) return;
    const ref = (commit: string | undefined) =>
      commit === undefined ? undefined : { commit, isEnded: false };
    const refs = Object.fromEntries(
      Object.entries({
        base: ref(this.#base),
        local: ref(this.#local),
        tracking: ref(this.#tracking),
      }).filter(([, known]) => known !== undefined),
    );
    const run = this.#localRun();
    const own = run && outgoing(this.commits, run, refs, this.place);
    const commit = planRun(this.commits, own, refs);
    if (commit === undefined || stages < 1) return;
    const result = this.commits.read(commit).snapshot;
    const mine = own?.mine ?? null;
    // A run that ended elsewhere and was never here does not concern this machine.
    if (this.state === null && isEnded(result.state)) return;
    this.#local = commit;
    if (stages < 2) return;
    if (this.state === null || mine === null || !sameContent(mine, result)) {
      this.state =
        this.state === null || mine === null
          ? arrivedState(result)
          : appliedState(this.state, mine, result, {
              machine: this.place.machine,
              now: new Date(at),
              journal: this.journal,
            });
      this.state = { ...this.state, updated_at: at };
      this.journal = localJournal(
        this.journal,
        result.journals,
        this.place.machine,
      );
      this.#at = at;
    }
    if (stages < 3) return;
    this.#base = commit;
    const isUnchanged = this.#inputs().every(
      (input, index) => input === inputs[index],
    );
    this.#inStep = isUnchanged ? inputs : [];
  }
}
