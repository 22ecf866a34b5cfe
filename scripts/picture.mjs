// Makes the picture of the terminal in the README from a real run in a temporary project.
// Usage: npm run picture; with `-- --print` it goes to standard output instead of docs/terminal.svg.
import { execFileSync } from 'node:child_process';
import { binary, recordPicture, typedLine } from './record-picture.mjs';

const session = '5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11';
const COLUMNS = 96;
const TITLE =
  'holdfast in a terminal: a workflow is started, moved on, and restored after a compaction';

const picture = { name: 'terminal.svg', title: TITLE, columns: COLUMNS };
recordPicture(picture, ({ home, project, say: sayLine }) => {
  const say = (text, look) => {
    for (const line of text.trimEnd().split('\n').flatMap(folded))
      sayLine(line, look);
  };
  const call = (words, input = '') =>
    execFileSync(process.execPath, [binary, ...words], {
      cwd: project,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        TZ: 'UTC',
        CLAUDE_CODE_SESSION_ID: session,
      },
      input,
      encoding: 'utf8',
    });
  const type = (...words) => {
    say(typedLine(words), 'typed');
    return call(words);
  };
  const event = (name, fields) =>
    call(
      ['hook'],
      JSON.stringify({
        hook_event_name: name,
        session_id: session,
        cwd: project,
        ...fields,
      }),
    );

  const rule = 'Phase 3 waits for the bank';
  const details = ['--read', 'docs/spec.md', '--remind', rule];
  const phases = 'Design,Checkout,Payment';
  const [started] = type(
    'start',
    'Shop relaunch',
    '--phases',
    phases,
    ...details,
  ).split('\n');
  say(`${started} …`, 'output');
  say(type('advance', '--output', 'the design is in docs/design.md'), 'output');
  say(
    '\n# The conversation fills up and is compacted. The model is given:',
    'comment',
  );
  event('PreCompact', { trigger: 'auto' });
  const { hookSpecificOutput } = JSON.parse(
    event('SessionStart', { source: 'compact' }),
  );
  say(hookSpecificOutput.additionalContext, 'given');
});

function folded(line) {
  if (line.length <= COLUMNS) return [line];
  const at = line.lastIndexOf(' ', COLUMNS);
  const end = at > 0 ? at : COLUMNS;
  return [line.slice(0, end), ...folded(`    ${line.slice(end).trimStart()}`)];
}
