import { expect, mock, test } from 'claude-code/testing';

// Run by `claude plugin test`, in the environment of the client and through its own events.

const TURN = {
  answer: 'ok',
  durationMs: 1,
  isAborted: false,
  turnId: 't1',
  reason: 'answer',
};
const LONG_ENOUGH_MS = 5_000;

/** How each program was called that the module has started. */
interface Call {
  readonly words: string;
  readonly stdin: string;
}

interface World {
  step: 'plan' | 'design';
  performed: boolean;
  readonly surfaces?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether holdfast takes a secret. */
  readonly takesSecret?: boolean;
}

/** Answers everything that the module calls: the conversation, the files and holdfast itself. */
function standIn(on: Parameters<Parameters<typeof test>[1]>[1], world: World) {
  const clock = mock.clock(on);
  mock.env(on, world.env ?? {});
  const log: string[] = [];
  const calls: Call[] = [];
  const value = (answer: unknown) => () => ({ value: answer });
  on('session.id', value('s1'));
  on('session.root', value('/shop'));
  on('session.surfaces', value(world.surfaces ?? ['terminal']));
  on('prompt.read', value({ text: '', cursor: 0 }));
  on('agent.list', value([]));
  on('fs.exists', (_, e) => ({
    value: e.path === '/shop/untracked/workflow-state',
  }));
  on('process.run', (_, e) => {
    // Without `node` and the program.
    const words = e.argv.slice(2).join(' ');
    calls.push({ words, stdin: e.init?.stdin ?? '' });
    const isRefused =
      words === 'register-client' && world.takesSecret === false;
    return {
      value: {
        exitCode: isRefused ? 1 : 0,
        stdout: words.startsWith('approve ')
          ? 'Approved.\n'
          : JSON.stringify(reportOf(world, e.argv)),
        stderr: '',
        isStdoutTruncated: false,
        isStderrTruncated: false,
      },
    };
  });
  on('command.run', () => ({ text: 'left to the client' }));
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
  return { clock, log, calls };
}

function reportOf({ step, performed }: World, argv: readonly string[]): object {
  const position = `run/step=${step}`;
  const isPrompted = argv.includes(position);
  const next = isPrompted
    ? { perform: 'none', prompt: null, stop: 'waiting' }
    : {
        perform: performed ? 'none' : 'compact',
        prompt: `continue ${step}`,
        stop: null,
      };
  const wait = { wait: 'agree@1', toldWait: 'agree@1' };
  return {
    format: 1,
    holder: 's1',
    runId: 'run',
    next,
    position,
    told: 'where it stands',
    ...wait,
  };
}

test('a step that the agent has reached is compacted for and prompted for, once', async ($, on) => {
  const world: World = { step: 'plan', performed: true };
  const { clock, log } = standIn(on, world);
  await $.session.start({
    cwd: '/shop',
    surface: 'terminal',
    isInteractive: true,
  });
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
  const { clock, log } = standIn(on, {
    step: 'design',
    performed: false,
    surfaces: [],
  });
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

const START = { cwd: '/shop', surface: 'terminal', isInteractive: true };
const APPROVE = { command: 'holdfast:approve', args: 'looks good' };
const TYPED = { kind: 'composer' };
/** Of the tests before. */
const secrets: string[] = [];

test('what a person types comes with the secret that was registered at the start', async ($, on) => {
  const { clock, calls } = standIn(on, { step: 'plan', performed: true });
  await $.session.start(START);
  const [registered] = calls;
  expect(registered?.words).toEqual('register-client');
  expect(/^[0-9a-f]{64}$/.test(registered?.stdin ?? '')).toEqual(true);
  secrets.push(registered?.stdin ?? '');
  await clock.settle();
  await $.session.start(START);
  expect(
    calls.filter(({ words }) => words === 'register-client').length,
  ).toEqual(1);
  const { text } = await $.command.run({ ...APPROVE, origin: TYPED });
  expect(text).toEqual('Approved.');
  expect(calls.filter(({ words }) => words.startsWith('approve'))).toEqual([
    {
      words: 'approve --proof run --for agree@1 --note=looks good',
      stdin: registered?.stdin,
    },
  ]);
});

test('the secret is another one each time the module is loaded', async ($, on) => {
  const { calls } = standIn(on, { step: 'plan', performed: true });
  await $.session.start(START);
  const secret = calls[0]?.stdin ?? '';
  expect(secret.length).toEqual(64);
  expect(secrets.includes(secret)).toEqual(false);
});

test('what no person has typed is left to the client', async ($, on) => {
  const { calls } = standIn(on, { step: 'plan', performed: true });
  await $.session.start(START);
  const origins = [
    { kind: 'plugin', name: 'another' },
    { kind: 'scheduled-trigger', isMeta: true },
    { kind: 'unclassified' },
    { kind: 'sdk' },
  ];
  for (const origin of origins) {
    const { text } = await $.command.run({ ...APPROVE, origin });
    expect(text).toEqual('left to the client');
  }
  expect(calls.filter(({ words }) => words.startsWith('approve'))).toEqual([]);
});

test('where holdfast does not take the secret, what a person types is left to the client', async ($, on) => {
  const { calls } = standIn(on, {
    step: 'plan',
    performed: true,
    takesSecret: false,
  });
  await $.session.start(START);
  for (const command of [
    'holdfast:approve',
    'holdfast:reject',
    'holdfast:trust',
  ]) {
    const { text } = await $.command.run({ command, args: 'x', origin: TYPED });
    expect(text).toEqual('left to the client');
  }
  expect(
    calls.filter(({ stdin }) => stdin !== '').map(({ words }) => words),
  ).toEqual(['register-client']);
});

test('where no person can type no secret is made', async ($, on) => {
  const { calls } = standIn(on, {
    step: 'plan',
    performed: true,
    surfaces: [],
  });
  await $.session.start({ ...START, surface: null, isInteractive: false });
  expect(calls).toEqual([]);
});

test('with HOLDFAST=off no secret is made', async ($, on) => {
  const env = { HOLDFAST: 'off' };
  const { calls } = standIn(on, { step: 'plan', performed: true, env });
  await $.session.start(START);
  expect(calls).toEqual([]);
});
