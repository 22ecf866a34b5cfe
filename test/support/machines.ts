import { createHash } from 'node:crypto';
import { appliedState, arrivedState } from '../../src/remote/apply.ts';
import { canonicalJson } from '../../src/remote/canonical-json.ts';
import { localJournal, type TimedEvent } from '../../src/remote/journals.ts';
import type { RunCommits } from '../../src/remote/merge-heads.ts';
import type { Side } from '../../src/remote/merge.ts';
import { planRun } from '../../src/remote/plan-run.ts';
import { isEnded, type LocalRun, type Place } from '../../src/remote/portable.ts';
import { fromFiles, toFiles, type Snapshot } from '../../src/remote/snapshot.ts';
import type { RunState } from '../../src/state/types.ts';

const RUN_ID = 'feature-20250501_080000';

interface Commit extends Side {
  parents: readonly string[];
}

/** Git without git: commits named after their content, for simulations of thousands of rounds. */
export class Commits implements RunCommits {
  readonly #commits = new Map<string, Commit>();
  readonly #histories = new Map<string, Set<string>>();

  read(commit: string): Side {
    const found = this.#commits.get(commit);
    if (found === undefined) throw new Error(`there is no commit ${commit}`);
    return found;
  }

  write(snapshot: Snapshot, parents: readonly string[], at: string): string {
    const files = toFiles(snapshot);
    const commit = createHash('sha1')
      .update(canonicalJson([[...files], parents, at]))
      .digest('hex');
    const reading = fromFiles(files, RUN_ID);
    if (reading.kind === 'defect') throw new Error(`not a run: ${JSON.stringify(reading.defect)}`);
    this.#commits.set(commit, { commit, at, parents, snapshot: reading.snapshot });
    return commit;
  }

  commonAncestors(a: string, b: string): string[] {
    const ofB = this.history(b);
    const common = [...this.history(a)].filter((commit) => ofB.has(commit));
    const isBelowAnother = (commit: string): boolean =>
      common.some((other) => other !== commit && this.history(other).has(commit));
    return common.filter((commit) => !isBelowAnother(commit));
  }

  /** The commit and everything before it. */
  history(commit: string): Set<string> {
    const known = this.#histories.get(commit);
    if (known !== undefined) return known;
    const parents = this.#commits.get(commit)?.parents ?? [];
    const history = new Set([commit, ...parents.flatMap((parent) => [...this.history(parent)])]);
    this.#histories.set(commit, history);
    return history;
  }
}

/** The remote: one ref, which moves only to what continues it. */
export interface Hub {
  head: string | undefined;
}

/** A machine with one state file and the three refs of its run. */
export class Machine {
  readonly place: Place;
  state: RunState | null = null;
  journal: TimedEvent[] = [];
  #base: string | undefined;
  #local: string | undefined;
  #tracking: string | undefined;
  #at = '';

  constructor(
    name: string,
    private readonly commits: Commits,
    private readonly hub: Hub,
  ) {
    this.place = { machine: name, version: '1.0.0', paths: [] };
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

  /** Each stage is a place where the machine may lose its connection or be switched off. */
  sync(at: string, stages: number): boolean {
    if (stages < 1) return false;
    this.#reconcile(at, stages);
    if (stages < 2) return false;
    this.#tracking = this.hub.head;
    this.#reconcile(at, stages - 2);
    if (stages < 5 || this.#local === undefined) return false;
    const continues =
      this.hub.head === undefined || this.commits.history(this.#local).has(this.hub.head);
    if (!continues) return false;
    this.hub.head = this.#local;
    if (stages < 6) return false;
    this.#tracking = this.#local;
    return true;
  }

  #reconcile(at: string, stages: number): void {
    const local: LocalRun | null =
      this.state === null
        ? null
        : {
            runId: RUN_ID,
            slug: 'feature',
            state: this.state,
            journal: this.journal,
            at: this.#at,
          };
    const known = { base: this.#base, local: this.#local, tracking: this.#tracking };
    const plan = planRun(this.commits, local, known, this.place);
    if (plan === null || stages < 1) return;
    const { commit, result, mine } = plan;
    this.#local = commit;
    if (stages < 2) return;
    if (this.state === null || mine === null) {
      if (isEnded(result.state)) return;
      this.state = arrivedState(result);
    } else {
      this.state = appliedState(this.state, mine, result, this.place, new Date(at));
    }
    this.state = { ...this.state, updated_at: at };
    this.journal = localJournal(this.journal, result.journals, this.place.machine);
    this.#at = at;
    if (stages < 3) return;
    this.#base = commit;
  }

  get head(): string | undefined {
    return this.#local;
  }
}
