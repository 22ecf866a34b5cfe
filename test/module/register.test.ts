import { expect, mock, test } from 'claude-code/testing';

// Run by `claude plugin test`, in the environment of the client and through its own events.

const TURN = { answer: 'ok', durationMs: 1, isAborted: false, turnId: 't1', reason: 'answer' };
const LONG_ENOUGH_MS = 5_000;

interface World {
  step: 'plan' | 'design';
  performed: boolean;
  readonly surfaces?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Answers everything that the module calls: the conversation, the files and holdfast itself. */
function standIn(on: Parameters<Parameters<typeof test>[1]>[1], world: World) {
  const clock = mock.clock(on);
  mock.env(on, world.env ?? {});
  const log: string[] = [];
  const value = (answer: unknown) => () => ({ value: answer });
  on('session.id', value('s1'));
  on('session.root', value('/shop'));
  on('session.surfaces', value(world.surfaces ?? ['terminal']));
  on('prompt.read', value({ text: '', cursor: 0 }));
  on('agent.list', value([]));
  on('fs.exists', (_, e) => ({ value: e.path === '/shop/untracked/workflow-state' }));
  on('process.run', (_, e) => ({
    value: {
      exitCode: 0,
      stdout: JSON.stringify(reportOf(world, e.argv)),
      stderr: '',
      isStdoutTruncated: false,
      isStderrTruncated: false,
    },
  }));
  on('session.compact', () => {
    log.push('compact');
    world.performed = true;
    return { messages: [{ role: 'user', text: 'summary', toolUses: [] }] };
  });
  on('prompt.submit', (_, e) => {
    log.push(`submit ${e.text}`);
    return { text: e.text };
  });
  on('ui.log', () => {
    log.push('say');
    return { value: undefined };
  });
  on('session.start', (_, e) => ({ cwd: e.cwd }));
  on('turn.start', (_, e) => ({ turnId: e.turnId }));
  on('turn.complete', (_, e) => ({ text: e.answer }));
  return { clock, log };
}

function reportOf({ step, performed }: World, argv: readonly string[]): object {
  const position = `run/step=${step}`;
  const isPrompted = argv.includes(position);
  const next = isPrompted
    ? { perform: 'none', prompt: null, stop: 'waiting' }
    : { perform: performed ? 'none' : 'compact', prompt: `continue ${step}`, stop: null };
  return { format: 1, holder: 's1', next, position, told: 'where it stands' };
}

test('a step that the agent has reached is compacted for and prompted for, once', async ($, on) => {
  const world: World = { step: 'plan', performed: true };
  const { clock, log } = standIn(on, world);
  await $.session.start({ cwd: '/shop', surface: 'terminal', isInteractive: true });
  await clock.settle();
  await $.turn.start({ text: 'go', turnId: 't1' });
  world.step = 'design';
  world.performed = false;
  await $.turn.complete(TURN);
  await clock.advance(LONG_ENOUGH_MS);
  await $.turn.start({ text: 'continue design', turnId: 't2' });
  await $.turn.complete({ ...TURN, turnId: 't2' });
  await clock.advance(LONG_ENOUGH_MS);
  expect(log).toEqual(['compact', 'say', 'submit continue design', 'say']);
});

test('the turn of a sub-agent leads to nothing', async ($, on) => {
  const { clock, log } = standIn(on, { step: 'design', performed: false });
  await $.turn.complete({ ...TURN, agentId: 'a1' });
  await clock.advance(LONG_ENOUGH_MS);
  expect(log).toEqual([]);
});

test('a session without a terminal is left alone', async ($, on) => {
  const { clock, log } = standIn(on, { step: 'design', performed: false, surfaces: [] });
  await $.turn.complete(TURN);
  await clock.advance(LONG_ENOUGH_MS);
  expect(log).toEqual([]);
});

test('HOLDFAST=off keeps it silent', async ($, on) => {
  const env = { HOLDFAST: 'off' };
  const { clock, log } = standIn(on, { step: 'design', performed: false, env });
  await $.turn.complete(TURN);
  await clock.advance(LONG_ENOUGH_MS);
  expect(log).toEqual([]);
});
