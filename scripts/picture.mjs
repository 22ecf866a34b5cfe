// Makes the picture of the terminal in the README from a real run in a temporary project.
// Usage: npm run picture; with `-- --print` it goes to standard output instead of docs/terminal.svg.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { terminalPicture } from './terminal-picture.mjs';

const binary = fileURLToPath(new URL('../bin/holdfast.cjs', import.meta.url));
const picture = fileURLToPath(new URL('../docs/terminal.svg', import.meta.url));
const session = '5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11';
const COLUMNS = 96;
const TITLE =
  'holdfast in a terminal: a workflow is started, moved on, and restored after a compaction';

/** The lines of a terminal session with their styles. */
function recorded(folder) {
  const project = join(folder, 'shop');
  mkdirSync(join(project, '.git'), { recursive: true });
  mkdirSync(join(project, 'docs'));
  writeFileSync(join(project, 'docs/spec.md'), 'Prices are kept in cents.\n');
  const lines = [];
  const call = (words, input = '') =>
    execFileSync(process.execPath, [binary, ...words], {
      cwd: project,
      env: { PATH: process.env.PATH, HOME: folder, TZ: 'UTC', CLAUDE_CODE_SESSION_ID: session },
      input,
      encoding: 'utf8',
    });
  const say = (text, look) => {
    for (const line of text.trimEnd().split('\n').flatMap(folded))
      lines.push({ text: timeless(line), look });
  };
  const type = (...words) => {
    const typed = words.map((word) => (/[ ,]/.test(word) ? `"${word}"` : word));
    say(`$ holdfast ${typed.join(' ')}`, 'typed');
    return call(words);
  };
  const event = (name, fields) =>
    call(
      ['hook'],
      JSON.stringify({ hook_event_name: name, session_id: session, cwd: project, ...fields }),
    );

  const rule = 'Phase 3 waits for the bank';
  const details = ['--read', 'docs/spec.md', '--remind', rule];
  const [started] = type(
    'start',
    'Shop relaunch',
    '--phases',
    'Design,Checkout,Payment',
    ...details,
  ).split('\n');
  say(`${started} …`, 'output');
  say(type('advance', '--output', 'the design is in docs/design.md'), 'output');
  say('\n# The conversation fills up and is compacted. The model is given:', 'comment');
  event('PreCompact', { trigger: 'auto' });
  const { hookSpecificOutput } = JSON.parse(event('SessionStart', { source: 'compact' }));
  say(hookSpecificOutput.additionalContext, 'given');
  return lines;
}

function folded(line) {
  if (line.length <= COLUMNS) return [line];
  const at = line.lastIndexOf(' ', COLUMNS);
  const end = at > 0 ? at : COLUMNS;
  return [line.slice(0, end), ...folded(`    ${line.slice(end).trimStart()}`)];
}

/** Fixed times, so that the picture only changes when the output does. */
function timeless(line) {
  return line
    .replace(/\d{8}_\d{6}/g, '20261115_090000')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-11-15T09:00:00Z');
}

const folder = mkdtempSync(join(tmpdir(), 'holdfast-picture-'));
try {
  const text = terminalPicture(recorded(folder), { title: TITLE, columns: COLUMNS });
  if (process.argv.includes('--print')) process.stdout.write(text);
  else writeFileSync(picture, text);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
