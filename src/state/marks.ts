import { LETTERS, PICTURE, pattern } from '../text/markdown/scan.ts';

/** How far a phase is, by the words and marks that people put beside its name. */
export type Mark =
  | 'done'
  | 'under way'
  | 'blocked'
  | 'paused'
  | 'open'
  | 'skipped';

/** The characters of a ticked box, for a character class. */
export const TICKS = 'xX✓✔';

const PICTURE_MARKS: readonly [Mark, RegExp][] = [
  ['done', /[✅☑✔✓]|\[[xX✓✔]\ufe0f?\]/],
  ['under way', /🔄|⏳|⌛|🚧|👉|👈|[▶►←⬅]|<-|\[[-~]\]/],
  ['skipped', /⏭/],
  ['blocked', /⛔|🛑/],
  ['paused', /⏸/],
  ['open', /[⬜☐⚪]|🔲|\[ \]/],
];

export const pictureMark = (text: string): Mark | undefined =>
  PICTURE_MARKS.find(([, expression]) => expression.test(text))?.[0];

/** Words that mean the same for a phase and for a whole plan. */
export const DONE =
  'completed?|done|finished|closed|implemented|shipped|released|merged|deployed|delivered|archived|resolved|landed';
const UNDER_WAY =
  'in progress|wip|ongoing|under ?way|started|begun|active|in (?:review|development|dev|testing|tests?|qa|work|flight|execution|implementation|verification|staging)|current|resumed|re ?(?:opened|started)|doing|partial(?:ly)?|partly|mostly|almost|nearly|ready (?:for|to) (?!start|begin|go|implement|dev)\\w+';
const PAUSED = 'paused|on hold|waiting|suspended';
const NOT_STARTED =
  'not (?:yet )?(?:started|begun)(?: yet)?|pending|to ?do|planned|upcoming|queued|scheduled|future|backlog|ready|0 ?%(?: (?:completed?|done))?';
export const NOT_DONE = 'not (?:yet )?(?:done|completed?|finished)|incomplete';
const CANCELLED =
  'cancell?ed|abandoned|superseded|obsolete|dropped|won.?t (?:do|fix)';
const UNITS = 'phases?|steps?|tasks?|items?|milestones?|stages?|work';
const DATES = String.raw`v?\d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec`;
/** A phase that is "complete, tests pending" is not done. */
export const LEFT_OPEN = String.raw`except|but|pending|to ?do|remain\w*|needs?|in progress|wip|partial\w*|missing|await\w*|waiting|not|until|still`;

/** Whether a text is one of these words, with what may follow them without changing them: a date, a reason, a version. */
function phrase(words: string): (text: string) => boolean {
  let built: RegExp | undefined;
  return (text) => {
    // At its first use: most hooks use none of them. What may stand around the words would make each slow to build.
    built ??= pattern`^(?:${words})(?!\w)`;
    const bare = text.replace(MAY_PRECEDE, '');
    const rest = bare.replace(built, '');
    return rest !== bare && MAY_FOLLOW.test(rest);
  };
}

const MAY_PRECEDE = /^(?:is|now|fully|still|already|currently|status:?)\s/;
const MAY_FOLLOW = pattern`^(?:\s*[(,;:.!–—-].*|\s+(?:to|until|till|on|at|in|by|for|since|after|as|with|via|because|due|see|~|${DATES}).*)?$`;

/** `All 5 phases are`. */
const ALL = String.raw`(?:everything|(?:all|every|both)(?: of)?(?: the)?(?: \d{1,4})?(?: (?:${UNITS}))?)(?: is| are)?`;
const PHRASES: readonly [Mark, (text: string) => boolean][] = [
  [
    'skipped',
    phrase(
      String.raw`${CANCELLED}|merged (?:into|with) (?:${UNITS})|skip(?:ped)?|deferred|postponed|n\/a|not (?:needed|applicable|required)|no longer needed|removed|out of scope`,
    ),
  ],
  ['done', phrase(`(?:(?:${ALL}|100 ?%) )?(?:${DONE})|100 ?%`)],
  [
    'under way',
    phrase(
      String.raw`current (?:phase|focus)|(?:work )?(?:${UNDER_WAY})(?: completed?| done)?|(?:(?:we|you) are )?here|[1-9]\d? ?%(?: (?:${DONE}))?`,
    ),
  ],
  ['blocked', phrase('blocked|stuck')],
  ['paused', phrase(PAUSED)],
  ['open', phrase(`${NOT_STARTED}|${NOT_DONE}|remaining|next(?: up)?$`)],
];

