import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { makeProgram } from '../../src/cli/program/program.ts';
import { TOOLS } from '../../src/mcp/tools.ts';

/** Words that the glossary in CONTRIBUTING.md replaced: in names, comments and messages alike. */
const RETIRED_WORDS = [
  /desks?\b|desk(?=[A-Z_])/i,
  /\brooms?\b|Room|\broom(?=[A-Z])/,
  /surroundings/i,
  /\bwhoever\b/i,
  // `said` is a field of stored source records; as a name of its own it says nothing.
  /(?<![.'\w])said(?!['\w]|\??:)|[a-z]Said\b|\bSaid\b/,
  /(?<!\bthere )\b(is|are|was|were) none\b/i,
  /\b(lie|lies|lay) (in|on|at|beside|below|there|here|elsewhere)\b/i,
  /\ball the same\b/i,
  /\b(is|are|was|were|be|been) told of\b|\btells? of\b/i,
  /\bbears?\b|\bbearing\b/i,
];

/** Exported names that were renamed; only those that no plain sentence contains. */
const RETIRED_NAMES = new RegExp(
  `\\b(${[
    'callAtHand surroundingsOf keepSeen holdBack isHeldBack noteRead noteGiven readingNote sayOnStderr',
    'readingIsIn artifactsAreIn artifactRoomFor stepsAreIn stepRoomFor speakWith withoutSentences',
    'wordsFor inWords asRefusal placeOf codeOf markOf markedFile askGit openPlain lookAtLock toldLines',
    'shellWord sizeWords saysTheSame mergeSaid saidFrom isSaid isPhaseSaid beginRun letGoOf',
    'warnAboutTwins pickRun noClearRun saveMoved takeHold giveTasksTo makeDesk markSeen',
    'runHandedOver untoldChanges newReceipt withReceipt stillOwed isLetGo sureOf needOf',
    'brokenRun viewOf withView openLibrary onceOpened byHand untilSettled hiddenFor finderOf',
    'inTrialProject troublesWith asInATerminal goesInCircles lostTo withWhatHappened startsByItself',
  ]
    .join(' ')
    .replaceAll(' ', '|')})\\b`,
);

/** Phrases that a reader of docs, templates, skill and slash commands should not meet: each has a plainer form. */
const RETIRED_PHRASES = [
  /\bwhoever\b/i,
  /\bby itself\b|\bby themselves\b/i,
  /\blets? go of\b/i,
  /\b(takes?|took|taken) (it |them )?out\b/i,
  /\bmend(s|ed)?\b/i,
  /\bgo(es)? on with\b/i,
  /\b(brings?|brought|given?|gives) along\b/i,
  /\bbelongs? into\b/i,
  /\b(one|two) a line\b|\ba line each\b/i,
  /\bis told of\b|\btells? of\b/i,
  /\bin vain\b|\banew\b|\bafresh\b/i,
  /\ball the same\b/i,
  /(?<!\bthere )\b(is|are|was|were) none\b/i,
  /\b(lie|lies|lay) (in|on|at|beside|below|there|here|elsewhere)\b/i,
  /\bstands? in the (file|state|reply|guidance)\b/i,
  /\b(rules|ruled) (it|the work)\b/i,
];

const root = fileURLToPath(new URL('../..', import.meta.url));

function retiredWords(line: string): string[] {
  return [...RETIRED_WORDS, RETIRED_NAMES].flatMap((pattern) => pattern.exec(line)?.[0] ?? []);
}

/** Names, comments and texts of each file, and its own name. */
function retiredIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(ts|tsx|mjs|cjs)$/.test(path) && !path.includes('.generated.'))
    .filter((path) => path !== 'unit/vocabulary.test.ts' && !path.startsWith('fixtures/'))
    .flatMap((path) =>
      [path, ...readFileSync(join(root, folder, path), 'utf8').split('\n')].flatMap(
        (line, number) =>
          retiredWords(line).map((word) => `${folder}/${path}:${number}: "${word}"`),
      ),
    );
}

it.each(['src', 'scripts', 'bin', 'test'])('%s uses the words of the glossary', (folder) => {
  // Titles of tests are sentences, in which `said` is a plain verb.
  const isMeant = (found: string): boolean => folder !== 'test' || !/said"$/i.test(found);
  expect(retiredIn(folder).filter(isMeant)).toEqual([]);
});

it.each([
  'interface Desk {',
  'const desk = makeDesk(root);',
  "import { Desk } from './desk.ts';",
  'mcp/desk.ts',
  '// The desk of a session.',
  'interface StepRoom {',
  'const room = stepRoomFor(run);',
  'hooks/step-room.ts',
  '/** Whoever enters the room. */',
  'function surroundingsOf(input: HookInput): Surroundings {',
  '// What the surroundings say.',
  'speakWith(describe);',
  'const said = read(path);',
  'const lastSaid = records.at(-1);',
  '// What was said last.',
  'const input = callAtHand();',
  'stepsAreIn(load);',
])('finds the retired word in: %s', (line) => {
  expect(retiredWords(line)).not.toEqual([]);
});

it.each([
  'const base = state.source?.said;',
  "source: { kind: 'plan', path, said: {} },",
  'said?: DeclaredFields;',
  'if (there is none) return;',
])('finds none in: %s', (line) => {
  expect(retiredWords(line)).toEqual([]);
});

const PAGES = /\.(md|ya?ml)$/;

function textFiles(): string[] {
  const folders = ['docs', 'workflows', 'src/install/assets', 'src/install/plugin', '.github'];
  return [
    'README.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    ...folders.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => PAGES.test(path))
        .map((path) => `${folder}/${path}`),
    ),
  ];
}

function retiredPhrases(text: string): string[] {
  return text.split('\n').flatMap((line, index) =>
    RETIRED_PHRASES.flatMap((pattern) => {
      const [phrase] = pattern.exec(line) ?? [];
      return phrase === undefined ? [] : [`line ${index + 1}: "${phrase}"`];
    }),
  );
}

it.each(textFiles())('%s uses plain words', (file) => {
  expect(retiredPhrases(readFileSync(join(root, file), 'utf8'))).toEqual([]);
});

const helpOf = (command: Command): string[] => [
  command.helpInformation(),
  ...command.commands.flatMap(helpOf),
];

it('the help of every command uses plain words', () => {
  expect(retiredPhrases(helpOf(makeProgram()).join('\n'))).toEqual([]);
});

it('the descriptions of the MCP tools use plain words', () => {
  expect(retiredPhrases(JSON.stringify(TOOLS, null, 1))).toEqual([]);
});
