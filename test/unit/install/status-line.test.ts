import { expect, test } from 'vitest';
import {
  chainedIn,
  isOurStatusLine,
  programOf,
  statusLineCommand,
} from '../../../src/install/status-line.ts';

const OWN = `printf '%s\\n' "it's mine: $(cat)"; echo "\\$HOME" # done`;

test('a command of ours can be taken apart', () => {
  const program = programOf('node', "/home/a b/it's/.claude/holdfast/bin/holdfast.cjs");
  const chained = { command: OWN, isInherited: true };
  for (const each of [null, chained]) {
    const command = statusLineCommand(program, each);
    expect(isOurStatusLine({ type: 'command', command })).toBe(true);
    expect(chainedIn(command)).toEqual(each);
  }
});
