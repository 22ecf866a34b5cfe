// Makes the picture of the dashboard and of `status` from real runs in a temporary project.
// Usage: npm run picture; with `-- --print` it goes to standard output instead of docs/dashboard.svg.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { binary, recordPicture, typedLine } from './record-picture.mjs';

const asTerminal = fileURLToPath(new URL('as-terminal.cjs', import.meta.url));
const COLUMNS = 107;
const TITLE =
  'holdfast in a terminal: the dashboard of a run, a phase that is skipped, and the status of a template run';

/** The session that works on the template run. */
const SECOND = '5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11';
const TASKS = [
  'Send the link by mail',
  'Accept the link once',
  'Expire it after an hour',
];

const picture = { name: 'dashboard.svg', title: TITLE, columns: COLUMNS };
recordPicture(picture, ({ home, project, say }) => {
  writeFileSync(join(project, 'tasks.txt'), TASKS.join('\n'));
  const call = (words, session, preload = []) =>
    execFileSync(process.execPath, [...preload, binary, ...words], {
      cwd: project,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        TZ: 'UTC',
        PICTURE_COLUMNS: String(COLUMNS),
        ...(session === null ? {} : { CLAUDE_CODE_SESSION_ID: session }),
      },
      input: '',
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'ignore'],
    });
  const type = (...words) => {
    say(typedLine(words), 'typed');
    say(call(words, null, ['--require', asTerminal]), 'output');
  };

  call(['init'], null);
  call(['start', '--template', 'feature', 'Magic link login'], SECOND);
  call(['advance', '--output', 'the rules are in specs/login.md'], SECOND);
  call(['tasks', 'tasks', '--file', 'tasks.txt'], SECOND);
  call(['advance', '--output', 'one table, tokens are hashed'], SECOND);
  call(['advance', '--output', 'src/mail.ts'], SECOND);
  call(['advance'], SECOND);
  const phases = 'Design,Checkout,Payment,Upgrade guide,Release';
  const details = [
    '--read',
    'docs/spec.md',
    '--remind',
    'Payment waits for the bank',
  ];
  call(['start', 'Shop relaunch', '--phases', phases, ...details], null);
  call(
    ['advance', 'shop', '--output', 'the design is in docs/design.md'],
    null,
  );

  type('skip', 'shop', '--phase', '4', '--reason', 'nothing to upgrade');
  say(' ', 'output');
  type();
  say(' ', 'output');
  type('status', 'magic');
});
