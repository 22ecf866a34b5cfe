import { statSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Store } from '../../../../src/state/store/store.ts';
import { makeProject, type Project } from '../../../support/project.ts';
import { STATE } from '../../../support/store.ts';

const INDEX = `${STATE}/runs.json`;
const MANY = 50;
const file = (number: number): string => `${STATE}/run-${number}/state-run-${number}.json`;
const stateOf = (number: number): string => JSON.stringify({ workflow: `Run ${number}` });

/** Files of the last seconds have no mark yet, so time goes on. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

function projectWith(runs: number): Project {
  return makeProject(
    Object.fromEntries(Array.from({ length: runs }, (_, at) => [file(at), stateOf(at)])),
  );
}

/** As another process would have it, which has read nothing yet. */
async function storeOf({ root }: Project): Promise<Store> {
  vi.resetModules();
  const { Store: Fresh } = await import('../../../../src/state/store/store.ts');
  return new Fresh({ root, now: () => new Date(), waitMs: 3_000 });
}

async function indexed(runs = MANY): Promise<Project> {
  const project = projectWith(runs);
  const store = await storeOf(project);
  store.list();
  store.transaction(() => undefined);
  return project;
}

const names = (store: Store): string[] =>
  store
    .list()
    .runs.map(({ state }) => state.workflow)
    .toSorted();

/** Makes it visible which runs were not read from their files. */
function renameInIndex(project: Project): void {
  project.write(INDEX, project.read(INDEX).replaceAll('"Run ', '"Indexed '));
}

test('a writer leaves an index of many runs, and none of a few', async () => {
  expect((await indexed()).exists(INDEX)).toBe(true);
  expect((await indexed(MANY - 1)).exists(INDEX)).toBe(false);
});

test('a run whose file was not touched is not read again', async () => {
  const project = await indexed();
  const before = (await storeOf(project)).list();
  renameInIndex(project);
  expect(names(await storeOf(project))).toContain('Indexed 7');
  project.write(INDEX, '{}');
  expect((await storeOf(project)).list()).toEqual(before);
});

test('a folder that nothing came into is not listed again', async () => {
  const project = await indexed();
  project.write(INDEX, project.read(INDEX).replace(',"state-run-7.json"', ''));
  expect(names(await storeOf(project))).not.toContain('Run 7');
  project.write(`${STATE}/run-7/state-run-7-again.json`, stateOf(77));
  expect(names(await storeOf(project))).toEqual(expect.arrayContaining(['Run 7', 'Run 77']));
});

test.each(['..', 'nothing-there', '../../outside'])(
  'a name in it makes no run of a file that is not in the folder: %s',
  async (name) => {
    const project = await indexed();
    const entry = JSON.stringify(`state-${name}.json`);
    project.write(INDEX, project.read(INDEX).replace('"state-run-7.json"', entry));
    const { runs } = (await storeOf(project)).list();
    expect(runs.map(({ runId }) => runId)).not.toContain(name);
  },
);

test('what was written since counts, whoever wrote it; what is gone is gone, what is new is there', async () => {
  const project = await indexed();
  renameInIndex(project);
  project.write(file(7), '{"workflow": "By hand"}');
  project.write(file(MANY), stateOf(MANY));
  const store = await storeOf(project);
  expect(names(store)).toEqual(
    [
      'By hand',
      `Run ${MANY}`,
      ...Array.from({ length: MANY }, (_, at) => `Indexed ${at}`).filter(
        (name) => name !== 'Indexed 7',
      ),
    ].toSorted(),
  );
});

test('it is written again when many runs are missing in it, not for each', async () => {
  const project = await indexed();
  const before = statSync(project.at(INDEX)).ino;
  const writeSome = async (count: number): Promise<void> => {
    for (let at = 0; at < count; at += 1) project.write(file(at), `${stateOf(at)}\n`);
    vi.setSystemTime(Date.now() + 60_000);
    const store = await storeOf(project);
    store.list();
    store.transaction(() => undefined);
  };
  await writeSome(MANY - 1);
  expect(statSync(project.at(INDEX)).ino).toBe(before);
  await writeSome(MANY);
  expect(statSync(project.at(INDEX)).ino).not.toBe(before);
});

describe('it is an extra', () => {
  test.each([
    ['half of it', (text: string) => text.slice(0, text.length / 2)],
    ['another version', (text: string) => text.replace('"version":1', '"version":2')],
    ['no runs', () => '{"version":1,"runs":[]}'],
    [
      'runs that are none',
      (text: string) => text.replaceAll('{"workflow":', '[{"workflow":').replaceAll('"}]', '"}]]'),
    ],
    ['entries of another form', (text: string) => text.replaceAll('",{', '",[],{')],
    ['folders of another form', (text: string) => text.replaceAll('","state-', '",[],"state-')],
    ['nothing', () => ''],
  ])('%s: the files are read, and none is set aside', async (_what, damaged) => {
    const project = await indexed();
    project.write(INDEX, damaged(project.read(INDEX)));
    const store = await storeOf(project);
    expect(names(store)).toEqual(Array.from({ length: MANY }, (_, at) => `Run ${at}`).toSorted());
    expect(store.list().unreadable).toEqual([]);
  });

  test('a folder in its place keeps nobody from working', async () => {
    const project = projectWith(MANY);
    project.write(`${INDEX}/x`, '');
    const store = await storeOf(project);
    store.list();
    expect(store.transaction((tx) => tx.runs.length)).toBe(MANY);
    expect(project.names(STATE).filter((name) => name.startsWith('.tmp'))).toEqual([]);
  });
});
