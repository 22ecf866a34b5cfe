import { describe, it } from 'vitest';
import { archived, onlyRun, stateFiles } from '../support/state.ts';
import { openAttendedHost } from './support/attended.ts';
import { CLIENT_VERSIONS, ONE_VERSION } from './support/client.ts';
import { given, restoredIn } from './support/given.ts';
import { MCP_SERVER } from './support/holdfast.ts';
import { sessionOf } from './support/request.ts';

const TEMPLATE = `name: Release
description: Ships it
steps:
  - id: plan
    type: action
    instructions: PLAN-IT
  - id: build
    type: loop
  - id: review
    type: action
    context: compact
    instructions: REVIEW-IT
  - id: polish
    type: ralph
    n: 2
    context: clear
    instructions: POLISH-IT
  - id: ship
    type: action
    instructions: SHIP-IT
loops:
  build:
    - id: code
      instructions: CODE {task.title}
    - id: check
      instructions: CHECK {task.title}
`;

describe.each(ONE_VERSION)('a template run in client %s', (version) => {
  it('goes by MCP tools from start to archive, over the /compact and /clear that it asks for', async (context) => {
    const { expect } = context;
    const { host, sitDown } = await openAttendedHost(version, context, {
      files: {
        '.claude/holdfast/workflows/release.yaml': TEMPLATE,
        '.mcp.json': MCP_SERVER,
      },
      allow: ['mcp__holdfast'],
    });
    const { root } = host.project;
    const { terminal, ask } = await sitDown();
    const step = () => onlyRun(root).machine?.['step'];
    /** What the last of these calls replied, as the model was given it. */
    const call = async (...calls: readonly string[]): Promise<string> => {
      await ask(
        calls.map((one) => `DO:MCP mcp__holdfast__${one}`).join(' THEN '),
      );
      return given(host.model.turns().at(-1)).split('DO:MCP').at(-1) ?? '';
    };

    expect(await call('workflow_start {"template":"release"}')).toContain(
      'PLAN-IT',
    );
    const first = onlyRun(root).sessions?.current_session_id;
    expect(await call('workflow_advance {"output":"in two parts"}')).toContain(
      'waits for its tasks',
    );
    expect(
      await call(
        'workflow_set_tasks {"loop_id":"build","tasks":["Basket",{"title":"Payment"}]}',
      ),
    ).toContain('CODE Basket');
    expect(await call('workflow_advance {}', 'workflow_advance {}')).toContain(
      'CODE Payment',
    );
    const asked = await call('workflow_advance {}', 'workflow_advance {}');
    expect(asked).toContain('Please run `/compact` first');
    expect(asked).not.toContain('REVIEW-IT');

    await terminal.say('/compact');
    const isCompacted = () =>
      onlyRun(root).context_metadata?.compaction_count === 1;
    await terminal.until('the compaction', isCompacted);
    const compacted = await ask('after the compaction');
    expect(restoredIn(compacted)).toEqual(['Release, Phase 3/5']);
    expect(given(compacted)).toContain('REVIEW-IT');
    expect(onlyRun(root).machine).toMatchObject({
      contextAction: { command: '/compact', performedAt: expect.any(String) },
    });

    let session = first;
    for (const iteration of [1, 2]) {
      expect(await call('workflow_advance {}')).toContain(
        'Please run `/clear` first',
      );
      expect(step()).toBe('polish');
      await terminal.say('/clear');
      const successor = await terminal.until('the hand-over', () => {
        const holder = onlyRun(root).sessions?.current_session_id;
        return holder === session ? undefined : holder;
      });
      const cleared = await ask('after the clear');
      expect(sessionOf(cleared)).toBe(successor);
      expect(restoredIn(cleared)).toEqual(['Release, Phase 4/5']);
      expect(given(cleared)).toContain('POLISH-IT');
      expect(onlyRun(root).machine).toMatchObject({
        ralphIteration: iteration,
        contextAction: { command: '/clear', performedAt: expect.any(String) },
      });
      session = successor;
    }

    expect(await call('workflow_context {}')).toContain('in two parts');
    expect(await call('workflow_advance {}')).toContain('SHIP-IT');
    expect(onlyRun(root).sessions?.current_session_id).toBe(session);
    expect(await call('workflow_advance {}')).toContain(
      'The workflow is complete',
    );
    expect(stateFiles(root)).toEqual([]);
    expect(archived(root)).toHaveLength(2);

    await call('workflow_start {"name":"Afterwards"}');
    expect(onlyRun(root).sessions?.current_session_id).toBe(session);
    await terminal.quit();
  });

  it('goes on after a compaction in print mode, where every turn has a server of its own', async (context) => {
    const { expect } = context;
    const { host } = await openAttendedHost(version, context, {
      files: {
        '.claude/holdfast/workflows/release.yaml': TEMPLATE,
        '.mcp.json': MCP_SERVER,
      },
      allow: ['mcp__holdfast'],
    });
    const tool = (name: string, json: string) =>
      `DO:MCP mcp__holdfast__${name} ${json}`;
    const { sessionId } = await host.print(
      tool('workflow_start', '{"template":"release"}'),
    );
    const skip = tool('workflow_set_tasks', '{"loop_id":"build","tasks":[]}');
    await host.print(`${tool('workflow_advance', '{}')} THEN ${skip}`, {
      resume: sessionId,
    });
    expect(given(host.model.turns().at(-1))).toContain(
      'Please run `/compact` first',
    );
    await host.print('/compact', { resume: sessionId });
    await host.print(tool('workflow_status', '{}'), { resume: sessionId });
    expect(given(host.model.turns().at(-1))).toContain(
      'The context was compacted or cleared before this step.',
    );
  });
});

describe.each(CLIENT_VERSIONS)('a template run in client %s', (version) => {
  it('is restored though its server started it under the id from before a /clear', async (context) => {
    const { expect } = context;
    const { host, sitDown } = await openAttendedHost(version, context, {
      files: { '.mcp.json': MCP_SERVER },
      allow: ['mcp__holdfast'],
    });
    const { root } = host.project;
    const { terminal, ask } = await sitDown();
    const former = sessionOf(await ask('hello'));
    await terminal.say('/clear');
    const isGone = async () => !(await terminal.screen()).includes('hello');
    await terminal.until('the clear', isGone);
    const request = await ask(
      'DO:MCP mcp__holdfast__workflow_start {"name":"Late"}',
    );
    expect(sessionOf(request)).not.toBe(former);
    // The server has the id from before the /clear and still knows who the session is.
    expect(onlyRun(root).sessions?.current_session_id).toBe(sessionOf(request));

    await terminal.say('/compact');
    const isCompacted = () =>
      onlyRun(root).context_metadata?.compaction_count === 1;
    await terminal.until('the compaction', isCompacted);
    expect(restoredIn(await ask('go on'))).toEqual(['Late']);
    expect(onlyRun(root).sessions?.current_session_id).toBe(sessionOf(request));
    await terminal.quit();
  });
});
