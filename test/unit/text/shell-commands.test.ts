import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shellCommands } from '../../../src/text/shell-commands.ts';

const SPECIAL = Array.from(`ab '"\\\n<;&|()\`#$-`);

describe('shellCommands', () => {
  it.each([
    [
      'cd a && holdfast advance x; echo ok',
      [
        ['cd', 'a'],
        ['holdfast', 'advance', 'x'],
        ['echo', 'ok'],
      ],
    ],
    [
      `holdfast fail x --reason 'a; b'`,
      [['holdfast', 'fail', 'x', '--reason', 'a; b']],
    ],
    [
      `holdfast start "User \\"Auth\\""`,
      [['holdfast', 'start', 'User "Auth"']],
    ],
    [
      'echo "a $(holdfast advance x)"',
      [
        ['holdfast', 'advance', 'x'],
        ['echo', 'a $(holdfast advance x)'],
      ],
    ],
    [
      'holdfast show $(a "$(b)") `c d` x',
      [
        ['b'],
        ['a', '$(b)'],
        ['c', 'd'],
        ['holdfast', 'show', '$(a "$(b)")', '`c d`', 'x'],
      ],
    ],
    [
      'echo $((1 << (2 + 3))) x\nls',
      [['1'], ['2', '+', '3'], ['echo', '$((1 << (2 + 3)))', 'x'], ['ls']],
    ],
    ['cat < in 2>&1 > out x', [['cat', 'x']]],
    ['cat <(ls) x', [['cat'], ['ls'], ['x']]],
    ["echo $'it\\'s' x", [['echo', "$'it\\'s'", 'x']]],
    ['# holdfast advance x\nls', [['ls']]],
    ['', []],
  ])('reads %j', (line, expected) => {
    expect(shellCommands(line)).toEqual(expected);
  });

  it.each([
    ["cat > notes.md <<'EOF'\nholdfast advance x\nEOF\nls", [['cat'], ['ls']]],
    ['cat <<EOF\nholdfast advance x', [['cat']]],
    [
      'cat <<EOF\n"$(holdfast list)\nEOF\nls',
      [['holdfast', 'list'], ['cat'], ['ls']],
    ],
    ["cat <<'EOF'\n$(holdfast list)\nEOF\nls", [['cat'], ['ls']]],
    [
      'cat <<-"END" && echo done\n\tholdfast advance x\n\tEND\n',
      [['cat'], ['echo', 'done']],
    ],
    ['cat <<E"O"F\nholdfast advance x\nEOF\nls', [['cat'], ['ls']]],
    ["cat <<'E'O\\F\n$(holdfast list)\nEOF\nls", [['cat'], ['ls']]],
    ["cat <<'EOF'\n\tEOF\nholdfast advance x\nEOF\nls", [['cat'], ['ls']]],
  ])('takes the text of a here-document for text: %j', (line, expected) => {
    expect(shellCommands(line)).toEqual(expected);
  });

  it('answers any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...SPECIAL) }), (line) => {
        expect(shellCommands(line).every((words) => words.length > 0)).toBe(
          true,
        );
      }),
    );
  });
});
