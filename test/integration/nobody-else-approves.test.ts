import { describe, expect, it } from 'vitest';
import { AGENT_VARIABLES } from '../../src/hosts/hosts.ts';
import { GATE_VARIABLE } from '../../src/sessions/client-process.ts';
import { sandbox, type CallOptions, type Sandbox } from '../support/cli.ts';
import { openServer } from '../support/mcp.ts';
import { startPage } from '../support/page-server.ts';
import { onlyRun } from '../support/state.ts';

// An approval is a person's. Each way by which a call comes in has a case of its own here, so that a right that is given
// away in one of them is seen, and not only where all of them meet.

const SESSION = 's1';

const TEMPLATE = `name: ask
description: asks
steps:
  - {id: plan, type: action, instructions: plan}
  - {id: agree, type: approval, on_reject: plan, instructions: decide}
  - {id: build, type: action, instructions: build}
`;

/** A run of session s1 that waits for a person. */
function atApproval(): Sandbox {
  const box = sandbox({ '.claude/holdfast/workflows/ask.yaml': TEMPLATE });
  box.run(['start', '--template', 'ask'], { session: SESSION });
  box.run(['advance', '--output', 'the plan'], { session: SESSION });
  expectWaiting(box);
  return box;
}

function expectWaiting(box: Sandbox): void {
  expect(onlyRun(box.root).machine).toMatchObject({ step: 'agree' });
}

const ANSWERS = [['approve'], ['reject', '--feedback', 'better']];

function expectRefused(
  box: Sandbox,
  words: readonly string[],
  options: CallOptions,
): void {
  const { stderr } = box.run([...words], { ...options, code: 1 });
  expect(stderr).toMatch(
    /only a person can (?:approve|reject)[^]*ask the user to type/,
  );
  expectWaiting(box);
}

describe.each(ANSWERS)('nobody but a person can %s', (...words) => {
  it("in a command of the agent's shell", () => {
    expectRefused(atApproval(), words, { session: SESSION });
  });

  it.each([...new Set(AGENT_VARIABLES)])(
    'in a shell that has %s of a host',
    (variable) => {
      expectRefused(atApproval(), words, { env: { [variable]: '1' } });
    },
  );

  it('in a call of the module, which names a session', () => {
    expectRefused(atApproval(), ['--session', SESSION, ...words], {});
  });

  it('with a tool: no tool answers, and the one that moves the run is refused', async () => {
    const box = atApproval();
    const server = await openServer(box, { session: SESSION });
    const { tools } = await server.ask('tools/list');
    expect(JSON.stringify(tools)).not.toMatch(/"name":"\w*(?:approve|reject)/);
    expect(
      await server.refusal('workflow_advance', { output: 'ok' }),
    ).toContain("waits for the user's approval");
    expectWaiting(box);
  });

  it("with a slash command that an agent's shell feeds to the hook", () => {
    const box = atApproval();
    const [command = ''] = words;
    box.run(['hook', 'UserPromptExpansion'], {
      session: SESSION,
      input: JSON.stringify({
        hook_event_name: 'UserPromptExpansion',
        session_id: SESSION,
        cwd: box.root,
        expansion_type: 'slash_command',
        command_name: `holdfast:${command}`,
        command_args: '',
        command_source: 'plugin',
        prompt: `/holdfast:${command}`,
      }),
    });
    expectWaiting(box);
  });

  it('with a secret that no client has brought', () => {
    const box = atApproval();
    const { stderr } = box.run([...words, '--proof'], {
      input: `${'a'.repeat(64)}\n`,
      code: 1,
    });
    expect(stderr).toContain('nothing proves that a person typed this');
    expectWaiting(box);
  });

  it('by a page that it starts itself', async () => {
    const page = startPage(atApproval(), ['--act', '--no-open'], {
      CLAUDE_CODE_SESSION_ID: SESSION,
    });
    await expect(page).rejects.toThrow('only a person can act on the page');
  });

  it('in a gate, which runs what the project says', () => {
    const box = atApproval();
    const run = String(onlyRun(box.root).run_id);
    expectRefused(box, words, { env: { [GATE_VARIABLE]: run } });
  });
});
