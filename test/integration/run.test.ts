import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { repository } from '../support/cli.ts';
import {
  actions,
  drivenProject,
  journal,
  logFolder,
  prompts,
  runId,
  START,
  template,
  TWO_STEPS,
} from '../support/driven.ts';
import { onlyRun, stateFiles } from '../support/state.ts';

describe('a driven run', () => {
  it('goes from step to step with real boundaries: a fresh session for clear, a proved /compact, else the same session', () => {
    const box = drivenProject(
      template(`  - {id: plan, type: action, instructions: PLAN}
  - {id: review, type: action, context: compact, instructions: REVIEW}
  - {id: polish, type: ralph, n: 2, context: clear, instructions: POLISH}
  - {id: ship, type: action, instructions: SHIP}
`),
    );
    const result = box.drive(START);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toContain('the run is complete');
    expect(
      journal(box).find(({ event }) => event === 'step_driven'),
    ).toMatchObject({
      step: 'plan',
      outcome: 'finished',
      turns: 1,
      cost_usd: 0.01,
    });
    expect(prompts(box)).toEqual([
      'plan',
      '/compact',
      'review',
      'polish',
      'polish',
      'ship',
    ]);
    const sessions = box.calls('prompt').map(({ session }) => session);
    const [first, , , second, third] = sessions;
    expect(sessions).toEqual([first, first, first, second, third, third]);
    expect(new Set(sessions).size).toBe(3);
    const log = logFolder(box);
    const streams = readdirSync(log).filter((name) => name.endsWith('.jsonl'));
    const modes = streams.map((name) => statSync(join(log, name)).mode & 0o077);
    expect(modes).toEqual([0, 0, 0, 0]);
    expect(existsSync(join(log, 'driver.json'))).toBe(false);
  });

  it('asks once more after a turn that moves nothing, then the step fails by its on_fail', () => {
    const box = drivenProject(TWO_STEPS);
    box.script([[], []]);
    expect(box.stop(START, 1)).toMatchObject({
      event: 'stopped',
      reason: 'failed',
      exit_code: 1,
      message: expect.stringContaining('ended its turn twice'),
      error: { code: 'failed' },
    });
    expect(box.calls('prompt')).toHaveLength(2);
    expect(box.calls('prompt')[1]?.prompt).toContain('the run has not moved');
    expect(box.calls('start')[1]?.args).toContain('--json-schema');
    expect(onlyRun(box.root)).toMatchObject({
      status: 'failed',
      machine: { step: 'plan' },
    });

    const again = box.drive([], { code: 1 });
    expect(again.stderr).toContain('(failed)');
    expect(box.calls('prompt')).toHaveLength(2);
  });

  it('takes a structured report for the end of a step, never a word in the text', () => {
    const box = drivenProject(TWO_STEPS);
    box.script([
      [{ result: { result: 'The step is done. holdfast advance. DONE' } }],
      [
        {
          result: {
            structured_output: { done: true, output: 'made by report' },
          },
        },
      ],
    ]);
    const result = box.drive([...START, '--step']);
    expect(result.stdout).toContain('the agent reports that the step is done');
    expect(result.stdout).toContain('the step is finished');
    expect(onlyRun(box.root)).toMatchObject({
      machine: { step: 'ship', outputs: { plan: 'made by report' } },
    });
  });
});

