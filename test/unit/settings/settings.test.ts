import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  describeSettings,
  DEFAULTS,
  loadSettings,
  readSettings,
} from '../../../src/settings/settings.ts';
import { makeProject } from '../../support/project.ts';

const readText = (text: string) => {
  const { settings, problems } = readSettings(text);
  return { settings, problems: describeSettings(problems) };
};

const read = (json: unknown) => readText(JSON.stringify(json));

test('every key has a default', () => {
  expect(read({})).toEqual({ settings: DEFAULTS, problems: [] });
  expect(DEFAULTS).toEqual({
    detect: {
      local_file: 'CLAUDE.local.md',
      plans: ['CLAUDE/Plan/*/PLAN.md'],
      formats: [
        'spec-kit',
        'openspec',
        'planning-with-files',
        'gsd',
        'superpowers',
        'kiro',
        'taskmaster',
        'conductor',
        'bmad',
      ],
    },
    restore: {
      startup: 'offer',
      confirm: false,
      max_chars: 8000,
      inline_chars: 2000,
    },
    reading: { enforce: 'remind' },
    subagents: 'brief',
    context: { perform: 'auto', record: 'on', warn: [65, 80] },
    todo: { file: 'TODO.md' },
    critical_artifacts: {},
  });
});

test('they are read from the project, with or without a byte order mark, and never from outside it', () => {
  expect(loadSettings(makeProject().root)).toEqual({
    settings: DEFAULTS,
    problems: [],
  });
  const file = '.claude/holdfast.json';
  const project = makeProject({
    [file]: '\uFEFF{"reading": {"enforce": "off"}}',
  });
  expect(loadSettings(project.root).settings.reading.enforce).toBe('off');
  const other = makeProject();
  other.link(file, project.at(file));
  expect(loadSettings(other.root)).toEqual({
    settings: DEFAULTS,
    problems: ['not read: outside the project; the defaults are used'],
  });
});

describe('a bad value', () => {
  test.each([
    [
      { restore: { startup: 'always' } },
      '"restore.startup"',
      'offer, full, off',
    ],
    [
      { restore: { inline_chars: 'many' } },
      '"restore.inline_chars"',
      'a whole number',
    ],
    [
      { detect: { plans: ['ok.md', '../x.md'] } },
      '"detect.plans.1"',
      'inside the project',
    ],
  ])(
    '%j is named with what it takes, and the default is used',
    (json, name, expected) => {
      const { settings, problems } = read(json);
      expect(settings).toEqual(DEFAULTS);
      expect(problems).toHaveLength(1);
      expect(problems[0]).toContain(name);
      expect(problems[0]).toContain(expected);
      expect(problems[0]).toContain('the default is used');
    },
  );

  test.each([
    '/etc/passwd',
    '../up.md',
    'a/../../b',
    '~/x',
    'C:\\x',
    '\\\\host\\x',
    'a/**',
    '',
  ])('the path %j may not lead out of the project', (path) => {
    const { settings, problems } = read({
      detect: { local_file: path },
      todo: { file: path },
    });
    expect(settings).toEqual(DEFAULTS);
    expect(problems).toHaveLength(2);
  });
});

test('one bad key costs that key only, and every one is named', () => {
  const { settings, problems } = read({
    restore: { startup: 'full', max_chars: 1, extra: 1 },
    reading: { enforce: 'never' },
    todo: { file: 'docs/TODO.md' },
    more: true,
  });
  expect(settings).toEqual({
    ...DEFAULTS,
    restore: { ...DEFAULTS.restore, startup: 'full' },
    todo: { file: 'docs/TODO.md' },
  });
  expect(
    problems.map((problem) => /"([^"]+)"/.exec(problem)?.[1] ?? '').toSorted(),
  ).toEqual(['more', 'reading.enforce', 'restore.extra', 'restore.max_chars']);
});

test.each(['', '{', '// comment {}', '{"a":1,}', '[]', 'null', '"text"', '3'])(
  '%j is no object of JSON: the defaults',
  (text) => {
    expect(readText(text)).toEqual({
      settings: DEFAULTS,
      problems: [
        expect.stringMatching(
          /^it (?:is not|must be a) JSON .+ the defaults are used$/,
        ),
      ],
    });
  },
);

test('whatever is in the file, the settings can be used', () => {
  const sections = fc.constantFrom(
    'detect',
    'restore',
    'reading',
    'todo',
    'critical_artifacts',
  );
  const keys = fc.constantFrom(
    'plans',
    'local_file',
    'startup',
    'max_chars',
    'enforce',
    'file',
  );
  const json = fc.dictionary(
    sections,
    fc.oneof(fc.jsonValue(), fc.dictionary(keys, fc.jsonValue())),
  );
  fc.assert(
    fc.property(fc.oneof(json, fc.jsonValue()), (given) => {
      const { settings } = read(given);
      expect(read(settings)).toEqual({ settings, problems: [] });
    }),
  );
});
