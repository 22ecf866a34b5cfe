import { describe, expect, it } from 'vitest';
import {
  sandbox,
  type CallOptions,
  type Result,
  type Sandbox,
} from '../support/cli.ts';
import { makeHub } from '../support/clones.ts';
import { hook } from '../support/hooks.ts';
import { openServer } from '../support/mcp.ts';
import { onlyRun } from '../support/state.ts';

type Box = Pick<Sandbox, 'root' | 'run'>;

function ok(result: Result): string {
  if (result.code !== 0)
    throw new Error(`exit ${result.code}\n${result.stdout}\n${result.stderr}`);
  return result.stdout;
}

/** The command behind `Next:`, without what is said about it. */
function nextOf(text: string): string {
  return (
    /^Next: (holdfast [^(;,\n]*[^ (;,\n])/m.exec(text)?.[1] ??
    `no command in ${text}`
  );
}

function type(box: Box, command: string, options: CallOptions = {}): Result {
  const [program, ...words] = command.split(' ');
  expect(program).toBe('holdfast');
  return box.run(words, options);
}

/** Two phases, and what the callers below see of the run. */
function held(): { box: Sandbox; id: string } {
  const box = sandbox();
  ok(
    box.run(['start', 'User Auth', '--phases', 'Design,Build'], {
      session: 's1',
    }),
  );
  return { box, id: String(onlyRun(box.root).run_id) };
}

describe('the command that status and the dashboard name next', () => {
  it('is `advance` for the holder and a terminal; only the dashboard says so', () => {
    for (const caller of [{ session: 's1' }, {}]) {
      const { box } = held();
      const next = nextOf(ok(box.run([], caller)));
      expect(next).toBe('holdfast advance');
      expect(ok(box.run(['status'], caller))).not.toContain('Next:');
      ok(type(box, next, caller));
    }
  });

  it.each([[['status']], [[]]])(
    'takes no run from a live session (%j)',
    (words) => {
      const { box, id } = held();
      const look = (): string => ok(box.run(words, { session: 's2' }));
      expect(look()).toContain(
        '\nNext: nothing here: another session works on it, until a person types /holdfast:release there\n',
      );
      expect(look()).not.toMatch(/--force|takeover|holdfast resume/);
      ok(box.run(['release', id]));
      const next = nextOf(look());
      expect(next).toBe(`holdfast resume ${id}`);
      ok(type(box, next, { session: 's2' }));
      const dashboard = ok(box.run([], { session: 's2' }));
      expect(nextOf(dashboard)).toBe('holdfast advance');
    },
  );

  it('is none for an agent whose session is not known, while another one holds the run', () => {
    const { box } = held();
    const agent = { env: { CLAUDECODE: '1' } };
    expect(ok(box.run(['status'], agent))).toContain(
      '\nNext: nothing here: another session',
    );
    box.run(['advance'], { ...agent, code: 1 });
  });

  it('is none for a driven agent that has failed its step', () => {
    const box = sandbox();
    const own = { session: 's1' };
    ok(box.run(['start', '--template', 'feature', 'one'], own));
    ok(box.run(['fail', '--reason', 'no key'], own));
    expect(nextOf(ok(box.run(['status'], own)))).toMatch(/^holdfast resume/);
    const env = { HOLDFAST_DRIVER: `token ${onlyRun(box.root).run_id}` };
    expect(ok(box.run(['status'], { ...own, env }))).toContain(
      'Next: end your turn; a person',
    );
  });

  it('names the next phase of a blocked run that has no known number of them', () => {
    const box = sandbox();
    const own = { session: 's1' };
    box.run(['start', 'Open'], own);
    expect(ok(box.run(['fail', '--reason', 'no key'], own))).toContain(
      'Next: resolve the blocker, then holdfast advance --name "<next phase>", or',
    );
    box.run(['advance', '--name', 'Ship'], own);
  });

  it('takes a run whose session has ended, or that no session ever held', () => {
    const { box, id } = held();
    const look = (session: string): string =>
      nextOf(ok(box.run(['status'], { session })));
    hook(box, 'sessionend-other', { session_id: 's1' });
    expect(look('s2')).toBe(`holdfast resume ${id}`);
    ok(type(box, look('s2'), { session: 's2' }));
    ok(box.run(['complete', id]));
    ok(box.run(['start', 'Shop', '--phases', 'Design,Build']));
    const free = String(onlyRun(box.root).run_id);
    expect(look('s3')).toBe(`holdfast resume ${free}`);
    ok(type(box, look('s3'), { session: 's3' }));
    const dashboard = ok(box.run([], { session: 's3' }));
    expect(nextOf(dashboard)).toBe('holdfast advance');
  });

  it('is the same after a change to a run beside the own one', () => {
    const { box, id } = held();
    ok(box.run(['start', 'Own'], { session: 's2' }));
    ok(box.run(['release'], { session: 's1' }));
    const text = ok(
      box.run(['update', id, '--remind', 'ask Ann'], { session: 's2' }),
    );
    expect(nextOf(text)).toBe(`holdfast resume ${id}`);
    expect(nextOf(ok(box.run(['status', id], { session: 's2' })))).toBe(
      `holdfast resume ${id}`,
    );
    ok(type(box, nextOf(text), { session: 's2' }));
  });

  it('continues a paused run, not one that is finished', () => {
    const { box, id } = held();
    ok(box.run(['pause', '--reason', 'lunch'], { session: 's1' }));
    const next = nextOf(ok(box.run(['status'])));
    expect(next).toBe(`holdfast resume ${id}`);
    ok(type(box, next));
  });
});

describe('a run that another machine has taken', () => {
  it('is taken back with the command that status names', () => {
    const hub = makeHub();
    const [a, b] = [hub.clone('a'), hub.clone('b')];
    ok(
      a.run(['start', 'User Auth', '--phases', 'Design,Build'], {
        session: 's1',
      }),
    );
    const id = String(onlyRun(a.root).run_id);
    ok(a.run(['sync', 'on', 'origin']));
    ok(a.run(['sync']));
    expect(ok(b.run(['sync', 'on', 'origin']))).toContain(
      `${id}: \`holdfast init\`, then \`/holdfast:resume ${id}\` in Claude Code continues it`,
    );
    ok(b.run(['resume', id], { session: 's2' }));
    ok(b.run(['sync']));
    ok(a.run(['init']));
    expect(ok(a.run(['sync']))).toContain(
      `${id}: \`/holdfast:resume ${id}\` in Claude Code takes it back`,
    );
    const next = nextOf(ok(a.run(['status'], { session: 's1' })));
    expect(next).toBe(`holdfast resume ${id}`);
    ok(type(a, next, { session: 's1' }));
  });
});

describe('the MCP status of a run that another session holds', () => {
  it('names the command that takes it only once it is free', async () => {
    const { box, id } = held();
    const server = await openServer(box, { session: 's2' });
    const look = async (): Promise<string> =>
      String((await server.reply('workflow_status'))['message']);
    expect(await look()).toContain(
      'This session does not hold this run, session s1 does',
    );
    expect(await look()).not.toMatch(/--force|takeover|holdfast resume/);
    ok(box.run(['release', id]));
    const command = /`(holdfast resume [^`]*)`/.exec(await look())?.[1] ?? '';
    expect(command).toBe(`holdfast resume ${id}`);
    ok(type(box, command, { session: 's2' }));
  });
});

describe('a run of the same template that nobody holds', () => {
  it('is continued by a command that works where it is printed', () => {
    const box = sandbox();
    ok(box.run(['start', '--template', 'feature', 'one']));
    const id = String(onlyRun(box.root).run_id);
    const second = ['start', '--template', 'feature', 'two'];
    const slash = `\`/holdfast:resume ${id}\` in Claude Code continues it`;
    expect(ok(box.run(second))).toContain(`. \`holdfast init\`, then ${slash}`);
    ok(box.run(['init']));
    expect(ok(box.run(second))).toContain(`. ${slash}`);
    const text = ok(
      box.run(['start', '--template', 'feature', 'three'], { session: 's1' }),
    );
    expect(text).toContain(`\`holdfast resume ${id}\` continues it`);
    ok(box.run(['resume', id], { session: 's1' }));
  });
});

describe('several plans that are declared and not stored', () => {
  const TASKS =
    '## Phase 1: Setup\n\n- [x] T001 Begin\n- [ ] T002 Go on\n\n## Phase 2: Core\n\n- [ ] T003 End\n';
  const files = {
    'specs/001-cart/tasks.md': `# Tasks: Cart\n\n${TASKS}`,
    'specs/002-login/tasks.md': `# Tasks: Login\n\n${TASKS}`,
  };

  it('the next command is for the first one', () => {
    const box = sandbox(files);
    const next = nextOf(ok(box.run(['status'])));
    expect(next).toBe('holdfast advance cart');
    ok(type(box, next));
  });
});
