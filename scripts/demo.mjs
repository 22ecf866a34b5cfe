// Shows the main job in a throw-away project: a workflow is declared, found before a compaction, and kept.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const binary = fileURLToPath(new URL('../bin/holdfast.cjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'holdfast-demo-'));
const project = join(folder, 'shop');
const session = '5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11';

const say = (text) => console.log(`\n\u001B[1m# ${text}\u001B[22m`);

function write(path, lines) {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), `${lines.join('\n')}\n`);
  console.log(`${path}:`);
  console.log(lines.map((line) => `    ${line}`).join('\n'));
}

function holdfast(words, input = '') {
  console.log(`$ holdfast ${words.join(' ')}`);
  const environment = { PATH: process.env.PATH, HOME: folder, CLAUDE_CODE_SESSION_ID: session };
  const output = execFileSync(process.execPath, [binary, ...words], {
    cwd: project,
    env: environment,
    input,
    encoding: 'utf8',
  });
  console.log(output.trimEnd());
  return output;
}

function expect(output, ...parts) {
  for (const part of parts) {
    if (!output.includes(part)) throw new Error(`the demo did not show ${JSON.stringify(part)}`);
  }
}

try {
  mkdirSync(join(project, '.git'), { recursive: true });
  say('An agent writes down which workflow it is in.');
  write('CLAUDE.local.md', [
    '## Workflow State',
    'Workflow: Shop relaunch',
    'Type: implementation',
    'Phase: 3/7 - Checkout (in progress)',
    '@docs/checkout.md',
    'Key Reminders:',
    '- Phase 5 is skipped: there is no upgrade guide',
  ]);
  write('docs/checkout.md', ['Prices are kept in cents.']);

  say(
    'The conversation fills up. Claude Code calls the PreCompact hook; the summariser is told this:',
  );
  const event = (prompt) =>
    JSON.stringify({
      hook_event_name: 'PreCompact',
      session_id: session,
      cwd: project,
      trigger: 'auto',
      prompt_id: prompt,
    });
  expect(holdfast(['hook'], event('first')), 'Shop relaunch', 'Phase: 3/7 - Checkout');

  say('The workflow is kept in a state file, and anybody can look at it and move it on.');
  expect(
    holdfast(['status']),
    'Shop relaunch',
    '3/7 Checkout',
    '@docs/checkout.md',
    'Phase 5 is skipped',
  );
  expect(holdfast(['advance', '--output', 'checkout works', '--name', 'Payment']), '4/7 Payment');

  say('A marker that was not brought up to date does not pull the phase back.');
  expect(holdfast(['hook'], event('second')), 'Phase: 4/7 - Payment');
  console.log('\nThe demo worked.');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
