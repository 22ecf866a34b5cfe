import { describe, expect, test } from 'vitest';
import { version } from '../../../src/text/version.ts';
import { createFakeClient, idle } from './fake-client.ts';

const STEPS = [
  { id: 'plan' },
  { id: 'design', context: 'compact' },
  { id: 'build' },
  { id: 'review', context: 'clear' },
] as const;

test('a template run goes to its end, each boundary performed once and each step prompted for once', async () => {
  const { start, turn, actions, said } = createFakeClient(STEPS);
  await start();
  for (const _step of STEPS) await turn();
  expect(actions()).toEqual([
    'compact',
    'submit design',
    'submit build',
    'clear',
    'submit review',
  ]);
  expect(said).toEqual([
    'Compacted before design',
    'Cleared before review',
    'Stopped: done',
  ]);
});

test('holdfast is asked with the session of the moment, also after a clear', async () => {
  const { start, turn, calls } = createFakeClient(STEPS);
  await start();
  for (const _step of STEPS) await turn();
  expect(calls()[0]).toBe(
    `/home/me/shop$ node /plugin/bin/holdfast.cjs status --look --json --module ${version} --session session-1`,
  );
  expect(calls().at(-1)).toContain(
    '--prompted run/review////0/0 --session session-2',
  );
});

describe('the run waits for the user', () => {
  test('when the agent ends its turn without having moved it', async () => {
    const { start, turn, actions, said } = createFakeClient(STEPS);
    await start();
    await turn();
    await turn({ moves: false });
    expect(actions()).toEqual(['compact', 'submit design']);
    expect(said.at(-1)).toBe('Stopped: waiting');
  });

  test.each([
    [
      'when the session begins with a run that stands at a step',
      { moves: false },
      {},
    ],
    ['after an interruption', { isAnswer: false }, {}],
    ['when another session holds it', {}, { holder: 7 }],
    ['when it is set to ask', {}, { mode: 'ask' }],
    ['while agents run in the background', {}, { runningAgents: true }],
  ])('%s', async (_when, how, fields) => {
    const { start, turn, actions, world } = createFakeClient(STEPS);
    Object.assign(world, fields);
    await start();
    await turn(how);
    expect(actions()).toEqual([]);
  });

  test.each([true, false])(
    'before a step that waits for their word, for which the context is made ready once (hooks: %s)',
    async (hooksWork) => {
      const { start, turn, actions, said, world } = createFakeClient([
        { id: 'plan' },
        { id: 'design', context: 'compact', waits: true },
      ]);
      Object.assign(world, { hooksWork });
      await start();
      await turn();
      await turn({ moves: false });
      expect(actions()).toEqual(['compact']);
      expect(said[0]).toBe('Compacted before design');
      if (hooksWork) expect(said.slice(1)).toEqual(['Stopped: waiting']);
    },
  );

  test('at a loop without tasks, and says so once', async () => {
    const { start, turn, actions, said } = createFakeClient([
      { id: 'plan' },
      { id: 'design' },
      { id: 'build', lacksTasks: true },
    ]);
    await start();
    await turn();
    await turn();
    await turn({ moves: false });
    expect(actions()).toEqual(['submit design']);
    expect(said).toEqual(['Stopped: tasks']);
  });
});

describe('nothing is done', () => {
  test.each([
    ['in a session without a person', { attended: false }],
    ['with HOLDFAST=off', { switchedOff: true }],
    ['in a project without a run', { hasRun: false }],
  ])('%s', async (_where, fields) => {
    const { world, start, turn, actions, calls } = createFakeClient(STEPS);
    Object.assign(world, fields);
    await start();
    await turn();
    expect(actions()).toEqual([]);
    expect(calls()).toEqual([]);
  });

  test('with what a holdfast of another version says', async () => {
    const { world, start, turn, actions } = createFakeClient(STEPS);
    world.format = 2;
    await start();
    await turn();
    expect(actions()).toEqual([]);
  });
});

