import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fse from 'fs-extra';
import { runCommand } from '../files/run-command.ts';
import { sleep } from '../files/lock.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { shellQuote } from '../text/shell-commands.ts';
import { command } from './command.ts';
import type { DemoDocument } from './json/documents.ts';
import { packageFolder } from './view/installation.ts';
import { print } from './view/output.ts';

/** The time to read a scene in a terminal. */
const PAUSE_MS = 3000;

export const demo = command({
  usage: 'demo',
  about:
    'show in a temporary project what a session gets back after a compaction; takes 20 seconds',
  examples: ['holdfast demo'],
  isLook: true,
  run: ({ output: { json, colors, columns, result } }) => {
    const folder = fse.mkdtempSync(join(tmpdir(), 'holdfast-demo-'));
    let scenes: Record<string, string>;
    try {
      scenes = play(folder, join(folder, 'shop'));
    } finally {
      // Before anything is shown, so that Ctrl-C leaves nothing behind.
      fse.removeSync(folder);
    }
    const document: DemoDocument = { scenes };
    if (json) return result(document, '');
    for (const [title, text] of Object.entries(scenes)) {
      print(
        1,
        `${colors.bold(`# ${title}`)}\n${text.replaceAll(/^(?=.)/gm, '  ')}\n`,
      );
      if (columns !== null) sleep(PAUSE_MS);
    }
  },
});

/** What happens → what is printed. */
function play(home: string, project: string): Record<string, string> {
  const session = '5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11';
  const program = join(packageFolder(), 'bin/holdfast.cjs');
  fse.ensureDirSync(join(project, '.git'));
  fse.writeFileSync(join(project, 'spec.md'), 'Prices are kept in cents.\n');

  const holdfast = (
    words: readonly string[],
    input = '',
    switched = '',
  ): string => {
    const environment = {
      HOME: home,
      CLAUDE_CODE_SESSION_ID: session,
      HOLDFAST: switched,
    };
    const ran = runCommand(process.execPath, [program, ...words], environment, {
      input,
      timeoutMs: 60_000,
    });
    if (ran.kind === 'ended' && ran.code === 0) return ran.stdout.trimEnd();
    const why = ran.kind === 'ended' ? ran.stderr.trimEnd() : ran.kind;
    throw new HoldfastError(
      'demo_failed',
      `\`holdfast ${words.join(' ')}\` failed: ${why}`,
      {
        hint: '`holdfast doctor` looks for the reason',
      },
    );
  };
  const typed = (...words: string[]): string =>
    `$ holdfast ${words.map(shellQuote).join(' ')}\n${holdfast(['--cwd', project, ...words])}\n`;
  /** As Claude Code calls a hook: the event on standard input, the reply on standard output. */
  const hook = (event: string, fields: object, switched = ''): string => {
    const payload = {
      hook_event_name: event,
      session_id: session,
      cwd: project,
      ...fields,
    };
    return holdfast(['hook'], JSON.stringify(payload), switched) || '(nothing)';
  };
  const compacted = { source: 'compact', prompt_id: '1' };
  const another = { source: 'startup', prompt_id: '2', session_id: 'another' };

  return {
    'Before: an agent starts a run and records what must not get lost.':
      typed(
        'start',
        'Shop',
        '--phases',
        'Design,Checkout,Guide,Launch',
        '--read',
        'spec.md',
      ) +
      typed('advance', '--output', 'the design is in docs/design.md') +
      typed(
        'skip',
        '--phase',
        '3',
        '--reason',
        'another team writes it',
      ).trimEnd(),
    'The conversation is too long, and Claude Code compacts it. The summariser is told:':
      hook('PreCompact', { trigger: 'auto' }),
    'After it, with holdfast switched off, the hook gives the model:': hook(
      'SessionStart',
      compacted,
      'off',
    ),
    'After it, with holdfast, the hook gives the model exactly this:':
      JSON.parse(hook('SessionStart', compacted)).hookSpecificOutput
        .additionalContext,
    'Another session that starts meanwhile gets, because the first one holds the run:':
      hook('SessionStart', another),
    'In your project: `holdfast init`, then a new session of Claude Code.':
      'This demo ran in a temporary folder, which is gone.',
  };
}
