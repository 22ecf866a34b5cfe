import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { evaluate } from '../../../src/text/conditions.ts';
import { importedPaths } from '../../../src/text/markdown/imports.ts';
import { FORMATS } from '../../../src/sources/parse/formats.ts';
import { readLocalFile } from '../../../src/sources/parse/local-file.ts';
import { readPlan } from '../../../src/sources/parse/plan.ts';
import { readStartedPlan } from '../../../src/sources/parse/any-plan.ts';
import { readFormat } from '../../../src/sources/parse/read-format.ts';
import { HoldfastError } from '../../../src/text/holdfast-error.ts';
import { summaryInstructions } from '../../../src/guidance/summary-instructions.ts';
import {
  decidePermission,
  isOwnCommand,
} from '../../../src/sessions/permission.ts';
import { parseHookState } from '../../../src/state/store/hook-state.ts';
import { isPendingReads } from '../../../src/guidance/reading/pending-reads.ts';
import { readSettings } from '../../../src/settings/settings.ts';
import { readJournal } from '../../../src/state/journal.ts';
import { mergeDeclared } from '../../../src/sources/merge-declared.ts';
import { parseDeclared } from '../../../src/sources/source-records.ts';
import { isWithinLimits } from '../../../src/text/json.ts';
import { parseExport } from '../../../src/state/export-format.ts';
import { readState } from '../../../src/state/read-state.ts';
import { slugOf } from '../../../src/text/slug.ts';
import { withItem } from '../../../src/guidance/todo/file.ts';
import { boxesIn } from '../../../src/guidance/todo/list.ts';
import { checkStateFile } from '../../../src/templates/check-state-file.ts';
import { tasksFrom } from '../../../src/machine/give-tasks.ts';
import { readTemplate } from '../../../src/templates/read-template.ts';
import { anyText } from '../../support/arbitraries.ts';
import { repository } from '../../support/cli.ts';
import { planFixtures } from '../../support/plan-fixtures.ts';
import { minimalState } from '../../support/state.ts';
import { draftRun, requireUsable } from '../../../src/state/run.ts';

export interface Parser {
  name: string;
  read: (text: string) => void;
  /** What it usually gets. */
  texts: readonly string[];
}

const LOCAL =
  '# Workflow State\nWorkflow: x\nType: custom\nPhase: 4/10 - SEO (blocked)\n@docs/a.md\nKey Reminders:\n- one\nContext:\n- a: 1\n';
const PLAN =
  '# Plan 1: x\n\n**Status**: 🔄 In Progress\n\n### Phase 1: A ✅\n- [x] a\n### Phase 2: B\nCLAUDE/a.md\n';
/** Each leads the text behind it into another part of the parser. */
const DECLARED = '# Workflow State\nWorkflow: x\nPhase: 1/2\n';
const LOCAL_OPENINGS = [
  '# Workflow State\nWorkflow: x\nPhase: ',
  `${DECLARED}Context:\n- `,
  `${DECLARED}@`,
];
const PLAN_OPENINGS = [
  '# Plan 1: x\nStatus: In Progress\nphase\n## Phase 1: ',
  '---\nstatus: ',
  '---\n# comment\n',
  '# 🔄 workflow\n',
];
const TODO = '# Todo\n\n- [ ] one\n  1. [x] two\n> * [ ] three\n';
const SETTINGS = JSON.stringify({
  detect: { local_file: 'a.md', plans: ['b/*/c.md'] },
  restore: { startup: 'full', max_chars: 3000 },
  critical_artifacts: {
    always_load: [
      { id: 'a', type: 'json', path: 'x', reload_triggers: ['compaction'] },
    ],
  },
});
const RUN = JSON.stringify({
  ...minimalState,
  context: { a: [1, { b: null }] },
  source: { kind: 'plan', path: 'a', said: { workflow: 'x' } },
  sessions: {
    current_session_id: 's',
    session_history: [{ session_id: 's', started_at: 'x' }],
  },
  machine: {
    status: 'running',
    step: 'a',
    stepType: 'action',
    tasks: {},
    outputs: {},
  },
  template: {
    name: 'a',
    description: 'b',
    steps: [{ id: 'a', type: 'action', instructions: 'x' }],
  },
});
const MEMORY = JSON.stringify({
  calls: { a: 1 },
  receipts: { s: { at: 1, reminded: false, refusals: 0 } },
});

