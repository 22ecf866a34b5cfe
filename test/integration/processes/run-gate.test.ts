import { describe, expect, test } from 'vitest';
import {
  gateEnvironment,
  runGate,
  type GateResult,
} from '../../../src/templates/gates/run-gate.ts';
import { makeHeldPipe } from '../../support/held-pipe.ts';
import { makeProject } from '../../support/project.ts';

const environment = { PATH: process.env['PATH'] };

function run(
  command: string,
  timeoutMs?: number,
  root = makeProject().root,
): Promise<GateResult> {
  return runGate(command, {
    root,
    run: 'a-run',
    environment,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
}

describe('a gate', () => {
  test('fails with the exit code and the output of both streams', async () => {
    expect(await run('echo one; echo two >&2; exit 3')).toEqual({
      kind: 'failed',
      exitCode: 3,
      tail: expect.stringMatching(/^(one\ntwo|two\none)$/),
    });
  });

  test('has nothing to read: it cannot wait for an answer', async () => {
    expect(await run('cat; exit 1')).toEqual({
      kind: 'failed',
      exitCode: 1,
      tail: '',
    });
  });

  test.each([
    ['a folder that is gone', 'true', '/nowhere/at/all'],
    ['a command that no shell can be given', 'echo \0', undefined],
  ])('is not started: %s', async (_what, command, root) => {
    const result = await run(command, undefined, root);
    expect(result).toMatchObject({
      kind: 'not_started',
      reason: expect.stringMatching(/\w/),
    });
  });
});

describe('the output of a gate is bounded', () => {
  test('the last 4,000 characters are kept', async () => {
    const result = await run(
      "node -e \"process.stdout.write('é'.repeat(3000000) + 'END')\"; exit 1",
    );
    if (result.kind !== 'failed') throw new Error(result.kind);
    expect(result.tail).toHaveLength(4_000);
    expect(result.tail).toMatch(/^é+END$/);
  });
});

describe('a gate ends', () => {
  /** All that it starts holds the pipe. */
  const lasting = 'exec 9>pipe; sleep 600';

  test('when its time is over, with all it has started, however stubborn', async () => {
    const project = makeProject();
    const pipe = makeHeldPipe(project.at('pipe'));
    const stubborn = `sh -c 'trap "" TERM INT HUP; echo waiting; ${lasting}' & wait`;
    const result = await run(stubborn, 900, project.root);
    // A busy machine may not have started it by then.
    const tail = expect.stringMatching(/^(?:waiting)?$/);
    expect(result).toEqual({ kind: 'timed_out', seconds: 1, tail });
    await pipe.free();
  });

  test('when it is cancelled, with all it has started', async () => {
    const project = makeProject();
    const { root } = project;
    const pipe = makeHeldPipe(project.at('pipe'));
    const caller = new AbortController();
    const gate = runGate(`{ ${lasting}; } & wait`, {
      root,
      run: 'a-run',
      environment,
      signal: caller.signal,
    });
    await pipe.held();
    caller.abort();
    expect(await gate).toEqual({ kind: 'cancelled' });
    await pipe.free();
  });

  test('when its command ends, though something in the background goes on', async () => {
    const project = makeProject();
    const pipe = makeHeldPipe(project.at('pipe'));
    const begun = 'until test -e begun; do sleep 0.01; done';
    const result = await run(
      `{ exec 9>pipe; touch begun; sleep 600; } & ${begun}; exit 0`,
      undefined,
      project.root,
    );
    expect(result).toEqual({ kind: 'passed' });
    await pipe.free();
  });

  test('though something that left its group still holds its output', async () => {
    const project = makeProject();
    const leave =
      "require('child_process').spawn('cat', ['fifo'], {detached: true, stdio: 'inherit'}).unref()";
    project.fifo('fifo');
    const result = await run(
      `node -e "${leave}"; echo done; exit 1`,
      undefined,
      project.root,
    );
    expect(result).toEqual({ kind: 'failed', exitCode: 1, tail: 'done' });
    // Ends it: until now it waited for a writer.
    project.write('fifo', '');
  });
});

describe('the environment of a gate', () => {
  test('contains what the command needs, without secrets and variables of the host or holdfast', () => {
    const kept =
      'PATH HOME LANG PWD CI TMPDIR NODE_OPTIONS NODE_EXTRA_CA_CERTS npm_config_registry HTTPS_PROXY no_proxy GIT_AUTHOR_NAME DATABASE_URL KEYBOARD'.split(
        ' ',
      );
    const dropped =
      'ANTHROPIC_API_KEY ANTHROPIC_BASE_URL CLAUDECODE CLAUDE_CODE_SESSION_ID HOLDFAST GITHUB_TOKEN npm_config__authToken npm_config__auth Client_Secret DB_PASSWORD MYSQL_PWD AWS_SECRET_ACCESS_KEY AWS_ACCESS_KEY_ID GOOGLE_APPLICATION_CREDENTIALS OPENAI_API_KEY SSH_PRIVATE_KEY SSH_AUTH_SOCK HTTP_AUTHORIZATION'.split(
        ' ',
      );
    const given = Object.fromEntries(
      [...kept, ...dropped].map((name) => [name, 'x']),
    );
    const passed = gateEnvironment({ ...given, UNSET: undefined }, 'a-run');
    expect(Object.keys(passed)).toEqual([...kept, 'HOLDFAST_GATE']);
  });

  test('is all that the command gets', async () => {
    const { root } = makeProject();
    const result = await runGate('echo "[$MY_TOKEN|$PLAIN]"; exit 1', {
      root,
      run: 'a-run',
      environment: { ...environment, MY_TOKEN: 'secret', PLAIN: 'word' },
    });
    expect(result).toMatchObject({ tail: '[|word]' });
  });
});