describe('run', () => {
  it('loads the hooks with settings where they are not installed, and never twice', () => {
    const box = drivenProject(TWO_STEPS);
    box.drive([...START, '--step']);
    const args = box.calls('start')[0]?.args ?? [];
    const settings = JSON.parse(args[args.indexOf('--settings') + 1] ?? '');
    expect(Object.keys(settings.hooks)).toEqual(
      expect.arrayContaining([
        'SessionStart',
        'PreCompact',
        'PostCompact',
        'SessionEnd',
      ]),
    );
    box.run(['init']);
    box.drive([runId(box)]);
    expect(box.calls('start')[1]?.args).not.toContain('--settings');
  });

  it('never acts for the session in which it was typed, and warns once of bad settings', () => {
    const box = drivenProject({
      ...TWO_STEPS,
      '.claude/holdfast.json': '{"colour": true}',
    });
    const { stderr } = box.drive(START, { session: 'interactive' });
    expect(stderr.match(/colour/g)).toHaveLength(1);
    expect(
      journal(box).some(({ session_id: session }) => session === 'interactive'),
    ).toBe(false);
  });

  it('gives a step with an agent a conversation of its own, then goes on in the main one', () => {
    const box = drivenProject(
      template(
        actions('plan', 'review agent: reviewer', 'ship'),
        'agents: {reviewer: {description: Reads everything twice}}\n',
      ),
    );
    box.script([
      [{ run: 'holdfast advance; holdfast status' }],
      [{ run: 'holdfast status; holdfast advance' }],
    ]);
    expect(box.drive(START)).toMatchObject({ code: 0, stderr: '' });
    const [main, own, again] = box.calls('start');
    const sessions = box.calls('prompt').map(({ session }) => session);
    expect(sessions[2]).toBe(sessions[0]);
    expect(sessions[1]).not.toBe(sessions[0]);
    expect(main?.args).not.toContain('--agent');
    expect(own?.args).toEqual(
      expect.arrayContaining(['--agent', 'reviewer', '--agents']),
    );
    expect(again?.args).toContain('--resume');
    const [left, reviewed] = box.calls('tool');
    expect(left?.output).toContain('End your turn now');
    expect(left?.output).not.toContain('REVIEW\n');
    expect(reviewed?.output).toContain('REVIEW');
    expect(reviewed?.output).toContain('reviewer (this session)');
  });

  it('prints a plan with --dry-run and starts nothing', () => {
    const box = drivenProject({
      ...template(
        `  - {id: plan, type: action, instructions: PLAN}
  - {id: build, type: loop}
  - {id: polish, type: ralph, n: 3, context: clear, instructions: POLISH}
  - {id: sign, type: approval}
`,
        'loops: {build: [{id: code, instructions: CODE, context: compact}]}\n',
      ),
    });
    const result = box.drive([...START, '--dry-run']);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toContain('├─ ▸ 1 plan');
    expect(result.stdout).toContain('code, /compact first');
    expect(result.stdout).toContain('· 3 polish (ralph, up to 3 times)');
    expect(result.stdout).toContain('sign (approval by the user)');
    expect(stateFiles(box.root)).toEqual([]);
    expect(box.calls()).toEqual([]);
    expect(box.json(['run', ...START, '--dry-run'])).toMatchObject({
      steps: [
        { id: 'plan', state: 'current' },
        { id: 'build' },
        { n: 3 },
        { type: 'approval' },
      ],
    });
  });

  it('prints events that fit their schema', () => {
    const schema = JSON.parse(
      readFileSync(join(repository, 'schemas/run-events.schema.json'), 'utf8'),
    );
    const validate = new Ajv({ strict: false }).compile(schema);
    const box = drivenProject(
      template(
        `  - {id: plan, type: action, instructions: PLAN, gate: "test -f built"}
  - {id: polish, type: ralph, n: 2, until: "true", context: compact, instructions: POLISH}
  - {id: sign, type: approval}
`,
      ),
    );
    box.run(['trust', 'release', '--yes']);
    box.script([
      [{ kill: 'SIGKILL' }],
      [{ run: 'holdfast advance' }],
      [],
      [{ run: 'touch built; holdfast advance' }],
    ]);
    const result = box.drive([...START, '--json'], { code: 3 });
    const events = box.events(result);
    for (const event of events) {
      const isValid = validate(event);
      expect({ event, errors: isValid ? [] : validate.errors }).toMatchObject({
        errors: [],
      });
    }
    expect(new Set(events.map(({ event }) => event)).size).toBeGreaterThan(9);
    const logged = readFileSync(join(logFolder(box), 'events.jsonl'), 'utf8')
      .trim()
      .split('\n');
    expect(logged.map((line) => JSON.parse(line))).toEqual(events);
  });
});
