// Shows the main use in a temporary project: a workflow is declared, compacted away, and restored.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const binary = fileURLToPath(new URL('../bin/holdfast.cjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'holdfast-demo-'));
const project = join(folder, 'shop');
const session = '5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11';
let prompts = 0;

const bold = (text) => (process.stdout.isTTY ? `\u001B[1m${text}\u001B[22m` : text);
const say = (text) => console.log(`\n${bold(`# ${text}`)}`);
const indented = (text) => text.replace(/^/gm, '    ');

function write(path, lines) {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), `${lines.join('\n')}\n`);
  console.log(`${path}:\n${indented(lines.join('\n'))}`);
}

function holdfast(words, input = '') {
  const output = execFileSync(process.execPath, [binary, ...words], {
    cwd: project,
    env: { PATH: process.env.PATH, HOME: folder, CLAUDE_CODE_SESSION_ID: session },
    input,
    encoding: 'utf8',
  });
  return output.trimEnd();
}

function command(...words) {
  console.log(
    `$ holdfast ${words.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ')}`,
  );
  const output = holdfast(words);
  console.log(output);
  return output;
}

/** Calls a hook as Claude Code does: event on standard input, reply on standard output. */
function hook(event, fields) {
  prompts += 1;
  const payload = {
    hook_event_name: event,
    session_id: session,
    cwd: project,
    prompt_id: `${prompts}`,
    ...fields,
  };
  return holdfast(['hook'], JSON.stringify(payload));
}

function expect(output, ...parts) {
  for (const part of parts) {
    if (!output.includes(part)) throw new Error(`the demo did not show ${JSON.stringify(part)}`);
  }
}

try {
  mkdirSync(join(project, '.git'), { recursive: true });
  say('An agent has noted its workflow in CLAUDE.local.md.');
  write('CLAUDE.local.md', [
    '## Workflow State',
    'Workflow: Shop relaunch',
    'Type: implementation',
    'Phase: 3/7 - Checkout (in progress)',
    'Key Reminders:',
    '- Phase 5 is skipped: there is no upgrade guide',
  ]);

  say('The context fills up. Before compaction, the summariser gets these instructions:');
  const instructions = hook('PreCompact', { trigger: 'auto' });
  expect(instructions, 'Shop relaunch', 'Phase: 3/7 - Checkout');
  console.log(indented(instructions));

  say('After compaction the session continues with the workflow.');
  expect(hook('SessionStart', { source: 'compact' }), 'Shop relaunch');
  write('docs/checkout.md', ['Prices are kept in cents.']);
  command('update', '--read', 'docs/checkout.md', '--set', 'reviewer=Kim');
  command('advance', '--output', 'checkout works', '--name', 'Payment');

  say('The next compaction. CLAUDE.local.md still says phase 3. The model gets exactly this text:');
  hook('PreCompact', { trigger: 'auto' });
  const reply = JSON.parse(hook('SessionStart', { source: 'compact' }));
  const { additionalContext } = reply.hookSpecificOutput;
  expect(
    additionalContext,
    'Phase: 4/7 - Payment',
    'This replaces the Phase line of CLAUDE.local.md',
    '@docs/checkout.md',
    'Prices are kept in cents.',
    'Phase 5 is skipped',
    'reviewer: Kim',
    '✅ Workflow restored: Shop relaunch, Phase 4/7',
  );
  console.log(indented(additionalContext));
  console.log(`\nThe user sees: ${reply.systemMessage}`);

  say('Another session that starts meanwhile is given nothing: the first one works on the run.');
  const other = hook('SessionStart', { source: 'startup', session_id: 'another-session' });
  if (other !== '') throw new Error(`expected nothing, got: ${other}`);
  console.log(`\n${bold('The demo worked: declared, compacted, restored.')}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
