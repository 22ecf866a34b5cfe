import { expect, it } from 'vitest';
import { isCwdAfterCommand, withDefaultCommand } from '../../../src/cli/default-command.ts';

const words = (...given: string[]): string[] =>
  withDefaultCommand(['node', 'holdfast', ...given]).slice(2);

it.each([[[]], [['--json']], [['--cwd', 'status']], [['--cwd=x', '--session', 's', '--json']]])(
  'shows the dashboard for %j',
  (given) => {
    expect(words(...given)).toEqual([...given, 'dashboard']);
  },
);

it.each([
  [['status']],
  [['--help']],
  [['-V']],
  [['--cwd', 'x', 'list']],
  [['finish']],
  [['--cwd']],
  [['--json', '--session']],
])('leaves %j as it is', (given) => {
  expect(words(...given)).toEqual(given);
});

it.each([
  [['status', '--cwd', 'x']],
  [['status', '--cwd=x', '--json']],
  [['--cwd', 'x', 'status', '--cwd', 'y']],
  [['--json', '--session=s', 'start', 'name', '--cwd', 'x']],
])('sees that a folder is named behind the command in %j', (given) => {
  expect(isCwdAfterCommand(['node', 'holdfast', ...given])).toBe(true);
});

it.each([
  [['--cwd', 'status', 'list']],
  [['--cwd=x', 'status']],
  [['--session', 's', '--cwd', 'x', 'list', '--all']],
])('sees that no folder is named behind the command in %j', (given) => {
  expect(isCwdAfterCommand(['node', 'holdfast', ...given])).toBe(false);
});
