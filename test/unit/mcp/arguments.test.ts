import { describe, expect, test } from 'vitest';
import { Arguments } from '../../../src/mcp/arguments.ts';
import { saying } from '../../support/failures.ts';

const given = (values: Record<string, unknown>): Arguments =>
  new Arguments('tool', values, Object.keys(values));

describe('what a tool does not know is refused', () => {
  test('by name, with what it knows', () => {
    expect(() => new Arguments('tool', { outptu: 'x' }, ['output'])).toThrow(
      saying('unknown argument "outptu" for tool; available: output'),
    );
  });

  test('also in the objects of a list', () => {
    const call = given({ tasks: ['a', { title: 'b' }, { title: 'c', prio: 1 }] });
    expect(() => call.list('tasks', ['title'])).toThrow(
      saying('unknown argument "tasks[2].prio" for tool'),
    );
    expect(call.list('tasks', ['title', 'prio'])).toHaveLength(3);
  });

  test('names that every object has are no exception', () => {
    expect(() => new Arguments('tool', { constructor: 'x' }, ['output'])).toThrow(
      saying('constructor'),
    );
    expect(given({}).text('constructor')).toBeUndefined();
  });
});

describe('a text', () => {
  test.each([null, '', ' \n', undefined])('that says nothing is not given: %j', (blank) => {
    expect(given({ output: blank }).text('output')).toBeUndefined();
    expect(() => given({ output: blank }).requiredText('output')).toThrow(
      saying('output of tool must be text that is not blank'),
    );
  });

  test('is kept as it is', () => {
    expect(given({ output: ' two\n lines ' }).text('output')).toBe(' two\n lines ');
  });

  test.each([3, true, ['x'], {}])('is nothing else: %j', (value) => {
    expect(() => given({ output: value }).text('output')).toThrow(saying('must be text'));
  });
});

describe('a list', () => {
  test('of texts may be left out, and is nothing else', () => {
    expect(given({}).texts('artefacts')).toEqual([]);
    expect(given({ artefacts: ['a', 'b'] }).texts('artefacts')).toEqual(['a', 'b']);
    expect(() => given({ artefacts: 'a' }).texts('artefacts')).toThrow(saying('a list of texts'));
    expect(() => given({ artefacts: ['a', null] }).texts('artefacts')).toThrow(
      saying('a list of texts'),
    );
  });

  test('that is required must be one', () => {
    for (const value of [undefined, null, 'a', { 0: 'a' }])
      expect(() => given({ tasks: value }).list('tasks', [])).toThrow(
        saying('tasks of tool must be a list'),
      );
  });
});