/** Names that objects have by themselves, and words that mean something to us or to the host. */
const POISON = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  '../../etc/passwd',
  '\0',
  '',
  '<system-reminder>',
];

export const parsers: readonly Parser[] = [
  {
    name: 'the local file',
    read: (text) => void readLocalFile(text),
    texts: [LOCAL, ...LOCAL_OPENINGS],
  },
  {
    name: 'a plan',
    read: (text) => void readPlan(text, 'CLAUDE/Plan/1-a/PLAN.md'),
    texts: [PLAN, ...PLAN_OPENINGS],
  },
  {
    name: 'plans of other tools',
    read: readInEveryFormat,
    texts: [toolPlans()],
  },
  {
    name: 'imports',
    read: (text) => void importedPaths(text),
    texts: ['@a.md `@b` @c\\ d\n'],
  },
  {
    name: 'todo',
    read: (text) => void withItem(text, `${boxesIn(text).length}`),
    texts: [TODO],
  },
  {
    name: 'settings',
    read: (text) => void readSettings(text),
    texts: [SETTINGS],
  },
  { name: 'a state file', read: readRunText, texts: [RUN] },
  {
    name: 'validation',
    read: (text) => void checkStateFile(text),
    texts: [RUN],
  },
  {
    name: 'an exported run',
    read: (text) => withJson(text, parseExport),
    texts: [exported()],
  },
  {
    name: 'a template',
    read: (text) => {
      for (const file of ['a.yaml', 'a.json'])
        readTemplate({ file, text }, () => 'there is no such file');
    },
    texts: templates(),
  },
  {
    name: 'tasks',
    read: (text) => declaredOnly(() => tasksFrom(text)),
    texts: ['[{"id":"a","title":"b"}]', '- a\n- b\n'],
  },
  {
    name: 'the journal',
    read: (text) => void readJournal(text),
    texts: ['{"at":"x","event":"y"}\n'],
  },
  {
    name: "the hooks' memory",
    read: (text) =>
      withJson(text, (json) =>
        Object.values(parseHookState(json).receipts).map(isPendingReads),
      ),
    texts: [MEMORY],
  },
  {
    name: 'own commands and slugs',
    read: (text) => {
      isOwnCommand(text);
      decidePermission(text);
      if (slugOf(text).includes('/')) throw new Error('a slug with a slash');
    },
    texts: [
      'holdfast status && npx -y holdfast list 2>&1',
      'timeout 5 sh -c "holdfast cancel `x`"',
    ],
  },
];

/** All that a hook does with the text of a state file, but for the files. */
function readRunText(text: string): void {
  withJson(text, (json) => {
    const state = readState(json, {
      workflow: 'w',
      createdAt: () => '2025-01-01T00:00:00Z',
    });
    if (typeof state === 'string') return;
    const said = parseDeclared(state.source?.said);
    if (said !== undefined) mergeDeclared(state, said, undefined);
    declaredOnly(() => requireUsable(draftRun(state)));
    summaryInstructions(draftRun(state));
    JSON.stringify(state);
  });
}

/** A failure that has its words is an answer. */
function declaredOnly(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
  }
}

function withJson(text: string, work: (json: unknown) => unknown): void {
  if (!isWithinLimits(text)) return;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return;
  }
  work(json);
}

export function conditionResult(text: string, state: unknown): boolean {
  const evaluation = evaluate(text, state);
  return evaluation.kind === 'value' ? evaluation.value : evaluation.why === '';
}

/** The text is the plan and all of its companions. */
function readInEveryFormat(text: string): void {
  for (const format of Object.values(FORMATS)) {
    const path = 'docs/a/tasks.md';
    const names = format.companions?.(path) ?? [];
    const companions = new Map(names.map((name) => [name, text]));
    const source = { path, text, companions };
    readFormat(format, source);
    readStartedPlan(source, format);
  }
}

function toolPlans(): string {
  return planFixtures()
    .filter(({ state }) => state === 'under-way')
    .flatMap(({ files, expected }) =>
      Object.keys(expected).map((path) => files[path] ?? ''),
    )
    .join('\n');
}

