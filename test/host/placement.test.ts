import { describe, it } from 'vitest';
import { onlyRun, stateFiles } from '../support/state.ts';
import { CLIENT_VERSIONS } from './support/client.ts';
import { given, guidanceIn, occurrences, restoredIn } from './support/given.ts';
import {
  doHoldfast,
  guidanceFor,
  holdfast,
  holdfastSettings,
  openHost,
} from './support/holdfast.ts';

/** Wherever the client is launched, it runs the hooks of the user's own settings. */
const WIRED_BY_USER = {
  files: { 'packages/api/index.js': '', '.claude/settings.json': {} },
  homeFiles: { '.claude/settings.json': holdfastSettings() },
  git: true,
};

describe.each(CLIENT_VERSIONS)('client %s launched', (version) => {
  it('in a sub-directory of a repository works on the run of the whole project', async (context) => {
    const { expect } = context;
    const host = await openHost(version, context, WIRED_BY_USER);
    const folder = 'packages/api';
    const client = host.at(folder);

    const start = doHoldfast(
      'start',
      'Checkout',
      '--phases',
      'A,B',
      '--read',
      '@docs/RULES.md',
    );
    const { sessionId } = await client.print([start, '/compact', 'go on']);

    expect(stateFiles(host.project.path(folder))).toEqual([]);
    expect(onlyRun(host.project.root)).toMatchObject({
      sessions: { current_session_id: sessionId },
      context_metadata: { compaction_count: 1 },
    });
    const guidance = await guidanceFor(host, { session: sessionId, folder });
    const next = host.model.turns().at(-1);
    expect(restoredIn(next)).toEqual(['Checkout, Phase 1/2']);
    expect(occurrences(given(next), guidance)).toBe(1);
    expect(guidanceIn(next)).toContain('RULE-OF-THE-HOUSE');
  });

  it('in a worktree works on a project of its own', async (context) => {
    const { expect } = context;
    const host = await openHost(version, context, WIRED_BY_USER);
    const { project } = host;
    const tree = project.beside('tree');
    await project.git('worktree', 'add', '--quiet', tree);
    await holdfast(host, ['start', 'Elsewhere']);
    const elsewhere = onlyRun(project.root);
    const client = host.at('../tree');

    const start = doHoldfast('start', 'Checkout', '--phases', 'A,B');
    const { sessionId } = await client.print([start, '/compact', 'go on']);

    expect(onlyRun(tree).sessions?.current_session_id).toBe(sessionId);
    const next = host.model.turns().at(-1);
    expect(restoredIn(next)).toEqual(['Checkout, Phase 1/2']);
    expect(given(next).includes('Elsewhere')).toBe(false);
    expect(onlyRun(project.root)).toEqual(elsewhere);
  });
});
