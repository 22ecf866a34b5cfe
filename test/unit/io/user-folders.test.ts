import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { configFolder } from '../../../src/io/user-folders.ts';

test('what belongs to the user is in .claude in the home folder', () => {
  expect(configFolder({}, '/home/ann')).toBe('/home/ann/.claude');
});

test('or where CLAUDE_CONFIG_DIR says', () => {
  expect(configFolder({ CLAUDE_CONFIG_DIR: '/else/where' }, '/home/ann')).toBe('/else/where');
});

test('an empty CLAUDE_CONFIG_DIR says nothing', () => {
  expect(configFolder({ CLAUDE_CONFIG_DIR: '' }, '/home/ann')).toBe('/home/ann/.claude');
});

test('a path in CLAUDE_CONFIG_DIR counts from the working folder', () => {
  expect(configFolder({ CLAUDE_CONFIG_DIR: 'cfg' }, '/home/ann')).toBe(resolve('cfg'));
});
