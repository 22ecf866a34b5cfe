import { pattern, LETTERS, PICTURE } from '../../text/markdown/lines.ts';
import {
  isPart,
  pictureMark,
  type Mark,
  CANCELLED,
  DATES,
  DONE,
  LEFT_OPEN,
  NOT_STARTED,
  PAUSED,
  phrase,
  UNDER_WAY,
  UNITS,
} from '../../state/marks.ts';

/**
 * What the value of a status field says about the whole workflow; undefined if the words say nothing. The whole value
 * decides: `Phase 1 complete, Phase 2 in progress` is not done, and nor is `Complete except for the docs`.
 */
export function standOf(value: string): Mark | undefined {
  // `In Progress | Owner: Bob` are two fields in one line.
  const [text = ''] = value.slice(0, 400).split(/\s[|·•]\s/, 1);
  const words = text
    .replaceAll(PICTURES, ' ; ')
    .replaceAll(/[*\x60"'!~#]/g, ' ')
    .toLowerCase()
    .replaceAll(/(?<=[a-z])[_-](?=[a-z])/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\b(?:was|previously|formerly|no open|no further|nothing) [^,;()]*/g, '')
    .replace(/^[\s;]+/, '')
    .trim();
  const picture = pictureMark(text.replaceAll(/[✅☑✔✓]/g, '')) ?? pictureMark(text);
  // A mark for a phase that is skipped says nothing about a plan.
  if (!HAS_WORD.test(words)) return picture === 'skipped' ? undefined : picture;
  if (IS_PAUSED.test(words)) return 'paused';
  if (/^(?:(?:is|still|currently) )*(?:blocked|stuck)\b/.test(words)) return 'blocked';
  const whole = words.replace(ALL_OF_ALL, 'all phases complete');
  if (picture !== 'under way' && !isPart(words) && isFinished(whole)) return 'done';
  if (!isUnderWay(words))
    for (const [mark, expression] of PHRASES) if (expression.test(words)) return mark;
  if (isUnderWay(words) || FINISHED_WORD.test(words)) return 'under way';
  return picture === 'under way' ? picture : undefined;
}

const PICTURES = new RegExp(pattern`${PICTURE}+|\[[ \-~xX✓✔]\]`, 'g');
const HAS_WORD = new RegExp(`[${LETTERS}]`, 'i');

const IS_PAUSED = pattern`^(?:(?:is|still|currently|temporarily|now) )*(?:${PAUSED}|pause|hold(?:ing)?|awaiting|parked|shelved|postponed|deferred|stalled|stopped|interrupted)\b`;
const PHRASES: readonly [Mark, RegExp][] = [
  [
    'skipped',
    phrase(`${CANCELLED}|deprecated|rejected|withdrawn|discarded|scrapped|replaced|wontfix`),
  ],
  [
    'open',
    phrase(
      `${NOT_STARTED}|not (?:yet )?(?:in progress|active)|to be (?:started|done)|inactive|draft|proposed|proposal|new|idea`,
    ),
  ],
];

const ALL_OF_ALL = pattern`(?<![\d./-])(\d{1,4}) ?(?:\/|of|out of) ?\1(?: (?:${UNITS}|is|are))* (?:completed?|done|finished)`;

const FINISHED_WORD = pattern`\b(?:${DONE})\b`;
const FINISHED_START = pattern`^(?:(?:all|every|both|the)(?: of)?(?: the)?(?: \d{1,4})? (?:${UNITS}) |(?:plan|project|implementation|work|everything|all) )?(?:(?:is|are|has been|have been|was|now|fully|successfully|100 ?%) )*(?:(?:${DONE})(?: successfully)?|100 ?%)(?= |$)`;
const NOTE = pattern`^(?:(?:on|at|in|into|to|by|via|since|as of|with all|see|pr|mr|commit|version|release|moved|all|verified|tested|reviewed|approved|documented|no)\b|today|yesterday|mon|tue|wed|thu|fri|sat|sun|${DATES})`;
const CONTRARY = pattern`\b(?:${LEFT_OPEN}|${DONE}|excluding|left|next|only|blocked|phase|step|task|stage|milestone|follow|open|failing|failed|now|part|staging|beta)\b|\?`;

/** Every clause says finished, or is a note such as a date, and none takes it back. */
function isFinished(words: string): boolean {
  const clauses = words
    .split(/[,;.()[\]–—|/+&]| - |: | and /)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '' && clause !== '-');
  if (!FINISHED_START.test(clauses[0] ?? '')) return false;
  return clauses.every((clause) => {
    const rest = clause.replace(FINISHED_START, '').trim();
    return rest === '' || (NOTE.test(rest) && !CONTRARY.test(rest) && !isUnderWay(rest));
  });
}

const ONGOING = pattern`(?<!\b(?:not|not yet|no longer|never|to be) )\b(?:${UNDER_WAY}|incomplete|actively|currently|continues?|continuing|half\w*|unfinished|(?:implement|build|fix|rework)ing|(?<!in )progress\w*|needs?|remaining|iterating|review(?:ing)?|phases? (?:\d|[a-z]\b|[ivx]+\b)|[1-9]\d? ?%)(?:\b|(?<=%))`;
const DOING =
  /^(?!waiting|awaiting|pending|missing|nothing|upcoming|planning|holding|during|existing|according)[a-z]{2,20}ing\b/;
const STAGE =
  /^(?:in )?(?:design|implementation|development|testing|qa|build)(?: (?:phase|stage))?$/;

function isUnderWay(words: string): boolean {
  return ONGOING.test(words) || DOING.test(words) || STAGE.test(words);
}
