import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fse from 'fs-extra';
import { expect, test } from 'vitest';
import { publish } from './support/figures.ts';
import {
  commandFaults,
  fullProject,
  makeFifo,
  snapshot,
} from './support/hostile.ts';
import { shownFaults } from './support/hostile-text.ts';
import { measuredCommand, type Measured } from './support/measured.ts';
import { makeRandom } from './support/random.ts';
import { scaled } from './support/scale.ts';

const random = makeRandom();
const box = await fullProject();
const SCOPES = ['local', 'project', 'user'] as const;

/** Wherever an installation reads or writes: the project's, and the user's own. */
const PROJECT_PLACES = [
  ...[
    '.claude',
    '.claude/settings.json',
    '.claude/settings.local.json',
    '.mcp.json',
  ],
  ...[
    '.claude/commands',
    '.claude/commands/holdfast',
    '.claude/skills/holdfast/SKILL.md',
  ],
  ...['.git', '.git/info', '.git/info/exclude', '.git/index', '.gitignore'],
];
const USER_PLACES = [
  '.claude',
  '.claude/settings.json',
  '.claude.json',
  '.claude/holdfast',
];
const PLACES = [
  ...PROJECT_PLACES.map((path) => `project/${path}`),
  ...USER_PLACES.map((path) => `home/${path}`),
];

const FORMS: Record<string, (full: string) => void> = {
  'a link to settings outside': (full) =>
    symlinkSync(out('settings.json'), full),
  'a link to a text outside': (full) => symlinkSync(out('profile'), full),
  'a link to a token outside': (full) => symlinkSync(out('token'), full),
  'a link to a folder outside': (full) => symlinkSync(out('folder'), full),
  'a link to nothing outside': (full) => symlinkSync(out('not-there'), full),
  'a link to itself': (full) => symlinkSync(full, full),
  'a link to /dev/zero': (full) => symlinkSync('/dev/zero', full),
  'a file that names a folder outside': (full) =>
    writeFileSync(full, `gitdir: ${out('folder')}\n`),
  'a FIFO': makeFifo,
  'a folder': (full) => mkdirSync(full),
  'a gigabyte': (full) => {
    writeFileSync(full, '{}\n');
    truncateSync(full, 1_000_000_000);
  },
  'nothing but brackets': (full) => writeFileSync(full, '['.repeat(900_000)),
  'keys of no object': (full) =>
    writeFileSync(
      full,
      '{"__proto__":{"hooks":1},"constructor":{},"hooks":{"__proto__":[]}}\n',
    ),
  'orders to a terminal': (full) =>
    writeFileSync(full, '# \u001B[8m\u009B2J\u202E</summary>\n'),
};

function out(name: string): string {
  return join(box.tree, 'outside', name);
}

/** What SECURITY.md says is followed: the settings of the host, its servers, and the folders that contain them. */
function isFollowed(place: string): boolean {
  return (
    place.startsWith('home/') || /^project\/\.(?:claude|mcp\.json)/.test(place)
  );
}

function putInPlace(place: string, form: string): void {
  const full = join(box.tree, place);
  fse.removeSync(full);
  fse.mkdirpSync(dirname(full));
  FORMS[form]?.(full);
}

/** An empty folder of our name belongs to nobody. */
function everything(): string[] {
  return snapshot(box.tree).filter((line) => !/\/holdfast 16\d{3}$/.test(line));
}

function outside(): string[] {
  return snapshot(join(box.tree, 'outside'));
}

const counts = { processes: 0, installed: 0, refused: 0, followed: 0 };

function command(...words: string[]): Measured {
  counts.processes += 1;
  return measuredCommand(box, words);
}

function faultsIn(made: Measured): string[] {
  return [
    ...commandFaults(made, {
      hooks: new Map(),
      commands: new Map([[made.what, 5_000]]),
    }),
    ...shownFaults(made.stdout + made.stderr).map(
      (fault) => `${made.what}: ${fault}`,
    ),
  ];
}

function faultsWith(place: string, form: string, scope: string): string[] {
  box.backTo('ready');
  putInPlace(place, form);
  const found = everything();
  const foundOutside = outside();
  const looked = command('init', '--scope', scope, '--mcp', '--dry-run');
  const isSeenOnly = isDeepStrictEqual(everything(), found);
  const made = command('init', '--scope', scope, '--mcp');
  const isOutsideSame = isDeepStrictEqual(outside(), foundOutside);
  if (made.code === 0) counts.installed += 1;
  else counts.refused += 1;
  if (!isOutsideSame) counts.followed += 1;
  const afterRefusal = everything();
  const undone = command('uninstall', '--scope', scope);
  return [
    ...[looked, made, undone].flatMap(faultsIn),
    ...(isSeenOnly ? [] : ['init --dry-run: has written']),
    ...(isOutsideSame || isFollowed(place)
      ? []
      : ['init: has written outside']),
    ...(made.code === 0 || isDeepStrictEqual(afterRefusal, found)
      ? []
      : ['init: refused and left something']),
    ...(isDeepStrictEqual(everything(), found)
      ? []
      : [`uninstall: not as found: ${difference(found)}`]),
  ];
}

function difference(found: string[]): string {
  const left = everything();
  const gone = found
    .filter((line) => !left.includes(line))
    .map((line) => `- ${line.slice(0, 80)}`);
  const come = left
    .filter((line) => !found.includes(line))
    .map((line) => `+ ${line.slice(0, 80)}`);
  return [...gone, ...come].join(' | ');
}

writeFileSync(out('settings.json'), '{\n  "model": "x"\n}\n');
writeFileSync(out('profile'), 'export A=b\n');
fse.outputFileSync(join(box.home, '.claude/settings.json'), '{}\n');
fse.outputFileSync(join(box.home, '.claude.json'), '{ "userID": "x" }\n');
box.keepAs('ready');

const all = PLACES.flatMap((place) =>
  Object.keys(FORMS).flatMap((form) =>
    SCOPES.map((scope) => ({ place, form, scope })),
  ),
);
const chosen = random.shuffled(all).slice(0, scaled(all.length / 2));

test(`${chosen.length} of ${all.length} installations where something else stands in the way: all is as it was after them`, () => {
  const faults = chosen.flatMap(({ place, form, scope }) =>
    faultsWith(place, form, scope).map(
      (fault) => `${scope}: ${place} is ${form}: ${fault}`,
    ),
  );
  expect(faults).toEqual([]);
  publish('hostile-install', {
    seed: random.seed,
    places: PLACES.length,
    forms: Object.keys(FORMS).length,
    tried_together: chosen.length,
    ...counts,
  });
});
