import { describe, expect, test } from 'vitest';
import {
  commandBelow,
  commandFor,
  isOurHook,
  portableLine,
} from '../../../src/install/host-commands.ts';

describe('a hook is ours', () => {
  test('as init and the plugin write it', () => {
    const commands = [
      commandFor('/x y/it’s/holdfast/bin/hook.sh'),
      commandFor("/x'y/holdfast/bin/hook.sh"),
      commandFor('C:\\Users\\Ann Smith\\.claude\\holdfast\\bin\\hook.sh'),
      commandBelow('${CLAUDE_PLUGIN_ROOT}'),
      portableLine,
    ];
    for (const command of commands)
      expect(
        isOurHook({ type: 'command', command: command('PreCompact') }),
      ).toBe(true);
  });

  test.each([
    [
      'e=PreCompact; f=/x/holdfast/bin/hook.sh; [ -r "$f" ] && . "$f"; : ; other',
    ],
    ['e=PreCompact; f=/x/their/hook.sh; [ -r "$f" ] && . "$f"; :'],
    ['e=$(other); f=/x/holdfast/bin/hook.sh; [ -r "$f" ] && . "$f"; :'],
    ['e=PreCompact; f=/x/holdfast/bin/hook.sh; . "$f"'],
    ['e=PreCompact; f="$(other)/bin/hook.sh"; [ -r "$f" ] && . "$f"; :'],
    ['holdfast hook'],
    ['node /x/holdfast/dist/hook.cjs'],
  ])('and not for a shell: %s', (line) => {
    expect(isOurHook({ type: 'command', command: line })).toBe(false);
  });
});