describe('the user comes first', () => {
  test('an action waits while there is text on the input line, and follows when it is gone', async () => {
    const { world, start, turn, actions } = createFakeClient(STEPS);
    await start();
    world.draft = 'wait, ';
    await turn();
    expect(actions()).toEqual([]);
    world.draft = '';
    await idle();
    expect(actions()).toEqual(['compact', 'submit design']);
  });

  test('a prompt that was queued during the turn gets more time to start its own', async () => {
    const { client, start, autopilot } = createFakeClient(STEPS);
    await start();
    const delays: number[] = [];
    const timed = { ...client, after: (ms: number) => void delays.push(ms) };
    await autopilot.turnStarted();
    autopilot.turnCompleted(timed, true);
    autopilot.promptQueued();
    autopilot.turnCompleted(timed, true);
    await autopilot.turnStarted();
    autopilot.turnCompleted(timed, true);
    expect(delays).toEqual([400, 3_000, 400]);
  });

  test('text typed during a compaction keeps the prompt from being submitted', async () => {
    const { world, client, start, turn, actions, autopilot } =
      createFakeClient(STEPS);
    await start();
    const slow = {
      ...client,
      compact: async () => {
        await client.compact();
        world.draft = 'and then';
      },
    };
    await autopilot.turnStarted();
    world.step += 1;
    autopilot.turnCompleted(slow, true);
    await idle();
    expect(actions()).toEqual(['compact']);
    world.draft = '';
    await turn({ moves: false });
    expect(actions()).toEqual(['compact']);
  });

  test('a /clear typed by the user before the action does not lead to a second one', async () => {
    const { world, client, start, actions, autopilot } =
      createFakeClient(STEPS);
    await start();
    await autopilot.turnStarted();
    world.step = 3;
    autopilot.turnCompleted(client, true);
    autopilot.sessionEnded();
    world.session = world.holder = 2;
    world.performed = true;
    await idle();
    expect(actions()).toEqual([]);
  });
});

describe('after a failure the step asks as before', () => {
  test('a compaction that fails is reported once and not prompted for', async () => {
    const { world, start, turn, actions, said } = createFakeClient(STEPS);
    await start();
    world.failure = new Error(
      'holdfast: $.session.compact: Error during compaction: 400',
    );
    await turn();
    await turn({ moves: false });
    expect(actions()).toEqual(['compact']);
    expect(said[0]).toBe(
      'Could not run /compact for you: Error during compaction: 400. Type /compact yourself, then tell the agent to continue.',
    );
    expect(said.filter((text) => text.includes('Could not'))).toHaveLength(1);
    expect(said.at(-1)).toBe('Stopped: waiting');
  });

  test('an action that the hooks did not see is not followed by a prompt', async () => {
    const { world, start, turn, actions, said } = createFakeClient(STEPS);
    await start();
    world.hooksWork = false;
    await turn();
    await idle();
    expect(actions()).toEqual(['compact']);
    expect(said.at(-1)).toContain('holdfast doctor');
  });

  test('a client without the calls, and a holdfast that is gone, are left alone', async () => {
    const { client, start, autopilot, actions, said } = createFakeClient(STEPS);
    await start();
    const missing = {
      ...client,
      run: async () => {
        throw new TypeError('$.process.run is not a function');
      },
    };
    await autopilot.turnStarted();
    autopilot.turnCompleted(missing, true);
    await idle();
    expect([...actions(), ...said]).toEqual([]);
  });
});

test('the fill is reported once for each threshold, and again after a compaction', async () => {
  const { client, start, autopilot, calls } = createFakeClient(STEPS);
  await start();
  for (const tokens of [50_000, 110_000, 115_000, 140_000, 20_000, 110_000]) {
    autopilot.measured(client, { tokens, window: 200_000 });
    await idle();
  }
  expect(calls().filter((call) => call.includes(' fill '))).toEqual([
    expect.stringContaining('fill --percent 66 --session session-1'),
    expect.stringContaining('fill --percent 84 --session session-1'),
    expect.stringContaining('fill --percent 66 --session session-1'),
  ]);
});

