import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

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

const root = fileURLToPath(new URL('../..', import.meta.url));

function retiredIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(ts|tsx|mjs|cjs)$/.test(path) && !path.includes('.generated.'))
    .flatMap((path) =>
      readFileSync(join(root, folder, path), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          [...RETIRED_WORDS, RETIRED_NAMES].flatMap((pattern) => {
            const [word] = pattern.exec(line) ?? [];
            return word === undefined ? [] : [`${folder}/${path}:${index + 1}: "${word}"`];
          }),
        ),
    );
}

it.each(['src', 'scripts', 'bin'])('%s uses the words of the glossary', (folder) => {
  expect(retiredIn(folder)).toEqual([]);
});
