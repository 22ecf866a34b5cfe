import {
  readdirSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  mkdirSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fse from 'fs-extra';
import { expect, test } from 'vitest';
import { stateFiles } from '../support/state.ts';
import {
  faultsOf,
  fullProject,
  makeDevice,
  makeFifo,
  openSocket,
} from './support/hostile.ts';

const GIGABYTE = 1_000_000_000;
const box = await fullProject();
const socketAt = await openSocket(join(box.base, 'socket'));
const hasDevices = makeDevice(join(box.base, 'device'));

const state = 'untracked/workflow-state';
const held = stateFiles(box.root).find((path) => path.includes('/held/')) ?? '';
const archive = 'untracked/workflow-archive';

/** Wherever holdfast reads or writes. */
const PLACES = [
  ...[
    'CLAUDE.local.md',
    'CLAUDE.md',
    'CLAUDE',
    'CLAUDE/Plan',
    'CLAUDE/Plan/00001-one',
  ],
  ...[
    'CLAUDE/Plan/00001-one/PLAN.md',
    'CLAUDE/PlanWorkflow.md',
    'docs/spec.md',
    'docs/rules.md',
  ],
  ...['docs', 'docs/notes', 'docs/notes/a.md', 'docs/loaded.md', 'TODO.md'],
  ...[
    'untracked',
    state,
    `${state}/held`,
    held,
    held.replace('/state-', '/events-') + 'l',
  ],
  ...[`${state}/sources.json`, `${state}/holdfast.log`, `${state}/.lock`],
  ...[`${state}/.gitignore`, archive, ...archived()],
  ...[
    '.claude',
    '.claude/holdfast.json',
    '.claude/holdfast/workflows',
    '.claude/settings.json',
  ],
  ...[
    '.claude/holdfast/workflows/built.yaml',
    '.git',
    '.git/HEAD',
    '.git/refs/heads/main',
  ],
  ...['.git/config', '.git/info/exclude'],
];

function archived(): string[] {
  return readdirSync(join(box.root, archive)).map(
    (name) => `${archive}/${name}`,
  );
}

/** What may stand there instead. */
const FORMS: Record<string, (full: string) => void> = {
  'a link to a file outside': (full) => symlinkSync(out('text.md'), full),
  'a link to a state file outside': (full) =>
    symlinkSync(out('state.json'), full),
  'a link to a folder outside': (full) => symlinkSync(out('folder'), full),
  'a link to a token outside': (full) => symlinkSync(out('token'), full),
  'a link to nothing outside': (full) => symlinkSync(out('not-there'), full),
  'a link to itself': (full) => symlinkSync(full, full),
  'a link to the folder above': (full) => symlinkSync('..', full),
  'a link to /dev/zero': (full) => symlinkSync('/dev/zero', full),
  'a FIFO': makeFifo,
  'a socket': socketAt,
  ...(hasDevices
    ? { 'a device without end': (full: string) => void makeDevice(full) }
    : {}),
  'a link to a FIFO': (full) => {
    makeFifo(`${full}-fifo`);
    symlinkSync(`${full}-fifo`, full);
  },
  'a folder': (full) => mkdirSync(full),
  'a gigabyte': (full) => {
    writeFileSync(full, '{"a":1}\n# Workflow State\n');
    truncateSync(full, GIGABYTE);
  },
  'nothing but brackets': (full) => writeFileSync(full, '['.repeat(900_000)),
  'a token in it': (full) => writeFileSync(full, 'ref: ../../outside/token\n'),
};

function out(name: string): string {
  return join(box.tree, 'outside', name);
}

function putInPlace(place: string, form: string): void {
  const full = join(box.root, place);
  fse.removeSync(full);
  fse.mkdirpSync(dirname(full));
  FORMS[form]?.(full);
}

test('with something else in a place of ours, nothing is read, written or waited for outside', async () => {
  const cases = PLACES.flatMap((place) =>
    Object.keys(FORMS).map((form) => ({
      what: `${place} is ${form}`,
      prepare: () => putInPlace(place, form),
    })),
  );
  expect(await faultsOf({ suite: 'hostile-places', box, cases })).toEqual([]);
});
