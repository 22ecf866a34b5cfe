import { expect, it } from 'vitest';
import { contextFactory } from '../../../../src/commands/run/drive-run.ts';
import { screen } from '../support.ts';

it('never acts for the session in which `run` was typed', () => {
  const { cli, project } = screen();
  const command = {
    ...cli({ session: 'interactive' }),
    environment: {
      PATH: '/bin',
      CLAUDECODE: '1',
      CLAUDE_PID: '17',
      CLAUDE_CODE_SESSION_ID: 'interactive',
      CLAUDE_PROJECT_DIR: '/elsewhere',
    },
  };
  const open = contextFactory(command);
  expect(open(null)).toMatchObject({ session: null, client: null, by: 'run', root: project.root });
  expect(open(null).environment).toEqual({ PATH: '/bin' });
  expect(open('driven')).toMatchObject({ session: 'driven' });
  // The call itself is left as it is.
  expect(command.environment).toHaveProperty('CLAUDECODE');
});

it('is of the moment: a driver runs for hours', async () => {
  const { cli } = screen();
  const open = contextFactory(cli());
  const first = open(null).now;
  await new Promise((settle) => setTimeout(settle, 5));
  expect(open(null).now.getTime()).toBeGreaterThan(first.getTime());
});

it('warns once of what is wrong in the settings, however often the project is opened', () => {
  const { cli, warned } = screen({ '.claude/holdfast.json': '{"colour": true}' });
  const command = cli();
  warned.length = 0;
  const open = contextFactory(command);
  open(null);
  expect(warned).toHaveLength(1);
  open(null);
  open('driven');
  expect(warned).toHaveLength(1);
});
