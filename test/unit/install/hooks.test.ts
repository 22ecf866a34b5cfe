import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commandFor, isOurHook } from '../../../src/install/host-commands.ts';
import {
  hookEntries,
  misshapenPart,
  placesOfHooks,
  placesOfOurs,
  withHooks,
  withoutHooks,
} from '../../../src/install/hooks.ts';
import { repetitions } from '../../support/repetitions.ts';

const command = commandFor('/home/ann/.claude/holdfast/bin/hook.sh');
const wanted = hookEntries(command, false);
const blocking = hookEntries(command, true);
const theirs = { type: 'command', command: 'their-tool check' };
/** As a holdfast in another folder, or with other limits, registers it. */
const old = {
  type: 'command',
  command: commandFor('/old/bin/hook.sh')('PreCompact'),
  timeout: 60,
};

const jsonOf = (text: string): unknown => JSON.parse(text);
const foreignIn = (text: string): object[] =>
  placesOfHooks(jsonOf(text))
    .filter(({ hook }) => !isOurHook(hook))
    .map(({ event, matcher, hook }) => ({ event, matcher, hook }));
const oursIn = (text: string): object[] =>
  placesOfOurs(text).map(({ event, matcher, hook }) => ({
    event,
    matcher,
    hook,
  }));

describe('of any settings', () => {
  const anyHook = fc.constantFrom<unknown>(
    theirs,
    { type: 'command', command: 'timeout 5 holdfast hook' },
    { type: 'prompt', prompt: 'holdfast hook' },
    'not a hook',
    null,
    old,
    { type: 'command', command: command('PreCompact') },
    wanted[0]?.hook,
  );
  const anyGroup = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record(
        {
          matcher: fc.constantFrom('', '*', 'Read', 'startup'),
          hooks: fc.array(anyHook, { maxLength: 4 }),
        },
        { requiredKeys: ['hooks'] },
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom<unknown>(null, 'x', {}, { hooks: 'x' }, []),
    },
  );
  const events = [
    'SessionStart',
    'PreCompact',
    'PreToolUse',
    'PostToolUse',
    'Stop',
    '__proto__',
  ];
  const anySettings = fc
    .tuple(
      fc.array(
        fc.tuple(
          fc.constantFrom(...events),
          fc.array(anyGroup, { maxLength: 3 }),
        ),
      ),
      fc.boolean(),
      fc.boolean(),
    )
    .map(([pairs, hasHooks, isFirst]) => {
      const hooks: [string, unknown][] = hasHooks
        ? [['hooks', Object.fromEntries(pairs)]]
        : [];
      const model: [string, unknown] = ['model', 'x'];
      return Object.fromEntries(
        isFirst ? [...hooks, model] : [model, ...hooks],
      );
    });
  const anyText = fc
    .tuple(anySettings, fc.constantFrom('', '  ', '\t'))
    .map(([json, unit]) => JSON.stringify(json, null, unit));

  test('each hook of ours is there once, a second time changes nothing, those of others keep their order', () => {
    fc.assert(
      fc.property(anyText, fc.boolean(), (text, isBlocking) => {
        const entries = isBlocking ? blocking : wanted;
        const after = withHooks(text, entries);
        expect(oursIn(after)).toHaveLength(entries.length);
        expect(oursIn(after)).toEqual(expect.arrayContaining(entries));
        expect(withHooks(after, entries)).toBe(after);
        expect(foreignIn(after)).toEqual(foreignIn(text));
      }),
      { numRuns: repetitions(150) },
    );
  });

  test('in and out again: none of ours is left, and all of the others', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const after = withoutHooks(withHooks(text, blocking), jsonOf(text));
        expect(oursIn(after)).toEqual([]);
        expect(foreignIn(after)).toEqual(foreignIn(text));
        expect(jsonOf(after)).toMatchObject({ model: 'x' });
      }),
      { numRuns: repetitions(150) },
    );
  });
});

describe('settings in a form that the host does not read', () => {
  test.each<[unknown, string | null]>([
    [[], 'the file'],
    [{ hooks: [] }, '"hooks"'],
    [{ hooks: { Stop: [], SessionStart: {} } }, '"hooks.SessionStart"'],
    [{ hooks: { Stop: [{ hooks: [] }, null] } }, '"hooks.Stop[1]"'],
    [
      { hooks: { Stop: [{ hooks: [{ type: 'command' }] }] } },
      '"hooks.Stop[0].hooks[0]"',
    ],
    [
      {
        hooks: { Stop: [{ hooks: [{ type: 'of a later version', way: 1 }] }] },
      },
      null,
    ],
    [{}, null],
  ])('%j: %s', (json, part) => {
    expect(misshapenPart(json)).toBe(part);
  });
});
