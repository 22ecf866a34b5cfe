import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { onlyRun } from '../support/state.ts';
import { CLIENT_VERSIONS } from './support/client.ts';
import { given, occurrences, restoredIn } from './support/given.ts';
import {
  doHoldfast,
  guidanceFor,
  holdfast,
  openHost,
} from './support/holdfast.ts';
import type { Host } from './support/host.ts';

const OTHER_TOOL = {
  hooks: {
    SessionStart: [
      { hooks: [{ type: 'command', command: 'echo OTHER-TOOL-SPEAKS' }] },
    ],
  },
};
const UNWIRED = { files: { '.claude/settings.json': {} }, git: true };
const START = doHoldfast(
  'start',
  'Checkout',
  '--phases',
  'A,B',
  '--read',
  'docs/RULES.md',
);

describe.each(CLIENT_VERSIONS)('client %s', (version) => {
  it('after init restores a compaction, and runs the hook of another tool as before', async (context) => {
    const { expect } = context;
    const host = await openHost(version, context, UNWIRED);
    await host.project.write({ '.claude/settings.local.json': OTHER_TOOL });
    await host.project.git('add', '--all', '--force');
    await host.project.git('commit', '--quiet', '--message=tools');
    await holdfast(host, ['init', '--scope', 'user']);

    const { sessionId } = await host.print([START, '/compact', 'go on']);

    const next = host.model.turns().at(-1);
    const guidance = await guidanceFor(host, { session: sessionId });
    expect(restoredIn(next)).toEqual(['Checkout, Phase 1/2']);
    expect(occurrences(given(next), guidance)).toBe(1);
    expect(given(next)).toContain('OTHER-TOOL-SPEAKS');
    expect(await host.project.git('status', '--porcelain')).toBe('');
  });

  it('after init in its own project shows nothing to git, and knows the slash commands', async (context) => {
    const { expect } = context;
    const host = await openHost(version, context, UNWIRED);
    await holdfast(host, ['init']);

    const { sessionId } = await host.print([START, '/holdfast:status']);

    expect(given(host.model.turns().at(-1))).toMatch(
      /Checkout\s+Phase +1\/2 A \(in progress\)/,
    );
    expect(onlyRun(host.project.root).sessions?.current_session_id).toBe(
      sessionId,
    );
    expect(await host.project.git('status', '--porcelain')).toBe('');
  });

  it('shows no error where the files of holdfast are gone', async (context) => {
    const { expect } = context;
    const host = await openHost(version, context, UNWIRED);
    await holdfast(host, ['init', '--scope', 'user']);
    rmSync(join(host.home.path, '.claude/holdfast'), { recursive: true });

    const { stderr, text } = await host.print([
      'DO:READ docs/RULES.md',
      '/compact',
      'go on',
    ]);

    expect(text).toBe('DONE');
    expect(stderr).toBe('');
    expect(transcripts(host)).toContain('docs/RULES.md');
    expect(transcripts(host)).not.toContain('hook_non_blocking_error');
  });

  it('behaves after an uninstall as if holdfast had never been there', async (context) => {
    const { expect } = context;
    const host = await openHost(version, context, UNWIRED);
    await host.print('hello');
    const before = given(host.model.turns().at(-1));
    const files = readdirSync(host.project.path('.claude'));

    await holdfast(host, ['init']);
    await holdfast(host, ['uninstall']);
    await host.print('hello');

    expect(given(host.model.turns().at(-1))).toBe(before);
    expect(readdirSync(host.project.path('.claude'))).toEqual(files);
    expect(readdirSync(join(host.home.path, '.claude'))).not.toContain(
      'holdfast',
    );
    expect(await host.project.git('status', '--porcelain')).toBe('');
  });
});

/** All that the client has noted of its sessions. */
function transcripts(host: Host): string {
  const folder = join(host.home.path, '.claude/projects');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
}