test.each([
  [true, '- SQLite, for offline', ['ask'], 'SQLite, for offline'],
  [true, 'Nothing.', ['ask'], null],
  [true, null, ['ask'], null],
  [false, 'SQLite', [], null],
])(
  'the last word of the model, with asksModel %s: %j',
  async (asksModel, answer, asked, noted) => {
    const { world, client, autopilot, actions, calls } =
      createFakeClient(STEPS);
    Object.assign(world, { asksModel, answer });
    expect(await autopilot.summary(client)).toBe('KEEP-IT');
    expect(actions()).toEqual(asked);
    const notes = calls().filter((call) => call.includes(' note '));
    expect(notes).toEqual(
      noted === null ? [] : [expect.stringContaining(`note ${noted} --model`)],
    );
  },
);

describe('an answer that the user types is for what was seen', () => {
  const answers = (calls: string[]): string[] =>
    calls.flatMap(
      (call) => /(?:approve|reject) --proof run.*(?= <SECRET)/.exec(call) ?? [],
    );

  test.each<['approve' | 'reject', string, string]>([
    ['approve', 'ship it', 'approve --proof run --for ok@1 --note=ship it'],
    ['approve', '', 'approve --proof run --for ok@1'],
    ['reject', 'no tests', 'reject --proof run --for ok@1 --feedback=no tests'],
  ])('%s %j', async (verb, words, expected) => {
    const { world, client, autopilot, calls } = createFakeClient(STEPS);
    await autopilot.clientStarted(client);
    Object.assign(world, { wait: 'ok@1', toldWait: 'ok@1' });
    await autopilot.answer(client, verb, words);
    expect(answers(calls())).toEqual([expected]);
  });

  test('another one that waits by now is not answered, and once the refusal has named it, it is', async () => {
    const { world, client, autopilot, calls } = createFakeClient(STEPS);
    await autopilot.clientStarted(client);
    Object.assign(world, {
      wait: 'ok@2',
      toldWait: 'ok@1',
      refusal: 'ok@2 waits by now',
    });
    expect(await autopilot.answer(client, 'approve', '')).toBe(
      'ok@2 waits by now',
    );
    world.refusal = '';
    await autopilot.answer(client, 'approve', '');
    expect(answers(calls())).toEqual([
      'approve --proof run --for ok@1',
      'approve --proof run --for ok@2',
    ]);
  });

  test('one that the session was not told of is shown first', async () => {
    const { world, client, autopilot, calls } = createFakeClient(STEPS);
    await autopilot.clientStarted(client);
    world.wait = 'ok@1';
    expect(await autopilot.answer(client, 'approve', '')).toContain(
      'look at it',
    );
    expect(answers(calls())).toEqual([]);
    await autopilot.answer(client, 'approve', '');
    expect(answers(calls())).toEqual(['approve --proof run --for ok@1']);
  });

  test('nothing is sent where nothing waits', async () => {
    const { client, autopilot, calls } = createFakeClient(STEPS);
    await autopilot.clientStarted(client);
    expect(await autopilot.answer(client, 'approve', '')).toContain(
      'Nothing in this run waits',
    );
    expect(answers(calls())).toEqual([]);
  });

  test('a second approval that follows the first is said on the screen, and can then be answered', async () => {
    const { world, client, autopilot, start, said, calls } = createFakeClient([
      { id: 'first', isApproval: true },
      { id: 'second', isApproval: true },
    ]);
    await autopilot.clientStarted(client);
    Object.assign(world, { wait: 'first@1', toldWait: 'first@1' });
    await start();
    await autopilot.answer(client, 'approve', '');
    Object.assign(world, { step: 1, wait: 'second@1' });
    await idle();
    expect(said).toEqual(['Stopped: approval']);
    await autopilot.answer(client, 'approve', '');
    expect(answers(calls())).toEqual([
      'approve --proof run --for first@1',
      'approve --proof run --for second@1',
    ]);
  });
});