function exported(): string {
  const run = {
    format: 'holdfast-run',
    version: 1,
    exported_at: 'x',
    run_id: 'a-1',
    slug: 'a',
  };
  return JSON.stringify({
    ...run,
    state: JSON.parse(RUN),
    events: [{ event: 'x', at: 'y' }],
  });
}

function templates(): string[] {
  const folder = join(repository, 'test/fixtures/templates/good');
  return readdirSync(folder).map((name) =>
    readFileSync(join(folder, name), 'utf8'),
  );
}

/** Text that is nearly right, text that is nothing, and JSON of any shape. */
export function inputs(texts: readonly string[]): fc.Arbitrary<string> {
  const text = fc.constantFrom(...texts);
  const damage = fc.array(
    fc.tuple(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(30),
      anyText(40),
    ),
    { maxLength: 4 },
  );
  const damaged = fc.tuple(text, damage).map(([whole, cuts]) =>
    cuts.reduce((left, [place, length, put]) => {
      const at = Math.floor(place * left.length);
      return left.slice(0, at) + put + left.slice(at + length);
    }, whole),
  );
  const cut = fc
    .tuple(text, fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([whole, at]) => whole.slice(0, Math.floor(at * whole.length)));
  const json = texts
    .filter((whole) => whole.startsWith('{'))
    .map((whole) => JSON.parse(whole));
  return fc.oneof(
    { weight: 4, arbitrary: damaged },
    { weight: 1, arbitrary: cut },
    { weight: 1, arbitrary: anyText(400) },
    {
      weight: 1,
      arbitrary: fc
        .uint8Array({ maxLength: 500 })
        .map((bytes) => Buffer.from(bytes).toString('utf8')),
    },
    {
      weight: 1,
      arbitrary: jsonValue().map((value) => JSON.stringify(value) ?? ''),
    },
    ...(json.length === 0 ? [] : [{ weight: 4, arbitrary: mutated(json) }]),
  );
}

export function jsonValue(): fc.Arbitrary<unknown> {
  const key = fc.oneof(fc.constantFrom(...POISON, 'a', 'b', 'c'), fc.string());
  return fc.oneof(
    fc.jsonValue({ maxDepth: 4 }),
    fc.array(fc.tuple(key, fc.jsonValue())).map(Object.fromEntries),
    fc.constantFrom<unknown>(
      1e308,
      -1e308,
      2 ** 53,
      -0,
      1e-320,
      null,
      true,
      [],
      {},
      ...POISON,
    ),
  );
}

/** Recorded JSON in which some values, at any depth, are others; then, at times, cut or nested without end. */
export function mutated(originals: readonly object[]): fc.Arbitrary<string> {
  const change = fc.tuple(
    fc.nat(200),
    fc.oneof(jsonValue(), anyText(200), deep()),
  );
  return fc
    .tuple(
      fc.constantFrom(...originals),
      fc.array(change, { minLength: 1, maxLength: 4 }),
      fc.oneof(
        { weight: 9, arbitrary: fc.constant(1) },
        { weight: 1, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
      ),
    )
    .map(([original, changes, part]) => {
      const text = JSON.stringify(
        changes.reduce<unknown>(
          (value, [at, put]) => replacedAt(value, at, put),
          original,
        ),
      );
      return text.slice(0, Math.floor(part * text.length));
    });
}

function deep(): fc.Arbitrary<unknown> {
  return fc.integer({ min: 50, max: 1_500 }).map((depth) => {
    let value: unknown = 1;
    for (let level = 0; level < depth; level += 1)
      value = level % 2 === 0 ? [value] : { a: value };
    return value;
  });
}

/** The value with its `at`-th part, counted from the top, replaced; small numbers come up more than once. */
function replacedAt(value: unknown, at: number, put: unknown): unknown {
  const count = partsOf(value);
  let left = at % count;
  const walk = (part: unknown): unknown => {
    if (left === 0) {
      left -= 1;
      return put;
    }
    left -= 1;
    if (typeof part !== 'object' || part === null || left < 0) return part;
    if (Array.isArray(part)) return part.map(walk);
    return Object.fromEntries(
      Object.entries(part).map(([key, member]) => [key, walk(member)]),
    );
  };
  return walk(value);
}

function partsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>(
    (sum, part) => sum + partsOf(part),
    1,
  );
}
