import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type Action,
  type Driven,
  drivenProject,
  journal,
  named,
  prompts,
  runId,
  START,
  stopOf,
  template,
} from '../support/driven.ts';
import { onlyRun, stateFiles } from '../support/state.ts';

const THREE_STEPS = template(`  - {id: plan, type: action, instructions: PLAN}
  - {id: sign, type: approval}
  - {id: ship, type: action, gate: "test -f built", instructions: SHIP}
`);

/** As a person would type it in another terminal while the client works. */
const elsewhere = (command: string): string =>
  `env -u CLAUDECODE -u CLAUDE_CODE_SESSION_ID -u HOLDFAST_DRIVER ${command}`;

const inSession = (session: string, command: string): string =>
  `env -u HOLDFAST_DRIVER CLAUDE_CODE_SESSION_ID=${session} ${command}`;

/** Longer than a test may take: the driver must not wait for it. */
const NEVER: Action = { sleep: 600_000 };

function drivenWith(turns: Action[][]): Driven {
  const box = drivenProject(THREE_STEPS);
  box.run(['trust', 'release', '--yes']);
  box.script(turns);
  return box;
}

/** Stopped with exit 1 for that reason, with nothing called complete and no step called finished. */
function expectLoss(box: Driven, reason: string, message: string) {
  const result = box.drive(
    [...START, '--json', '--on-stop', 'cat > stop.json'],
    { code: 1 },
  );
  const stop = stopOf(box, result);
  expect({ code: result.code, stop }).toMatchObject({
    code: 1,
    stop: { reason, exit_code: 1 },
  });
  expect(stop?.['message']).toBe(message);
  expect(JSON.parse(readFileSync(join(box.root, 'stop.json'), 'utf8'))).toEqual(
    stop,
  );
  expect(stop?.['steps']).toMatchObject([{ step: 'plan', outcome: 'stopped' }]);
  expect(named(box, result, 'step_ended')).toEqual([]);
  expect(named(box, result, 'turn').map((turn) => turn['result'])).toEqual([
    'stop',
  ]);
  return String(stop?.['hint']);
}

describe('holdfast complete while a run is driven', () => {
  it('is refused in the session that works on it, and the run goes on', () => {
    const box = drivenWith([
      [{ run: 'holdfast complete', code: 1 }, { run: 'holdfast advance' }],
    ]);
    box.drive(START, { code: 3 });
    const [refused] = box.calls('tool');
    expect(refused).toMatchObject({ code: 1 });
    expect(refused?.output).toContain('step 1 of 3 (plan)');
    expect(refused?.output).toContain('holdfast advance');
    expect(onlyRun(box.root).machine).toMatchObject({ step: 'sign' });
  });

  it('in a terminal ends the run, which the driver does not call complete', () => {
    const box = drivenWith([[{ run: elsewhere('holdfast complete') }, NEVER]]);
    const hint = expectLoss(
      box,
      'ended',
      'the run was ended at step 1 of 3 (plan)',
    );
    expect(stateFiles(box.root)).toEqual([]);
    expect(journal(box).map(({ event }) => event)).not.toContain('step_driven');
    expect(hint).toBe(
      `\`holdfast reopen ${runId(box)}\` brings it back, then \`holdfast run ${runId(box)} --on-stop 'cat > stop.json'\` continues the run`,
    );
    box.run(['reopen', runId(box)]);
    expect(box.drive([runId(box)], { code: 3 })).toMatchObject({ code: 3 });
    expect(prompts(box)).toEqual(['plan', 'plan']);
  });
});

describe('a run that is taken away while it is driven', () => {
  it('is reported as cancelled, with the reason', () => {
    const box = drivenWith([
      [{ run: elsewhere('holdfast cancel --reason "not needed"') }, NEVER],
    ]);
    const hint = expectLoss(
      box,
      'cancelled',
      'the run was cancelled: "not needed"',
    );
    expect(hint).toContain(`holdfast reopen ${runId(box)}`);
    expect(journal(box).map(({ event }) => event)).not.toContain('step_driven');
  });

  it('is reported as gone if its state file was deleted', () => {
    const box = drivenWith([
      [{ run: 'rm -r untracked/workflow-state/*/' }, NEVER],
    ]);
    const hint = expectLoss(box, 'gone', 'the state file of the run is gone');
    expect(hint).toContain('untracked/workflow-state/release/state-');
  });
});

describe('a driven run that another session takes', () => {
  const take = inSession('other-session', 'holdfast takeover release');

  it('is left to that session', () => {
    const box = drivenWith([[{ run: take }, NEVER]]);
    const hint = expectLoss(
      box,
      'taken',
      'the session other-session has taken the run',
    );
    expect(prompts(box)).toEqual(['plan']);
    expect(onlyRun(box.root)).toMatchObject({
      status: 'in_progress',
      machine: { step: 'plan', status: 'running' },
      sessions: { current_session_id: 'other-session' },
    });
    expect(onlyRun(box.root).failure).toBeUndefined();
    expect(hint).toContain('other-session');
    expect(hint).toContain(`holdfast run ${runId(box)}`);
    // As the hint says: refused while that session works on it, and driven again afterwards.
    box.drive([runId(box)], { code: 1 });
    box.run(['release', runId(box)], {
      env: { CLAUDE_CODE_SESSION_ID: 'other-session' },
    });
    box.drive([runId(box)], { code: 3 });
  });

  it('is left to it if the agent had asked for the next step', () => {
    const box = drivenProject(
      template(
        '  - {id: ship, type: action, gate: "touch ran", instructions: SHIP}\n',
      ),
    );
    box.run(['trust', 'release', '--yes']);
    box.script([[{ run: `holdfast advance; ${take}` }]]);
    const result = box.drive([...START, '--json'], { code: 1 });
    expect(stopOf(box, result)).toMatchObject({ reason: 'taken' });
    expect(named(box, result, 'gate')).toEqual([]);
    expect(onlyRun(box.root).machine).toMatchObject({
      step: 'ship',
      status: 'running',
    });
  });
});
