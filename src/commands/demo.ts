import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../files/run-command.ts';
import { sleep } from '../files/sleep.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { shellQuote } from '../text/shell-commands.ts';
import { command } from './command.ts';
import { packageFolder } from './view/installation.ts';
import { print } from './view/output.ts';

interface Scene {
  title: string;
  output: string;
}

/** The time to read a scene in a terminal. */
const PAUSE_MS = 3000;

const SESSION = '5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11';

export const demo = command({
  usage: 'demo',
  about:
    'show in a temporary project what a session gets back after a compaction; takes 20 seconds',
  examples: ['holdfast demo'],
  isLook: true,
  run: ({ output: { json, colors, columns, result } }) => {
    const scenes = play();
    if (json) return result({ scenes }, '');
    for (const { title, output } of scenes) {
      print(1, `${colors.bold(`# ${title}`)}\n${output.replaceAll(/^(?=.)/gm, '  ')}\n`);
      if (columns !== null) sleep(PAUSE_MS);
    }
  },
});

/** All of it happens before anything is shown, so that Ctrl-C leaves nothing behind. */
function play(): Scene[] {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-demo-'));
  try {
    return scenesIn(folder, join(folder, 'shop'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function scenesIn(home: string, project: string): Scene[] {
  mkdirSync(join(project, '.git'), { recursive: true });
  writeFileSync(join(project, 'spec.md'), 'Prices are kept in cents.\n');

  const holdfast = (words: readonly string[], input = '', off = ''): string => {
    const program = join(packageFolder(), 'bin/holdfast.cjs');
    const environment = {
      PATH: process.env['PATH'],
      HOME: home,
      CLAUDE_CODE_SESSION_ID: SESSION,
      HOLDFAST: off,
    };
    const ran = runCommand(process.execPath, [program, ...words], environment, { input });
    if (ran.kind === 'ended' && ran.code === 0) return ran.stdout.trimEnd();
    const why = ran.kind === 'ended' ? ran.stderr.trimEnd() : ran.kind;
    throw new HoldfastError('demo_failed', `the demo failed at \`holdfast ${words[0]}\`: ${why}`, {
      hint: '`holdfast doctor` looks for the reason',
    });
  };
  const typed = (...words: string[]): string =>
    `$ holdfast ${words.map(shellQuote).join(' ')}\n${holdfast(['--cwd', project, ...words])}`;
  /** As Claude Code calls a hook: the event on standard input, the reply on standard output. */
  const hook = (event: string, fields: object, off = ''): string =>
    holdfast(
      ['hook'],
      JSON.stringify({ hook_event_name: event, session_id: SESSION, cwd: project, ...fields }),
      off,
    );
  const compacted = { source: 'compact', prompt_id: '1' };

  return [
    {
      title: 'Before: an agent starts a run and records what must not get lost.',
      output: [
        typed('start', 'Shop', '--phases', 'Design,Checkout,Guide,Launch', '--read', 'spec.md'),
        typed('advance', '--output', 'the design is in docs/design.md'),
        typed('skip', '--phase', '3', '--reason', 'another team writes it'),
      ].join('\n'),
    },
    {
      title: 'The conversation is too long, and Claude Code compacts it. The summariser is told:',
      output: hook('PreCompact', { trigger: 'auto' }),
    },
    {
      title: 'After it, with holdfast switched off, the hook gives the model:',
      output: hook('SessionStart', compacted, 'off') || '(nothing)',
    },
    {
      title: 'After it, with holdfast, the hook gives the model exactly this:',
      output: JSON.parse(hook('SessionStart', compacted)).hookSpecificOutput.additionalContext,
    },
    {
      title: 'Another session that starts meanwhile: the run belongs to the first one.',
      output:
        hook('SessionStart', { source: 'startup', prompt_id: '2', session_id: 'other' }) ||
        '(nothing)',
    },
    {
      title: 'In your project: `holdfast init`, then a new session of Claude Code.',
      output: 'This demo ran in a temporary folder, which is gone.',
    },
  ];
}
