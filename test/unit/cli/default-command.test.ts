import { expect, it } from 'vitest';
import { withDefaultCommand } from '../../../src/cli/default-command.ts';

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
