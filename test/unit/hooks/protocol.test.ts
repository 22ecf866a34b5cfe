import { describe, expect, test } from 'vitest';
import {
  contextReply,
  isFromSubagent,
  parseInput,
  stringField,
} from '../../../src/hooks/protocol.ts';
import { recorded } from '../../support/hooks.ts';

const parsed = (payload: unknown, named?: string) => parseInput(JSON.stringify(payload), named);

describe('the input of a hook', () => {
  test('is parsed as the real client sends it', () => {
    const text = recorded('sessionstart-compact', { session_id: 'me', cwd: '/project' });
    expect(parseInput(text, undefined)).toEqual({
      event: 'SessionStart',
      session: 'me',
      cwd: '/project',
      raw: JSON.parse(text),
    });
  });

  test('needs only the name of the event', () => {
    expect(parsed({ hook_event_name: 'PreCompact' })).toMatchObject({
      event: 'PreCompact',
      session: null,
      cwd: null,
    });
  });

  test('without a session is from the one that the environment names', () => {
    const event = { hook_event_name: 'PreCompact' };
    const sessionOf = (payload: object, environment: string): string | null | undefined =>
      parseInput(JSON.stringify(payload), undefined, environment)?.session;
    expect(sessionOf(event, 'there')).toBe('there');
    expect(sessionOf({ ...event, session_id: 'here' }, 'there')).toBe('here');
    expect(sessionOf(event, '')).toBeNull();
    expect(sessionOf(event, 'a'.repeat(10_000))).toBeNull();
  });

  test('ignores a folder or session id that is too long to be real', () => {
    const long = `/${'a'.repeat(10_000)}`;
    const given = { hook_event_name: 'PreCompact', cwd: long, session_id: long };
    expect(parsed(given)).toMatchObject({ cwd: null, session: null });
  });

  test('the event on the command line takes precedence over the payload', () => {
    expect(parsed({ hook_event_name: 'PreCompact' }, 'SessionEnd')?.event).toBe('SessionEnd');
    expect(parsed({}, 'SessionEnd')?.event).toBe('SessionEnd');
  });

  test.each([{}, { hook_event_name: '' }, { hook_event_name: 3 }])(
    '%j names no event',
    (payload) => {
      expect(parsed(payload)).toBeNull();
    },
  );

  test.each([null, 3, 'SessionStart', ['SessionStart']])('%j is not a payload', (payload) => {
    expect(parsed(payload, 'SessionStart')).toBeNull();
  });

  test.each(['', '{"hook_event_name":"Pre', 'PreCompact'])('%j is not JSON', (text) => {
    expect(() => parseInput(text, 'PreCompact')).toThrow(SyntaxError);
  });

  test.each([
    ['', null],
    [7, null],
    [null, null],
    [{}, null],
    ['me', 'me'],
  ])('a session of %j is %j', (session_id, session) => {
    expect(parsed({ session_id, cwd: session_id }, 'x')).toMatchObject({ session, cwd: session });
  });
});

test('a sub-agent is recognised by its id', () => {
  const isSubagent = (payload: object): boolean =>
    isFromSubagent({ event: 'PreCompact', session: null, cwd: null, raw: { ...payload } });
  expect(isSubagent({ agent_id: 'a1' })).toBe(true);
  expect(isSubagent({ agent_id: '' })).toBe(false);
  expect(isSubagent({ agent_id: null })).toBe(false);
  expect(isSubagent({ agent_type: 'main' })).toBe(false);
});

test('an empty string or another type is not a string field', () => {
  expect(stringField({ source: 'compact' }, 'source')).toBe('compact');
  expect(stringField({ source: '' }, 'source')).toBeNull();
  expect(stringField({ source: 1 }, 'source')).toBeNull();
  expect(stringField({}, 'source')).toBeNull();
});

describe('the reply', () => {
  test('has text for the model and a line for the user', () => {
    expect(
      JSON.parse(contextReply('SessionStart', 'for\nthe model', 'for the user') ?? ''),
    ).toEqual({
      hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'for\nthe model' },
      systemMessage: 'for the user',
    });
  });

  test('has no line for the user if none was given', () => {
    expect(JSON.parse(contextReply('UserPromptSubmit', 'text', null) ?? '')).toEqual({
      hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'text' },
    });
  });

  test('is one line of JSON, whatever the text', () => {
    expect(contextReply('SessionStart', 'a\r\nb "c" \ud800', 'd\ne')).not.toMatch(/[\r\n\ud800]/);
  });
});