/** The mark that a whole text gives, such as `In progress` or `✅ Done (2026-01-02)`. */
export function phraseMark(text: string): Mark | undefined {
  if (text.length > 200) return undefined;
  const words = text
    .replace(OUTER, '')
    .replace(OUTER_END, '')
    .toLowerCase()
    .replaceAll(/[\s_]+/g, ' ')
    .replaceAll(/(?<=[a-z])-(?=[a-z])/g, ' ');
  const mark = PHRASES.find(([, isMet]) => isMet(words))?.[0];
  if (mark === 'done' && (IS_LEFT_OPEN.test(words) || isPart(words)))
    return 'under way';
  return mark ?? ratioMark(words);
}

/** Names a part of the whole, such as `3/4` or `3 of 4 phases`, and not a date. */
function isPart(words: string): boolean {
  const [, part, all] = FRACTION.exec(words) ?? [];
  return Number(part) < Number(all);
}

const FRACTION =
  /(?<![\d./-])(\d{1,4}) ?(?:\/|of|out of) ?(\d{1,4})(?![\d./-])/;
const IS_LEFT_OPEN = pattern`\b(?:${LEFT_OPEN})\b`;
const OUTER = pattern`^(?:[\s*_\x60"'([{:;,.<>=|·–—-]|${PICTURE}){1,20}`;
const OUTER_END = pattern`(?:[\s*_\x60"')\]}!.|:–—-]|${PICTURE}){1,20}$`;

/** `3/5 tasks`, `2 of 4 done`. */
function ratioMark(words: string): Mark | undefined {
  const [, done, all] = (/^\d/.test(words) && RATIO.exec(words)) || [];
  if (done === undefined || Number(all) === 0) return undefined;
  if (Number(done) >= Number(all)) return 'done';
  return Number(done) === 0 ? 'open' : 'under way';
}

const RATIO = pattern`^(\d{1,4}) ?(?:\/|of) ?(\d{1,4})(?: (?:tasks?|steps?|items?|${DONE})){1,2}$`;

/**
 * Takes marks off both ends of a name: pictures, check boxes, and words in brackets, in bold, behind a dash or a picture,
 * or in capitals; `word` is without these. Words count more than pictures: `⏳ Pending` has not begun.
 */
export function splitMark(text: string): {
  rest: string;
  mark: Mark | undefined;
  word: string | undefined;
} {
  let rest = text.trim();
  let mark: Mark | undefined;
  let word: string | undefined;
  let picture: Mark | undefined;
  for (let turn = 0; turn < 8 && rest !== ''; turn += 1) {
    const size = edgeOf(rest);
    if (size === 0) break;
    const taken = size > 0 ? rest.slice(0, size) : rest.slice(size);
    rest = size > 0 ? rest.slice(size) : rest.slice(0, size);
    const byWord = phraseMark(taken);
    if (byWord !== undefined) {
      mark = byWord;
      word = trimmed(taken);
    }
    picture ??= pictureMark(taken);
  }
  mark ??= picture;
  return {
    rest: mark ? rest.replace(/\s+[-–—|·=<>]{1,3}$/, '') : rest,
    mark,
    word,
  };
}

function trimmed(text: string): string {
  const words = text.replace(OUTER, '').replace(OUTER_END, '');
  return words.includes('(') && !words.includes(')') ? `${words})` : words;
}

