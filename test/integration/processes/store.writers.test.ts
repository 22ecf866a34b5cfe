import fc from 'fast-check';
import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { compile } from '../../support/child.ts';
import { letTimePass } from '../../support/lock.ts';
import { makeProject, type Project } from '../../support/project.ts';
import { NOW } from '../../support/runs.ts';
import {
  change,
  createRun,
  LOCK,
  STATE,
  storeOf,
} from '../../support/store.ts';
import { repetitions } from '../../support/repetitions.ts';
import { readJournalOf } from '../../../src/state/store/journal-files.ts';

const ID = 'feature-20250601_120000';
const WRITER = `
  import { writeSync } from 'node:fs';
  import { Store } from './state/store/store.ts';
  const [root = '', name = '', times = '1', stop = ''] = process.argv.slice(2);
  const now = () => new Date('2025-06-01T12:00:00.000Z');
  const store = new Store({ root, config: root + '-config', now, waitMs: 20_000 });
  let tries = 0;
  for (let turn = 0; turn < Number(times); turn += 1) {
    store.transaction((tx) => {
      tries += 1;
      const [run] = tx.runs;
      if (run === undefined) throw new Error('there is no run');
      if (stop === 'stop' && tries === 1) {
        writeSync(1, 'stopping ');
        process.kill(process.pid, 'SIGSTOP');
      }
      const context = { ...run.state.context, [name + turn]: true };
      tx.write(run, { ...run.state, context }, { event: 'updated' });
    });
  }
  writeSync(1, 'tries: ' + tries);
`;
const keysOf = (project: Project): string[] =>
  storeOf(project)
    .list()
    .runs.flatMap(({ state }) => Object.keys(state.context ?? {}))
    .toSorted();

test('many processes that write to one run keep all their edits, each counted once', async () => {
  const project = makeProject();
  createRun(storeOf(project));
  const writer = compile(WRITER);
  const names = ['a', 'b', 'c', 'd'];
  await Promise.all(
    names.map((name) => writer.start(project.root, name, '10').end()),
  );
  const all = names.flatMap((name) =>
    Array.from({ length: 10 }, (_, turn) => `${name}${turn}`),
  );
  const [run] = storeOf(project).list().runs;
  expect(keysOf(project)).toEqual(all.toSorted());
  expect(run?.state.revision).toBe(41);
  expect(run && readJournalOf(storeOf(project).root, run)).toHaveLength(41);
  expect(project.names(STATE)).toEqual(['.gitignore', 'feature']);
});

test('a writer that was stopped and overtaken repeats its work when it wakes: both edits are there', async () => {
  const project = makeProject();
  createRun(storeOf(project));
  const stopped = compile(WRITER).start(project.root, 'stopped', '1', 'stop');
  await stopped.says('stopping');
  letTimePass(project.at(LOCK), 6);
  change(storeOf(project), ID, (state) => ({
    ...state,
    context: { overtaker: true },
  }));
  process.kill(stopped.pid, 'SIGCONT');
  expect(await stopped.end()).toBe('stopping tries: 2');
  expect(keysOf(project)).toEqual(['overtaker', 'stopped0']);
  expect(project.names(STATE)).toEqual(['.gitignore', 'feature']);
});

describe('two writers keep both their edits in any interleaving', () => {
  interface Turn {
    stoppedAt: 'never' | 'before reading' | 'before writing' | 'after writing';
    overtakenBy: Turn[];
  }
  const { turn } = fc.letrec<{ turn: Turn }>((tie) => ({
    turn: fc.record({
      stoppedAt: fc.constantFrom(
        'never',
        'before reading',
        'before writing',
        'after writing',
      ),
      overtakenBy: fc.oneof(
        { maxDepth: 3 },
        fc.constant<Turn[]>([]),
        fc.array(tie('turn'), { maxLength: 2 }),
      ),
    }),
  }));

  /** One writer, who is stopped once for so long that the others take the lock from him. */
  const play = (
    project: Project,
    { stoppedAt, overtakenBy }: Turn,
    name: string,
  ): string[] => {
    const written: string[] = [name];
    let isStopped = false;
    const stop = (moment: Turn['stoppedAt']): void => {
      if (moment !== stoppedAt || isStopped) return;
      isStopped = true;
      letTimePass(project.at(LOCK), 6);
      written.push(
        ...overtakenBy.flatMap((next, at) =>
          play(project, next, `${name}.${at}`),
        ),
      );
    };
    const now = (): Date => {
      stop('before reading');
      return NOW;
    };
    storeOf(project, now).transaction((tx) => {
      const [run] = tx.runs;
      if (run === undefined) throw new Error('there is no run');
      stop('before writing');
      const context = { ...run.state.context, [name]: true };
      tx.write(run, { ...run.state, context });
      stop('after writing');
    });
    return written;
  };

  test('stopped anywhere, overtaken by any number of others', () => {
    const project = makeProject();
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 3 }), (turns) => {
        rmSync(project.at('untracked'), { recursive: true, force: true });
        createRun(storeOf(project));
        const written = turns.flatMap((next, at) =>
          play(project, next, `${at}`),
        );
        expect(keysOf(project)).toEqual(written.toSorted());
        const [run] = storeOf(project).list().runs;
        expect(run?.state.revision).toBe(written.length + 1);
        expect(project.names(STATE)).toEqual(['.gitignore', 'feature']);
      }),
      { numRuns: repetitions(60) },
    );
  });
});
