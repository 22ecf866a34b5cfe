import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkSettings } from '../../../src/doctor/check-settings.ts';
import { levels, LOCAL, COMMITTED, makePatient, of } from './support.ts';

test('without any settings nothing is wrong, and each place that was looked at is named', () => {
  const { examined, config } = makePatient();
  const findings = checkSettings.examine(examined());
  expect(levels(findings)).toEqual(['ok']);
  expect(findings[0]?.evidence).toEqual([
    `${LOCAL}: not there`,
    `${COMMITTED}: not there`,
    `${config}/settings.json: not there`,
    expect.stringContaining('managed-settings.json: not there'),
  ]);
});

describe('settings that the host silently ignores are broken, and told with the line', () => {
  test.each([
    ['a comment', '{\n  // mine\n  "model": "x"\n}', 2],
    ['a trailing comma', '{\n  "model": "x",\n}', 2],
  ])('%s', (why, text, line) => {
    const { examined, read } = makePatient({ [LOCAL]: text });
    const findings = checkSettings.examine(examined());
    expect(of('broken', findings)).toMatchObject([
      { evidence: [`${LOCAL}:${line}: ${why}`], fix: `correct line ${line} of ${LOCAL} by hand` },
    ]);
    expect(of('ok', findings)[0]?.evidence?.join()).not.toContain(LOCAL);
    expect(read(LOCAL)).toBe(text);
  });

  test('hooks of a form that it does not read', () => {
    const { examined } = makePatient({ [COMMITTED]: { hooks: { SessionStart: {} } } });
    expect(of('broken', checkSettings.examine(examined()))).toMatchObject([
      { message: `${COMMITTED}: "hooks.SessionStart" has not the form that the host reads` },
    ]);
  });
});

test('an empty file switches nothing off', () => {
  const { examined } = makePatient({ [LOCAL]: '\n' });
  const findings = checkSettings.examine(examined());
  expect(levels(findings)).toEqual(['ok']);
  expect(findings[0]?.evidence).toContain(`${LOCAL}: empty`);
});

describe('hooks that are switched off are broken', () => {
  test('by the user', () => {
    const { examined, configure } = makePatient();
    const path = configure('settings.json', { disableAllHooks: true });
    expect(of('broken', checkSettings.examine(examined()))).toMatchObject([
      { message: `${path} switches hooks off`, fix: `take "disableAllHooks" out of ${path}` },
    ]);
  });

  test('by a policy', () => {
    const { examined } = makePatient();
    const [path = ''] = examined().policyFiles;
    writeFileSync(path, '{"allowManagedHooksOnly": true}');
    expect(of('broken', checkSettings.examine(examined()))).toMatchObject([
      { message: `${path} switches hooks off`, fix: expect.stringContaining('ask whoever') },
    ]);
  });

  test('the key of a policy means nothing in a settings file', () => {
    const { examined } = makePatient({ [LOCAL]: { allowManagedHooksOnly: true } });
    expect(levels(checkSettings.examine(examined()))).toEqual(['ok']);
  });
});

test('a folder in the place of a settings file is broken', () => {
  const { examined } = makePatient({ [`${LOCAL}/x`]: '' });
  expect(of('broken', checkSettings.examine(examined()))).toMatchObject([
    { message: `${LOCAL} cannot be read: not a file` },
  ]);
});

test('what is wrong in the settings of holdfast itself is told by its name', () => {
  const { examined } = makePatient({ '.claude/holdfast.json': { reading: { enforce: 'loudly' } } });
  expect(of('warning', checkSettings.examine(examined()))).toMatchObject([
    { message: expect.stringContaining('"reading.enforce" must be one of') },
  ]);
});
