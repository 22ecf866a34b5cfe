import { existsSync, writeFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import { openAttendedHost } from './support/attended.ts';
import { ONE_VERSION } from './support/client.ts';
import { given, guidanceIn, noticesIn, restoredIn } from './support/given.ts';
import {
  compacted,
  doHoldfast,
  holdfast,
  openHost,
  statusFor,
} from './support/holdfast.ts';
import { waitFor } from './support/wait.ts';
import type { Host } from './support/host.ts';

const PLAN = (name: string, current: number): string =>
  `# Plan: ${name}\n\n**Status**: 🔄 In Progress\n\n### Phase 1: Design ${current > 1 ? '✅' : '🔄'}\n\n### Phase 2: Build ${current > 1 ? '🔄' : ''}\n`;
const LOCAL =
  '# Notes\n\n## Current Workflow State\n\n**Workflow**: Local Work\n**Phase**: 2/3 - Write\n';

/** Everything that the model was given in any request: what a session is told once may be summarised away. */
function told({ model }: Host): string {
  return [...model.turns(), ...model.summaries()].map(given).join('\n');
}

describe.each(ONE_VERSION)('whose run it is, in client %s', (version) => {
  it('a session that was left finds its run after another was compacted', async (context) => {
    const { expect } = context;
    const host = await openHost(version, context);
    const a = await host.print(doHoldfast('start', 'Alpha', '--phases', 'A,B'));
    const b = await host.print('DO:BASH echo something else');

    const other = await compacted(
      host,
      b.sessionId,
      'go on with something else',
    );
    const own = await compacted(host, a.sessionId, 'go on with Alpha');

    expect(restoredIn(other)).toEqual([]);
    expect(restoredIn(own)).toEqual(['Alpha, Phase 1/2']);
    const { run } = await statusFor(host, { session: a.sessionId });
    expect(run).toMatchObject({
      sessions: { current_session_id: a.sessionId },
    });
  });

  it('the local file comes before a plan, for the summary and for the session', async (context) => {
    const { expect } = context;
    const files = {
      'CLAUDE.local.md': LOCAL,
      'CLAUDE/Plan/00001-one/PLAN.md': PLAN('One', 1),
    };
    const host = await openHost(version, context, { files });
    await host.print(['DO:BASH echo hello', '/compact', 'go on']);

    const next = host.model.turns().at(-1);
    expect(restoredIn(next)).toEqual(['Local Work, Phase 2/3']);
    expect(guidanceIn(next)).toContain('holdfast release');
    const [summary] = host.model.summaries();
    expect(given(summary)).toContain('workflow "Local Work"');
    expect(given(summary)).not.toContain('workflow One');
  });

  it('of two plans the edited one is restored', async (context) => {
    const { expect } = context;
    const path = 'CLAUDE/Plan/00001-one/PLAN.md';
    const files = {
      [path]: PLAN('One', 1),
      'CLAUDE/Plan/00002-two/PLAN.md': PLAN('Two', 2),
    };
    const host = await openHost(version, context, { files });
    const file = host.project.path(path);
    const work = `DO:READ ${file} THEN DO:EDIT ${file} Build => Make`;
    await host.print([work, '/compact', 'go on']);

    const next = host.model.turns().at(-1);
    expect(restoredIn(next)).toEqual(['One, Phase 1/2']);
    const [summary] = host.model.summaries();
    expect(given(summary)).toContain('workflow One');
  });

  it('a section that another session wrote over belongs to that one, and the former is told', async (context) => {
    const { expect } = context;
    const host = await openHost(version, context, {
      files: { 'CLAUDE.local.md': LOCAL },
    });
    const file = host.project.path('CLAUDE.local.md');
    const write = (from: string, to: string): string =>
      `DO:READ ${file} THEN DO:EDIT ${file} ${from} => ${to}`;
    const plan = write('2/3 - Write', '1/3 - Plan');
    const a = await host.print([plan, '/compact', 'go on with the first']);
    const take = write('Local Work', 'Other Work');
    const b = await host.print([take, '/compact', 'go on with the second']);

    const second = host.model.turns().at(-1);
    const wait = 'DO:BASH touch there; until [ -e done ]; do sleep 0.1; done';
    const isOver = host.print(wait, { resume: b.sessionId });
    const isThere = (): boolean => existsSync(host.project.path('there'));
    await waitFor('the second session to be there', isThere, () =>
      holdfast(host, ['list']),
    );
    const first = await compacted(host, a.sessionId, 'and on with the first');
    writeFileSync(host.project.path('done'), '');
    await isOver;

    expect(restoredIn(second)).toEqual(['Other Work, Phase 1/3']);
    expect(guidanceIn(first)).toBe('');
    expect(told(host)).toContain(
      'CLAUDE.local.md no longer declares "Local Work"',
    );
    const { run } = await statusFor(host, { session: b.sessionId });
    expect(run).toMatchObject({
      workflow: 'Other Work',
      sessions: { current_session_id: b.sessionId },
    });
  });

  it('a status that the agent writes in its own words goes on, one that says finished ends the run', async (context) => {
    const { expect } = context;
    const path = 'CLAUDE/Plan/00001-one/PLAN.md';
    const host = await openHost(version, context, {
      files: { [path]: PLAN('One', 2) },
    });
    const file = host.project.path(path);
    const status = (from: string, to: string): string =>
      `DO:READ ${file} THEN DO:EDIT ${file} ${from} => ${to}`;
    const own = '🔄 In progress, almost there';
    const { sessionId } = await host.print([
      status('🔄 In Progress', own),
      '/compact',
      'go on',
    ]);

    const onward = host.model.turns().at(-1);
    const finish = status(own, '✅ Complete');
    await host.print([finish, '/compact', 'what is left?'], {
      resume: sessionId,
    });
    const ended = host.model.turns().at(-1);

    expect(restoredIn(onward)).toEqual(['One, Phase 2/2']);
    expect(guidanceIn(ended)).toBe('');
    expect(told(host)).toContain(
      `${path} says that One is finished, so its run has ended`,
    );
  });

  it('a plan is offered after /clear without any compaction before', async (context) => {
    const { expect } = context;
    const path = 'CLAUDE/Plan/00001-one/PLAN.md';
    const { sitDown } = await openAttendedHost(version, context, {
      files: { [path]: PLAN('One', 2) },
    });
    const { terminal, ask } = await sitDown();

    const atStartup = await ask('hello');
    await terminal.say('/clear');
    const isCleared = async () =>
      /SessionStart:clear says/.test(await terminal.screen());
    await terminal.until('the clear', isCleared);
    await terminal.until(
      'an empty line',
      async () => (await terminal.typed()) === '',
    );
    const afterClear = await ask('hello again');

    for (const request of [atStartup, afterClear])
      expect(noticesIn(request)).toEqual([
        expect.stringContaining(
          `In progress here: One, Phase 2/2 - Build, declared in ${path}`,
        ),
      ]);
    await terminal.quit();
  });
});
