import { expect, it } from 'vitest';
import { nameOf } from '../../../src/commands/command.ts';
import { COMMANDS } from '../../../src/commands/table.ts';
import { decidePermission } from '../../../src/sessions/permission.ts';

/** Hooks cannot load the table, so they have a list of their own. */
it.each(COMMANDS.map((command) => [nameOf(command), command.agent] as const))(
  'hooks decide about `holdfast %s` as its definition says',
  (name, agent) => {
    const decision = { may: 'allow', asked: 'ask' } as const;
    expect(decidePermission(`holdfast ${name}`)).toBe(
      agent === undefined ? null : decision[agent],
    );
  },
);
