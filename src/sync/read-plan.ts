import { dirname } from 'node:path';
import { readStartedPlan } from '../detect/any-plan.ts';
import { readFormat } from '../detect/formats/read-format.ts';
import type { PlanFormat } from '../detect/formats/types.ts';
import { readPlan } from '../detect/plan.ts';
import type { SourceStatus } from '../detect/types.ts';
import { digestOf } from '../io/digest.ts';
import { statFingerprint } from '../io/fingerprint.ts';
import type { SourceRecords } from '../state/store/read-records.ts';
import type { CompanionFiles } from './format-plans.ts';
import { isDeclaredWorkflow } from './parse-declared.ts';
import { recordOfPlan } from './source-records.ts';
import type { SourceFingerprint } from './types.ts';
import { TICKS } from '../detect/marks.ts';

/** Raise this whenever the plan parser changes, so that recorded plans are parsed again. */
const PARSER_VERSION = 9;

/** What a plan declares, and what that was read from. */
export interface PlanRead {
  reading: SourceStatus;
  fingerprint: SourceFingerprint;
  modifiedAt?: number;
}

/** What parsing a plan depends on. */
export interface PlanParser {
  path: string;
  format: PlanFormat | undefined;
  /** Whether the path is one of `detect.plans`. */
  isOwn: boolean;
  isStarted: boolean;
  companions: CompanionFiles;
  exists: (path: string) => boolean;
  sourceRecords: SourceRecords;
}

/** The recorded plan, if its file and the files it depends on have not changed since. */
export function recordedPlan(root: string, parser: PlanParser): PlanRead | null {
  const { path, format, companions, exists, sourceRecords } = parser;
  const record = recordOfPlan(sourceRecords, path);
  // If the folder of the plans was replaced by a link out of the project, its plans are no longer read.
  if (record?.basis?.mark === undefined || !exists(dirname(dirname(path)))) return null;
  const { said: declared, basis: fingerprint } = record;
  const companionMark = companions.mark(format?.companions?.(path) ?? []);
  const file = statFingerprint(`${root}/${path}`);
  const isSameFile =
    file !== null && fingerprint.mark === `${versionOf(parser)} ${file.mark}${companionMark}`;
  return isSameFile && isDeclaredWorkflow(declared) && isStillTrue(fingerprint, exists)
    ? { reading: { state: 'active', said: declared }, fingerprint, modifiedAt: file.modifiedAt }
    : null;
}

/** A plan that a run was started from may declare more than the same text otherwise does. */
function versionOf({ isStarted }: PlanParser): string {
  return isStarted ? `${PARSER_VERSION}s` : `${PARSER_VERSION}`;
}

export function parsePlan(
  file: { text: string; mark: string | null },
  parser: PlanParser,
): PlanRead {
  const { path, format, isOwn, isStarted, companions, exists, sourceRecords } = parser;
  const version = versionOf(parser);
  const names = format?.companions?.(path) ?? [];
  // Taken before the files are read, so that a write in between is noticed next time.
  const companionMark = companions.mark(names);
  const texts = companions.read(names);
  const digest = `${version} ${digestOf([file.text, ...texts.values()].join('\0'))}`;
  const hasMark = file.mark !== null && companionMark !== null;
  const mark = hasMark ? { mark: `${version} ${file.mark}${companionMark}` } : {};
  const record = recordOfPlan(sourceRecords, path);
  if (
    record?.basis?.digest === digest &&
    isDeclaredWorkflow(record.said) &&
    isStillTrue(record.basis, exists)
  ) {
    const { mark: _outdated, ...basis } = record.basis;
    const fingerprint = { ...basis, ...mark };
    return { reading: { state: 'active', said: record.said }, fingerprint };
  }
  const lookedFor: SourceFingerprint['exists'] = {};
  const plan = {
    path,
    exists: (name: string): boolean => {
      lookedFor[name] = exists(name);
      return lookedFor[name];
    },
  };
  const source = { ...plan, text: file.text, companions: texts };
  const reading = isStarted
    ? readStartedPlan(source, isOwn ? 'own' : format)
    : format
      ? readFormat(format, source)
      : readPlan(file.text, plan);
  const outline = reading.state === 'active' ? outlineOf(file.text) : {};
  return { reading, fingerprint: { digest, exists: lookedFor, ...mark, ...outline } };
}

function isStillTrue(fingerprint: SourceFingerprint, exists: (path: string) => boolean): boolean {
  return Object.entries(fingerprint.exists).every(([path, answer]) => exists(path) === answer);
}

const BOX = new RegExp(`\\[[ ${TICKS}]\\]`, 'g');
const TICKED_BOX = new RegExp(`\\[[${TICKS}]\\]`, 'g');
const DONE_MARK = /[✅☑✔✓]/g;
const MARK = /(?:[✅☑✔✓⏳⬜]|🔄)\ufe0f?/g;

/** A text without its ticks and marks, and how many say done: ticking off work does not make it another plan. */
export function outlineOf(text: string): { outline: string; ticks: number } {
  const boxes = text.match(TICKED_BOX)?.length ?? 0;
  const plain = text.replace(BOX, '[ ]');
  const marks = plain.match(DONE_MARK)?.length ?? 0;
  const outline = plain
    .replace(MARK, '')
    .split(/\r?\n/)
    .map((line) => line.replace(/[ \t]+/g, ' ').trimEnd())
    .join('\n');
  return { outline: digestOf(outline.trimEnd()), ticks: boxes + marks };
}