const BOX = String.raw`\[[ \-~${TICKS}]\ufe0f?\]`;
const LEADING = pattern`^(?:\s|${PICTURE}|${BOX}){1,20}`;
const LEADING_WORD =
  /^(?:\[[^\][]{2,40}\]|\*\*[^*]{2,40}\*\*|\([^()]{2,40}\))\s*[:–—-]?\s*(?=\S)/;
const TRAILING = pattern`(?:\s|${PICTURE}|${BOX}|<-{1,3}){1,20}$`;
/** Bracketed, bold, or behind an arrow or a picture. */
const TRAILING_WORD = [
  /\s*(?:\([^()]{2,80}\)|\[[^\][]{2,80}\]|\*\*[^*]{2,80}\*\*|__[^_]{2,80}__|(?<=\s)\*[^*]{2,80}\*|`[^`]{2,80}`)[.:]?$/,
  pattern`\s*(?:${PICTURE}|<-{1,3})+\s*(?:(?!${PICTURE}).){2,80}$`,
];
const DASH = /(?:\s[-–—|·=]{1,2}>?|[:,;]|\.{1,3})\s+(?:status:\s+)?(?=\S)/gi;
const CAPITALS =
  /(?<=[a-zß-öø-ÿά-ώа-џ\u0531-\u1fff\u3040-\ud7ff].*)\s(?:IS )?(?:(?:IN|NOT|ON)[ _-])?[A-Z]{3,}$/;
const REMARK =
  /\s*(?:\([^()]{1,60}\)|\[[^\][]{1,60}\]|(?:on |since |as of )?(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}))$/i;

/** How many characters at the start of a text are a mark, or, as a negative number, at its end. */
function edgeOf(text: string): number {
  const lead = LEADING.exec(text)?.[0] ?? '';
  if (lead.trim() !== '') return lead.length;
  const [word = ''] = LEADING_WORD.exec(text.slice(0, 60)) ?? [];
  if (phraseMark(word)) return word.length;

  // Only the end is searched, so that a long line stays cheap.
  const end = text.slice(-120);
  const [tail = ''] = TRAILING.exec(end) ?? [];
  if (tail.trim() !== '') return -tail.length;
  // From the last dash back: a date may follow the words behind it.
  const dashes = [...end.matchAll(DASH)].toReversed().slice(0, 4);
  const ends = [
    ...TRAILING_WORD.map((each) => each.exec(end)?.[0] ?? ''),
    ...dashes.map(({ index }) => end.slice(index)),
    CAPITALS.exec(end)?.[0] ?? '',
  ];
  const taken = ends.find(
    (each) =>
      each.length < text.length &&
      (phraseMark(each) ?? (!/\w/.test(each) && pictureMark(each))),
  );
  if (taken !== undefined) return -taken.length;
  // A date, a commit or a remark may follow the mark, which the next turn takes.
  const [remark = ''] = REMARK.exec(end) ?? [];
  const name = text.slice(0, -remark.length);
  const size = remark === '' ? 0 : edgeOf(name);
  const mark = size < 0 ? name.slice(size) : '';
  return (phraseMark(mark) ?? pictureMark(mark)) ? -remark.length : 0;
}

/**
 * What the value of a status field says about the whole workflow; undefined if the words say nothing. The whole value
 * decides: `Phase 1 complete, Phase 2 in progress` is not done, and nor is `Complete except for the docs`.
 */
export function standOf(value: string): Mark | undefined {
  // `In Progress | Owner: Bob` are two fields in one line; `Not Started | In Progress | Complete` is not filled in.
  const parts = value.slice(0, 400).split(/\s[|·•]\s/);
  const [text = ''] = parts;
  if (parts.length > 2 && parts.every(phraseMark)) return undefined;
  const words = text
    .replaceAll(PICTURES, ' ; ')
    .replaceAll(/[*\x60"'!~#]/g, ' ')
    .toLowerCase()
    .replaceAll(/(?<=[a-z])[_-](?=[a-z])/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(
      /\b(?:was|previously|formerly|no open|no further|nothing) [^,;()]*/g,
      '',
    )
    .replace(/^[\s;]+/, '')
    .trim();
  const picture =
    pictureMark(text.replaceAll(/[✅☑✔✓]/g, '')) ?? pictureMark(text);
  // A mark for a phase that is skipped says nothing about a plan.
  if (!HAS_WORD.test(words)) return picture === 'skipped' ? undefined : picture;
  if (IS_PAUSED.test(words)) return 'paused';
  if (/^(?:(?:is|still|currently) )*(?:blocked|stuck)\b/.test(words))
    return 'blocked';
  const whole = words.replace(ALL_OF_ALL, 'all');
  const isTicked = picture === undefined || picture === 'done';
  if (isTicked && !isPart(words) && isFinished(whole)) return 'done';
  if (!isUnderWay(words))
    for (const [mark, isMet] of PLAN_PHRASES) if (isMet(words)) return mark;
  if (isUnderWay(words) || FINISHED_WORD.test(words)) return 'under way';
  return picture === 'under way' ? picture : undefined;
}

const PICTURES = new RegExp(pattern`${PICTURE}+|\[[ \-~xX✓✔]\]`, 'g');
const HAS_WORD = pattern`[${LETTERS}]`;

const IS_PAUSED = pattern`^(?:(?:is|still|currently|temporarily|now) )*(?:${PAUSED}|pause|hold(?:ing)?|awaiting|parked|shelved|postponed|deferred|stalled|stopped|interrupted)\b`;
const PLAN_PHRASES: readonly [Mark, (text: string) => boolean][] = [
  [
    'skipped',
    phrase(
      `${CANCELLED}|deprecated|rejected|withdrawn|discarded|scrapped|replaced|wontfix`,
    ),
  ],
  [
    'open',
    phrase(
      `${NOT_STARTED}|not (?:yet )?(?:in progress|active)|to be (?:started|done)|inactive|draft|proposed|proposal|new|idea`,
    ),
  ],
];

/** `5/5 phases`. */
const ALL_OF_ALL = /(?<![\d./-])(\d{1,4}) ?(?:\/|of|out of) ?\1(?= )/;
const FINISHED_WORD = pattern`\b(?:${DONE})\b`;
const FINISHED_START = pattern`^(?:(?:${ALL}|(?:the )?(?:plan|project|implementation|work)) )?(?:(?:is|are|has been|have been|was|now|fully|successfully|100 ?%) )*(?:(?:${DONE})(?: successfully)?|100 ?%)(?= |$)`;
const DAYS = `${DATES}|today|yesterday|mon|tue|wed|thu|fri|sat|sun`;
/** Not a deadline (`by Friday`), and not a part (`on the backend`, `in principle`). */
const NOTE = pattern`^(?:(?:(?:on|at|in|into|to) )?(?:${DAYS}|(?:pr|mr|commit|version|release|main|master|trunk|dev\w*|prod\w*|full|spec|last)\b)|by (?!${DAYS}|(?:the )?end|eo|tomorrow)|(?:via|since|as of|with all|see|moved|all|verified|tested|reviewed|approved|documented|no)\b)`;
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
    return (
      rest === '' ||
      (NOTE.test(rest) && !CONTRARY.test(rest) && !isUnderWay(rest))
    );
  });
}

const ONGOING = pattern`(?<!\b(?:not|not yet|no longer|never|to be) )\b(?:${UNDER_WAY}|incomplete|actively|currently|continues?|continuing|half\w*|unfinished|(?:implement|build|fix|rework)ing|(?<!in )progress\w*|needs?|remaining|iterating|review(?:ing)?|phases? (?:\d|[a-z]\b|[ivx]+\b)|[1-9]\d? ?%)(?:\b|(?<=%))`;
const DOING =
  /^(?!waiting|awaiting|pending|missing|nothing|upcoming|planning|holding|during|existing|according)[a-z]{2,20}ing\b/;
const STAGE =
  /^(?:in )?(?:design|implementation|development|testing|qa|build)(?: (?:phase|stage))?$/;

const isUnderWay = (words: string): boolean =>
  ONGOING.test(words) || DOING.test(words) || STAGE.test(words);
