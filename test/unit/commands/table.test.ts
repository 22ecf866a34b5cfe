import { expect, it } from 'vitest';
import { nameOf } from '../../../src/commands/command.ts';
import { COMMANDS } from '../../../src/commands/table.ts';
import { decidePermission } from '../../../src/sessions/permission.ts';

it('a permission is decided for every command, but for those that are left to the rules of the client', () => {
  const undecided = COMMANDS.map(nameOf).filter(
    (name) => decidePermission(`holdfast ${name}`) === null,
  );
  // They change nothing of a project, or only a person would think of them.
  expect(undecided).toEqual(['demo', 'export', 'dashboard', 'fill']);
});
