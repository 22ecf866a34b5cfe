import { describe, expect, it } from 'vitest';
import { sandbox, type Sandbox } from '../support/cli.ts';
import { hook } from '../support/hooks.ts';

function withRuns(...starts: [name: string, session?: string][]): Sandbox {
  const box = sandbox();
  for (const [name, session] of starts) {
    box.run(['start', name], session === undefined ? {} : { session });
  }
  return box;
}

const workflow = (name: string): object => ({ run: { workflow: name } });

describe('in a session', () => {
  it('is the run it holds, whatever else there is', () => {
    const { json } = withRuns(['Mine', 's1'], ['Free'], ['Theirs', 's2']);
    expect(json(['status'], { session: 's1' })).toMatchObject(workflow('Mine'));
    expect(json(['pause'], { session: 's2' })).toMatchObject(workflow('Theirs'));
  });

  it('else the most recent one is shown with the others, and writing is refused with the list', () => {
    const { json, run } = withRuns(['One'], ['Two'], ['Theirs', 's2']);
    expect(json(['status'], { session: 's1' })).toMatchObject({
      ...workflow('Theirs'),
      others: [{ workflow: 'Two' }, { workflow: 'One' }],
    });
    const refused = run(['advance'], { code: 1, session: 's1' });
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /in progress here: two-\S+, one-\S+, theirs-\S+ \(held by another session\); .*`holdfast advance two-\S+`$/m,
      ),
    });
  });

  it('where other sessions hold them all, one is shown and none is written to', () => {
    const { json, run } = withRuns(['Theirs', 's2']);
    expect(json(['status'], { session: 's1' })).toMatchObject(workflow('Theirs'));
    const refused = run(['advance'], { code: 1, session: 's1' });
    expect(refused.stderr).toMatch(/in progress here: theirs-\S+ \(held by another session\)/);
    expect(refused.stderr).not.toContain('holdfast advance');
    expect(run(['update', 'theirs', '--set', 'a=b'], { code: 1, session: 's1' })).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining('held by session s2'),
    });
  });

  it('may be named by --session as well', () => {
    const { json } = withRuns(['Mine', 's1'], ['Other', 's2']);
    expect(json(['status', '--session', 's1'], { session: 's2' })).toMatchObject(workflow('Mine'));
  });
});

describe("in a person's terminal", () => {
  it('holding does not matter: the most recent is shown, the only one is written to', () => {
    const { json, run } = withRuns(['Mine', 's1']);
    run(['update', '--set', 'a=b']);
    run(['start', 'Two', '--switch'], { session: 's1' });
    expect(json(['status'])).toMatchObject({ ...workflow('Two'), others: [{ workflow: 'Mine' }] });
    expect(run(['advance'], { code: 1 })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/two-.*, mine-/),
    });
  });
});

it('the session of a hook without one is that of the environment', () => {
  const box = withRuns(['Mine', 's1'], ['Theirs', 's2']);
  const { stdout } = hook(box, 'precompact-auto', { session_id: undefined }, { session: 's1' });
  expect(stdout).toContain('- Workflow: Mine');
});
