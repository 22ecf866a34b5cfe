import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shellCommands } from '../../../src/util/shell-commands.ts';

const SPECIAL = Array.from(`ab '"\\\n<;&|()\`#$-`);

describe('shellCommands', () => {
  it.each([
    ['git status', [['git', 'status']]],
    [
      'cd a && holdfast advance x; echo ok',
      [
        ['cd', 'a'],
        ['holdfast', 'advance', 'x'],
        ['echo', 'ok'],
      ],
    ],
    [`holdfast fail x --reason 'a; b'`, [['holdfast', 'fail', 'x', '--reason', 'a; b']]],
    [`holdfast start "User \\"Auth\\""`, [['holdfast', 'start', 'User "Auth"']]],
    ['a\\ b c', [['a b', 'c']]],
    ['echo "$(holdfast advance x)"', [['echo', '$(holdfast advance x)']]],
    [
      'echo $(holdfast advance x)',
      [
        ['echo', '$'],
        ['holdfast', 'advance', 'x'],
      ],
    ],
    ['cat < in > out', [['cat', 'in', 'out']]],
    ['# holdfast advance x\nls', [['ls']]],
    ['a|b||c', [['a'], ['b'], ['c']]],
    ['', []],
  ])('reads %j', (line, expected) => {
    expect(shellCommands(line)).toEqual(expected);
  });

  it.each([
    ["cat > notes.md <<'EOF'\nholdfast advance x\nEOF\nls", [['cat', 'notes.md'], ['ls']]],
    ['cat <<EOF\nholdfast advance x', [['cat']]],
    ['cat <<-"END" && echo done\n\tholdfast advance x\n\tEND\n', [['cat'], ['echo', 'done']]],
  ])('takes the text of a here-document for text: %j', (line, expected) => {
    expect(shellCommands(line)).toEqual(expected);
  });

  it('answers any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...SPECIAL) }), (line) => {
        expect(shellCommands(line).every((words) => words.length > 0)).toBe(true);
      }),
    );
  });
});