describe('what a person types', () => {
  const REGISTERED =
    '/home/me/shop$ node /plugin/bin/holdfast.cjs register-client <SECRET';
  const asPerson = (words: string) =>
    `/home/me/shop$ node /plugin/bin/holdfast.cjs ${words} <SECRET`;

  test('comes with the secret that was registered once, never with the session', async () => {
    const { autopilot, client, calls, world } = createFakeClient(STEPS);
    for (const _load of ['first', 'again'])
      await autopilot.clientStarted(client);
    expect(calls()).toEqual([REGISTERED]);
    Object.assign(world, { wait: 'ok@1', toldWait: 'ok@1' });
    await autopilot.answer(client, 'approve', '');
    expect(calls().at(-1)).toBe(asPerson('approve --proof run --for ok@1'));
    await autopilot.answer(client, 'approve', 'looks good');
    expect(calls().at(-1)).toBe(
      asPerson('approve --proof run --for ok@1 --note=looks good'),
    );
    await autopilot.answer(client, 'reject', '-');
    expect(calls().at(-1)).toBe(
      asPerson('reject --proof run --for ok@1 --feedback=-'),
    );
    const secrets = calls().filter((call) => call.includes('SECRET'));
    expect(secrets.filter((call) => call.includes('--session'))).toEqual([]);
  });

  test.each([
    ['the secret is not taken', { takesSecret: false }],
    ['holdfast is switched off', { switchedOff: true }],
  ])('is left to the client where %s', async (_where, fields) => {
    const { autopilot, client, calls, world } = createFakeClient(STEPS);
    Object.assign(world, fields);
    await autopilot.clientStarted(client);
    const before = calls();
    for (const verb of ['approve', 'reject'] as const)
      expect(await autopilot.answer(client, verb, 'x')).toBeNull();
    expect(await autopilot.trust(client, 'deploy')).toBeNull();
    expect(calls()).toEqual(before);
  });

  test('is left to the client as long as it has not started', async () => {
    const { autopilot, client, calls } = createFakeClient(STEPS);
    expect(await autopilot.answer(client, 'approve', '')).toBeNull();
    expect(calls()).toEqual([]);
  });

  test('is no answer where the session holds no run, or without feedback', async () => {
    const { autopilot, client, world } = createFakeClient(STEPS);
    await autopilot.clientStarted(client);
    expect(await autopilot.answer(client, 'reject', '')).toContain(
      'Say what has to change',
    );
    world.holder = 7;
    expect(await autopilot.answer(client, 'approve', '')).toContain(
      'holds no run',
    );
  });

  test('allows a template only after it has seen the commands, and only those', async () => {
    const { autopilot, client, calls, world } = createFakeClient(STEPS);
    const shows = (hash: string) => ({
      trusted: false,
      hash,
      told: `runs ${hash}`,
    });
    await autopilot.clientStarted(client);
    expect(await autopilot.trust(client, '')).toContain('Name the template');
    world.trustReply = shows('one');
    expect(await autopilot.trust(client, 'deploy yes')).toBe(
      'runs one\nTo allow exactly this, type /holdfast:trust deploy yes',
    );
    expect(calls().at(-1)).toBe(asPerson('trust --proof --json -- deploy'));
    expect(await autopilot.trust(client, 'other yes')).toContain('runs one');
    expect(calls().at(-1)).toBe(asPerson('trust --proof --json -- other'));
    world.trustReply = shows('two');
    expect(await autopilot.trust(client, 'deploy yes')).toContain('runs two');
    expect(calls().at(-1)).toBe(
      asPerson('trust --proof --json --seen=one -- deploy'),
    );
    world.trustReply = { trusted: true, hash: 'two', told: 'is now trusted' };
    expect(await autopilot.trust(client, 'deploy yes')).toBe('is now trusted');
    expect(calls().at(-1)).toBe(
      asPerson('trust --proof --json --seen=two -- deploy'),
    );
  });
});
