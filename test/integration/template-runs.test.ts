import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import type { RunState } from '../../src/state/types.ts';
import { sandbox, type CallOptions, type Result, type Sandbox } from '../support/cli.ts';
import { hook, preCompact, sessionStart } from '../support/hooks.ts';
import { archived, onlyRun, readRun, stateFiles } from '../support/state.ts';

const FOLDER = '.claude/holdfast/workflows';
const S1: CallOptions = { session: 's1' };
const S2: CallOptions = { session: 's2' };

/** Every kind of step, and every kind of failure. */
const ship = `name: Ship It
description: Plans, builds and polishes
agents: {builder: {description: Builds}}
max_retries: 1
steps:
  - {id: plan, type: action, phase: Design, instructions: Write the plan., artefacts: [plan.md]}
  - {id: build, type: loop, title: Build it, context: compact, loop: task}
  - {id: polish, type: ralph, n: 2, context: clear, on_fail: skip, instructions: Look again.}
  - {id: report, type: action, instructions: Tell the user.}
loops:
  task:
    - {id: write, agent: builder, on_fail: retry, instructions: 'Write {task.title}.'}
    - {id: review, on_fail: skip, context: clear, instructions: 'Review {task.id}.'}
`;

const gated = `name: Gated
description: Runs commands
steps:
  - {id: build, type: action, instructions: Build it, gate: 'pwd > ran.txt; test -e ok || { echo not ok; exit 4; }'}
  - {id: hosts, type: loop, gate: 'echo loop >> gates.txt'}
  - {id: end, type: action, instructions: End it}
loops:
  hosts:
    - {id: copy, instructions: Copy it, gate: 'echo copy >> gates.txt'}
`;

const one = (context: string): string =>
  `name: One\ndescription: x\nsteps:\n  - {id: first, type: action, instructions: Begin.}\n  - {id: second, type: action, instructions: Go on., context: ${context}}\n  - {id: third, type: action, instructions: End.}\n`;

function project(templates: Record<string, string> = { ship }, tree = {}): Sandbox {
  const files = Object.entries(templates).map(([id, text]) => [`${FOLDER}/${id}.yaml`, text]);
  // The plan step must leave plan.md.
  return sandbox({ 'plan.md': 'the plan', ...Object.fromEntries(files), ...tree });
}

function started(templates: Record<string, string>, options: CallOptions = S1): Sandbox {
  const box = project(templates);
  const [name = ''] = Object.keys(templates);
  box.run(['start', '--template', name], options);
  return box;
}

function ok(result: Result): Result {
  expect(result).toMatchObject({ code: 0 });
  return result;
}

/** Edits the only state file as a person or an agent might. */
function edit({ root }: Sandbox, change: (state: RunState) => RunState): void {
  const [path = ''] = stateFiles(root);
  writeFileSync(join(root, path), JSON.stringify(change(readRun(root, path)), null, 2));
}

function editMachine(box: Sandbox, fields: object): void {
  edit(box, (state) => ({ ...state, machine: { ...state.machine, ...fields } }));
}

function bytes({ root }: Sandbox): string {
  return readFileSync(join(root, stateFiles(root)[0] ?? ''), 'utf8');
}

const cleared = (box: Sandbox, from: string, to: string) => {
  ok(hook(box, 'sessionend-clear', { session_id: from }));
  return sessionStart(box, to, 'clear');
};

const compacted = (box: Sandbox, session: string) => {
  ok(preCompact(box, session));
  return sessionStart(box, session, 'compact');
};

describe('start --template', () => {
  it('by name, by path and of a built-in one', () => {
    const box = project();
    expect(box.json(['start', '--template', 'ship'])).toMatchObject({
      run: { workflow: 'Ship It', source: { kind: 'template', path: `${FOLDER}/ship.yaml` } },
      step: { step: 'plan', instructions: 'Write the plan.', agent: null, delegate: false },
      context_action: null,
      others: [],
    });
    const cwd = join(box.root, '.claude');
    expect(box.json(['start', '--template', './holdfast/workflows/ship.yaml'], { cwd })).toEqual(
      expect.objectContaining({ run: expect.objectContaining({ workflow: 'Ship It' }) }),
    );
    expect(box.json(['start', '--template', 'default'])).toMatchObject({
      run: { workflow: 'Default', source: { path: 'built-in:default' } },
    });
  });

  it('mirrors its steps as phases, and keeps the template as it is now', () => {
    const box = started({ ship });
    expect(onlyRun(box.root)).toMatchObject({
      workflow_type: 'custom',
      phase: { current: 1, total: 4, name: 'Design', status: 'in_progress' },
      phases: ['Design', 'Build it', 'polish', 'report'],
      template: { name: 'Ship It', max_retries: 1 },
      sessions: { current_session_id: 's1' },
    });
  });

  it('is called by its summary, which is one line and kept whole', () => {
    const box = project();
    const summary = `  log\u0007 in\nwith \u001B[31ma link ${'x'.repeat(300)}`;
    box.run(['start', '--template', 'ship', summary], S1);
    const kept = String(onlyRun(box.root).machine?.['summary']);
    expect(kept).toMatch(/^log in with \[31ma link x+$/);
    expect(kept).toHaveLength('log in with [31ma link '.length + 300);
    const { stdout } = box.run(['status'], S1);
    expect(stdout).toContain(kept);
    expect(stdout).toContain('Template Ship It');
    expect(onlyRun(box.root).workflow).toBe(kept);
  });

  it('takes the options of every start', () => {
    const box = project({ ship }, { 'docs/spec.md': 'spec' });
    const { stdout } = ok(
      box.run(
        [
          ...['start', '--template', 'ship', 'log in', '--type', 'implementation'],
          ...['--read', 'docs/spec.md', '--remind', 'be brief'],
          ...['--set', 'budget=2', '--artifact', 'spec=docs/spec.md'],
        ],
        S1,
      ),
    );
    expect(stdout).toMatch(/unread +@docs\/spec\.md/);
    expect(onlyRun(box.root)).toMatchObject({
      workflow_type: 'implementation',
      required_reading: ['@docs/spec.md'],
      key_reminders: ['be brief'],
      context: { budget: 2 },
      artifacts: { spec: '{project_root}/docs/spec.md' },
    });
  });

  it('a second time in the session shows the run and starts nothing', () => {
    const box = started({ ship });
    const before = bytes(box);
    const again = box.run(['start', '--template', 'ship'], S1);
    expect(again.stdout).toMatch(/^This session already runs it: ship-it-\S+\.\n/);
    expect(again.stderr).toBe('');
    const more = box.run(['start', '--template', 'ship', 'other', '--read', 'x.md'], S1);
    expect(more.stderr).toContain('the other arguments were ignored');
    expect(stateFiles(box.root)).toHaveLength(1);
    expect(bytes(box)).toBe(before);
  });

  it('of another template in the session is refused, unless --switch lets go of the run', () => {
    const box = started({ ship, one: one('clear') });
    const refused = box.run(['start', '--template', 'one'], { code: 1, ...S1 });
    expect(refused.stderr).toContain('the same command with --switch');
    expect(box.json(['start', '--template', 'one'], { code: 1, ...S1 })).toMatchObject({
      error: { code: 'session_busy' },
    });
    box.run(['start', '--template', 'one', '--switch'], S1);
    expect(box.json(['status'], S1)).toMatchObject({
      run: { workflow: 'One' },
      others: [{ workflow: 'Ship It', held_by: null }],
    });
  });

  it('in a terminal makes a run that nobody holds, and that can be driven from there', () => {
    const box = started({ ship }, {});
    expect(box.run(['status']).stdout).toContain('Held by  nobody');
    expect(box.json(['advance'])).toMatchObject({ step: { step: 'build' } });
  });

  it.each([
    [['start'], '--template <name>'],
    [
      ['start', '--template', 'ship', '--phases', 'A,B'],
      'the steps of the template are the phases',
    ],
    [['start', '--template', 'ship', '--type', 'odd'], 'invalid value "odd" for --type'],
  ])('used wrongly shows the correct usage: %j', (words, message) => {
    const box = project();
    expect(box.run(words, { code: 2 }).stderr).toContain(message);
    expect(stateFiles(box.root)).toEqual([]);
  });

  it('of a broken or unknown template reports the line, or the closest name', () => {
    const box = project({ ship, bad: 'name: Bad\ndescription: x\nsteps:\n  - {id: a, type: b}\n' });
    const broken = box.run(['start', '--template', 'bad'], { code: 1 });
    expect(broken.stderr).toMatch(
      /^holdfast: \.claude\/holdfast\/workflows\/bad\.yaml:4: step "a"/,
    );
    expect(box.run(['start', '--template', 'shp'], { code: 1 }).stderr).toContain(
      'did you mean ship?',
    );
    expect(stateFiles(box.root)).toEqual([]);
  });
});

describe('a whole run', () => {
  it('walks action, loop and ralph to the archive, and keeps the outputs', () => {
    const box = started({ ship });
    const say = (...words: string[]) => box.json(words, S1);
    expect(say('advance', '--output', 'see plan.md', '--artefact', 'notes.md')).toMatchObject({
      run: { phase: { current: 2, name: 'Build it' } },
      step: {
        status: 'running',
        step: 'build',
        stepType: 'loop',
        instructions: expect.stringContaining('`holdfast tasks task`'),
        progress: { currentStep: 2, totalSteps: 4, completedTasks: 0, totalTasks: 0 },
        artefacts: { plan: ['notes.md', 'plan.md'] },
      },
      context_action: null,
      others: [],
    });
    writeFileSync(join(box.root, 'tasks.json'), '["Login", {"id": "out", "title": "Logout"}]');
    expect(say('tasks', 'build', '--file', 'tasks.json')).toMatchObject({
      step: {
        agent: 'builder',
        delegate: true,
        task: { index: 0, id: '1', title: 'Login' },
        subStep: 'write',
        instructions: '',
        progress: {
          totalTasks: 2,
          text: 'step 2 of 4 (Build it: build), task 1 of 2 (Login), sub-step write',
        },
      },
      context_action: { command: '/compact', state: 'requested' },
    });
    expect(say('status')).toMatchObject({
      step: { instructions: 'Write Login.' },
      context_action: { command: '/compact', state: 'requested' },
    });
    expect(say('advance', '--output', 'wrote it')).toMatchObject({
      step: { subStep: 'review', agent: null, instructions: '' },
      context_action: { command: '/clear', state: 'requested' },
    });
    say('advance');
    expect(say('status')).toMatchObject({
      step: { task: { id: 'out' }, subStep: 'write', instructions: 'Write Logout.' },
    });
    say('advance');
    expect(say('advance')).toMatchObject({
      run: { phase: { current: 3, name: 'polish' } },
      step: {
        step: 'polish',
        ralphIteration: 1,
        ralphTotal: 2,
        progress: { completedTasks: 2, totalTasks: 2 },
      },
      context_action: { command: '/clear', state: 'requested' },
    });
    expect(say('advance', '--output', 'better')).toMatchObject({ step: { ralphIteration: 2 } });
    expect(say('advance')).toMatchObject({
      run: { phase: { current: 4, name: 'report' } },
      step: { step: 'report', instructions: 'Tell the user.' },
      context_action: null,
    });
    const runId = String(onlyRun(box.root).run_id);
    expect(say('advance', '--output', 'told')).toMatchObject({
      run: { status: 'completed', phase: { current: 4, status: 'completed' } },
      step: { status: 'complete', instructions: '' },
      context_action: null,
      archived: `untracked/workflow-archive/${runId}.json`,
    });
    expect(stateFiles(box.root)).toEqual([]);
    expect(archived(box.root).toSorted()).toEqual([`${runId}.events.jsonl`, `${runId}.json`]);
    expect(box.json(['show', runId])).toMatchObject({
      run: {
        machine: {
          outputs: {
            plan: 'see plan.md',
            'build.1.write': 'wrote it',
            'polish.1': 'better',
            report: 'told',
          },
          artefacts: { plan: ['notes.md', 'plan.md'] },
          tasks: { task: [{ status: 'done' }, { status: 'done' }] },
        },
      },
    });
    expect(box.run(['history', runId]).stdout).toMatch(
      /started, phase 1\/4 Design by session s1[\s\S]*"build" was given 2 tasks[\s\S]*finished step 4 of 4 \(report\): told/,
    );
  });

  it('goes on with its own template when the file is changed or deleted', () => {
    const box = started({ one: one('clear') });
    writeFileSync(join(box.root, FOLDER, 'one.yaml'), 'name: One\nsteps: nothing\n');
    expect(box.json(['advance'], S1)).toMatchObject({ step: { step: 'second' } });
    rmSync(join(box.root, FOLDER), { recursive: true });
    expect(box.json(['status'], S1)).toMatchObject({ step: { instructions: 'Go on.' } });
    expect(box.json(['advance'], S1)).toMatchObject({ step: { step: 'third' } });
    expect(box.run(['advance'], S1).stdout).toContain('Completed One');
  });

  it('reads an output from standard input, and refuses one that is too long to be kept', () => {
    const box = started({ one: one('compact') });
    const long = box.run(['advance', '--output', '-'], {
      code: 2,
      ...S1,
      input: 'x'.repeat(200_001),
    });
    expect(long.stderr).toContain('name it with --artefact');
    box.run(['advance', '--output', '-'], { ...S1, input: 'two\nlines' });
    expect(onlyRun(box.root).machine).toMatchObject({ outputs: { first: 'two\nlines' } });
  });

  it('is not moved by a CLAUDE.local.md of the same name, which only adds to it', () => {
    const box = started({ ship });
    writeFileSync(
      join(box.root, 'CLAUDE.local.md'),
      '## Workflow State\nWorkflow: Ship It\nPhase: 3/9 - Elsewhere\n@docs/spec.md\nKey Reminders:\n- be brief\n',
    );
    expect(box.run(['status'], S1).stdout).toContain('its template decides the phase');
    compacted(box, 's1');
    const { phase, phases, required_reading, key_reminders, machine } = onlyRun(box.root);
    expect({ phase, phases, machine }).toMatchObject({
      phase: { current: 1, total: 4, name: 'Design' },
      phases: ['Design', 'Build it', 'polish', 'report'],
      machine: { step: 'plan' },
    });
    expect({ required_reading, key_reminders }).toEqual({
      required_reading: ['@docs/spec.md'],
      key_reminders: ['be brief'],
    });
  });
});

describe('tasks', () => {
  const atLoop = (): Sandbox => {
    const box = started({ ship });
    box.run(['advance'], S1);
    return box;
  };
  const kept = (box: Sandbox): unknown => onlyRun(box.root).machine?.['tasks'];

  it('from standard input are a line each, as in a markdown list', () => {
    const box = atLoop();
    const input = '# Tasks\n\n- [ ] Login\n- [x] Design\n* Logout\n';
    const { stdout } = box.run(['tasks', 'task'], { ...S1, input });
    expect(stdout).toMatch(/^"task" was given 2 tasks\.\n/);
    expect(kept(box)).toMatchObject({ task: [{ title: 'Login' }, { title: 'Logout' }] });
  });

  it('an empty list skips the loop, and completes the run if it was the last step', () => {
    const box = atLoop();
    expect(box.json(['tasks', 'task'], { ...S1, input: '[]' })).toMatchObject({
      step: { step: 'polish' },
    });
    expect(box.run(['status'], S1).stdout).toContain('(skipped)');
    const last = started({
      last: 'name: Last\ndescription: x\nsteps: [{id: l, type: loop}]\nloops: {l: [{id: a, instructions: x}]}\n',
    });
    expect(last.run(['tasks', 'l'], { ...S1, input: '[]' })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^"l" was given no tasks\.\nCompleted Last /),
    });
    expect(stateFiles(last.root)).toEqual([]);
  });

  it.each([
    ['[{"id": 1}]', 'entry 1 has no "title"'],
    ['["a", ', 'cannot read the list of tasks'],
    ['{"title": "a"}', 'it is not a JSON array'],
    ['["a", " "]', 'task 2 has no title'],
    ['', '`[]` is an empty list'],
  ])('that cannot be read are refused, and none is added: %j', (input, message) => {
    const box = atLoop();
    const before = bytes(box);
    expect(box.run(['tasks', 'task'], { code: 1, ...S1, input }).stderr).toContain(message);
    expect(bytes(box)).toBe(before);
  });

  it('for a loop that there is not, or from a file that there is not, are refused', () => {
    const box = atLoop();
    for (const input of ['x', ''])
      expect(box.run(['tasks', 'other'], { code: 1, ...S1, input }).stderr).toMatch(
        /no loop "other"; available: task/,
      );
    expect(box.run(['tasks', 'other', '--file', 'no.json'], { code: 1, ...S1 }).stderr).toContain(
      'no loop "other"',
    );
    expect(box.run(['tasks', 'task', '--file', 'no.json'], { code: 1, ...S1 }).stderr).toContain(
      'there is no such file',
    );
  });

  it('that are awaited block the run: no context action is requested, and advance says what to do', () => {
    const box = atLoop();
    expect(box.json(['context'], S1)).toMatchObject({ context_action: null });
    expect(box.run(['advance'], { code: 1, ...S1 }).stderr).toContain(
      'set them with `holdfast tasks task --run ',
    );
  });
});

describe('a context action', () => {
  /** At the second step, whose action was asked for by the advance that led there. */
  const asked = (context: string): Sandbox => {
    const box = started({ one: one(context) });
    box.run(['advance', '--output', 'begun'], S1);
    return box;
  };
  /** As if no session had got it yet. */
  const due = (context: string): Sandbox => {
    const box = asked(context);
    editMachine(box, {
      contextActionExecuted: false,
      contextAction: { command: `/${context}` },
    });
    return box;
  };
  const action = (box: Sandbox): unknown =>
    JSON.parse(box.run(['context', '--json']).stdout).context_action;

  it.each(['compact', 'clear'])(
    'is requested once: the next status prints the instructions (%s)',
    (what) => {
      const box = started({ one: one(what) });
      const first = box.run(['advance'], S1).stdout;
      expect(first).toContain(`Please run \`/${what}\` first`);
      expect(first).not.toContain('Go on.');
      expect(first).toContain(`Next: /${what}, then holdfast status`);
      const second = box.run(['status'], S1).stdout;
      expect(second).toContain('Instructions\n  Go on.');
      expect(second).toContain(`Before this step\n  /${what} was asked for`);
      expect(second).not.toContain('Please run');
    },
  );

  it('before the first step is asked for by start', () => {
    const first =
      'name: F\ndescription: x\nsteps: [{id: a, type: action, instructions: Do., context: clear}]\n';
    const box = project({ first });
    expect(box.json(['start', '--template', 'first'], S1)).toMatchObject({
      step: { instructions: '' },
      context_action: { command: '/clear', state: 'requested' },
    });
    expect(box.json(['start', '--template', 'first'], S1)).toMatchObject({
      step: { instructions: 'Do.' },
      context_action: { command: '/clear', state: 'requested' },
    });
  });

  it('that is due is delivered by the status of the session that holds the run', () => {
    const box = due('compact');
    expect(box.json(['status'], S1)).toMatchObject({
      step: { instructions: '' },
      context_action: { command: '/compact', state: 'requested' },
    });
    expect(box.json(['status'], S1)).toMatchObject({ step: { instructions: 'Go on.' } });
  });

  it('is not touched by a look from outside', () => {
    const box = due('compact');
    const before = bytes(box);
    const looks: [string[], CallOptions][] = [
      [['status'], {}],
      [['status', 'one'], S2],
      [['context'], {}],
      [['context', 'one'], S2],
      [['context'], S1],
      [['guidance', 'one'], S1],
      [['show', 'one'], {}],
      [['list'], S2],
    ];
    for (const [words, options] of looks) box.run(words, options);
    expect(bytes(box)).toBe(before);
    expect(box.json(['status', 'one'], S2)).toMatchObject({
      step: { instructions: 'Go on.' },
      context_action: { command: '/compact', state: 'due' },
    });
  });

  it.each([
    ['asked for', asked],
    ['due', due],
  ])('%s is performed by a compaction, and the guidance goes on with the step', (_what, make) => {
    const box = make('compact');
    const { context } = compacted(box, 's1');
    expect(context).toMatch(/^WORKFLOW RESTORED AFTER COMPACTION\n/);
    expect(context).toContain('Instructions for step 2 of 3 (second)\n> Go on.');
    expect(context).toContain('- output of first: begun');
    expect(context).not.toContain('/compact');
    expect(action(box)).toEqual({ command: '/compact', state: 'performed' });
    expect(box.json(['status'], S1)).toMatchObject({ step: { instructions: 'Go on.' } });
  });

  it.each([
    ['a clear that was asked for', () => asked('clear'), '/clear'],
    ['a clear that was due', () => due('clear'), '/clear'],
    ['a compaction that was asked for', () => asked('compact'), '/compact'],
  ])(
    '%s is performed by /clear: the next session holds the run and gets all of it',
    (_what, make, command) => {
      const box = make();
      edit(box, (state) => ({ ...state, machine: { ...state.machine, summary: 'log in' } }));
      const { context, userLine } = cleared(box, 's1', 's2');
      expect(context).toMatch(
        /^WORKFLOW IN PROGRESS\n\nWorkflow: One\nTemplate: One\nPhase: 2\/3 - second \(in_progress\)\n/,
      );
      expect(context).toContain('ACTION REQUIRED\n1. ');
      expect(context).toContain(
        'Instructions for step 2 of 3 (second)\nThis run is about: log in\n> Go on.',
      );
      expect(context).toContain('- output of first: begun');
      expect(userLine).toContain('restored One');
      expect(action(box)).toEqual({ command, state: 'performed' });
      expect(onlyRun(box.root).sessions?.current_session_id).toBe('s2');
      expect(box.json(['advance'], S2)).toMatchObject({ step: { step: 'third' } });
    },
  );

  it('is previewed by `guidance` exactly as after /clear, without performing it', () => {
    const box = asked('clear');
    const before = bytes(box);
    const shown = ['guidance', 'guidance one'].map((words) =>
      box.run([...words.split(' '), '--source', 'clear'], S1).stdout.trimEnd(),
    );
    expect(bytes(box)).toBe(before);
    const { context } = cleared(box, 's1', 's2');
    expect(shown).toEqual([context, context]);
  });

  it('that nobody requested leaves an ordinary /clear: the frame, and whose run it is', () => {
    const box = started({ one: one('clear') });
    const { context } = cleared(box, 's1', 's2');
    expect(context).toMatch(/^A WORKFLOW WAS IN PROGRESS BEFORE THE CONTEXT WAS CLEARED\n/);
    expect(context).not.toContain('Begin.');
    expect(onlyRun(box.root).sessions?.current_session_id).toBe('s2');
  });

  it('that is a clear is not performed by a compaction, and the guidance says so', () => {
    const box = asked('clear');
    expect(compacted(box, 's1').context).toContain(
      'Instructions for step 2 of 3 (second)\n/clear was asked for; it has not happened yet.',
    );
    expect(action(box)).toEqual({ command: '/clear', state: 'requested' });
  });

  it('is shown by `context`, and can be marked as done if no hook saw it', () => {
    const box = asked('clear');
    expect(box.run(['context'], S1).stdout).toContain('/clear was asked for');
    expect(box.run(['context', '--done'], S1).stdout).toMatch(
      /^\/clear is recorded as performed for \S+\.\nNext: holdfast status /,
    );
    expect(box.run(['context'], S1).stdout).toBe('/clear was done before this step.\n');
    const before = bytes(box);
    expect(box.run(['context', '--done'], S1).stdout).toContain('is recorded as performed');
    expect(bytes(box)).toBe(before);
    expect(box.run(['history']).stdout).toContain('/clear was reported as done');
    box.run(['advance'], S1);
    expect(box.run(['context'], S1).stdout).toBe('This step has no context action.\n');
    expect(box.run(['context', '--done'], { code: 1, ...S1 }).stderr).toContain(
      'asks for neither /compact nor /clear',
    );
  });

  it('of a run that another session holds is shown, but not marked as done, named or not', () => {
    const box = asked('compact');
    const before = bytes(box);
    expect(box.json(['context'], S2)).toEqual({
      run_id: onlyRun(box.root).run_id,
      context_action: { command: '/compact', state: 'requested' },
    });
    const done = (...names: string[]): string =>
      box.run(['context', ...names, '--done'], { code: 1, ...S2 }).stderr;
    expect(done()).toMatch(/has no run of its own.*: one-\S+ \(held by another session\)/);
    expect(done('one')).toMatch(/one-\S+ is held by session s1 since/);
    expect(bytes(box)).toBe(before);
    box.run(['context', 'one'], S2);
  });

  it('of a run that was started in a terminal is performed by the /clear of the session that moved it', () => {
    const box = started({ one: one('clear') }, {});
    expect(box.run(['advance', 'one'], S1).stdout).toContain('/clear');
    hook(box, 'sessionend-clear', { session_id: 's1' });
    expect(sessionStart(box, 's2', 'clear').context).toContain('Go on.');
    expect(box.run(['context'], S2).stdout).toContain('was done');
  });

  it('does not exist for a run that is completed or stopped', () => {
    const box = asked('clear');
    box.run(['pause'], S1);
    expect(box.run(['context', 'one', '--done'], { code: 1, ...S1 }).stderr).toContain('is paused');
    expect(cleared(box, 's1', 's2').context).toBe('');
  });
});

describe('fail', () => {
  const atWrite = (): Sandbox => {
    const box = started({ ship });
    box.run(['advance'], S1);
    box.run(['tasks', 'task'], { ...S1, input: 'Login\nLogout' });
    return box;
  };
  const fail = (box: Sandbox, reason = 'no access'): Result =>
    box.run(['fail', '--reason', reason], S1);

  it('retries as often as the template allows without new requests, then gives up', () => {
    const box = atWrite();
    const again = fail(box).stdout;
    expect(again).toContain('sub-step write failed and is tried again (retry 1 of 1).');
    expect(again).toContain('Instructions: Write Login.');
    const over = fail(box, 'still\u0007 no access').stdout;
    expect(over).toMatch(/failed, and so did the run\..*\nNext: holdfast resume ship-it-\S+\n$/);
    const { stdout } = box.run(['status', 'ship-it'], S1);
    expect(stdout).toMatch(/\nFailed +2 times, the last time: still +no access\n/);
    expect(stdout).toMatch(/\nStatus +failed\n/);
    expect(onlyRun(box.root)).toMatchObject({
      status: 'failed',
      phase: { current: 2, status: 'blocked' },
      machine: { status: 'failed' },
    });
  });

  it('that skips the last step completes the run', () => {
    const last =
      'name: Last\ndescription: x\nsteps: [{id: a, type: action, instructions: x, on_fail: skip}]\n';
    const box = started({ last });
    const { stdout } = fail(box);
    expect(stdout).toMatch(/^Step 1 of 1 \(a\) failed and is skipped\.\nCompleted Last /);
    expect(stateFiles(box.root)).toEqual([]);
    expect(archived(box.root)).toHaveLength(2);
  });

  it('leaves a failed run alone until it is resumed', () => {
    const box = started({ ship });
    fail(box);
    expect(compacted(box, 's1').context).toBe('');
    expect(sessionStart(box, 's9', 'startup').context).toBe('');
    for (const words of [
      ['advance', 'ship-it'],
      ['fail', 'ship-it', '--reason', 'x'],
      ['tasks', 'task', '--run', 'ship-it'],
      ['context', 'ship-it', '--done'],
    ]) {
      expect(box.run(words, { code: 1, ...S1, input: 'x' }).stderr).toContain(
        'is failed; resume it',
      );
    }
    expect(box.run(['status'], S1).stdout).toMatch(/Not active\n +ship-it-\S+: failed, no access/);
    expect(box.json(['resume', 'ship-it'], S2)).toMatchObject({
      run: {
        status: 'in_progress',
        phase: { status: 'in_progress' },
        machine: { status: 'running' },
      },
      step: { step: 'plan', instructions: 'Write the plan.' },
    });
    expect(onlyRun(box.root).status_reason).toBeUndefined();
    expect(box.json(['advance'], S2)).toMatchObject({ step: { step: 'build' } });
  });

  it('and all that moves a run is refused while it is paused', () => {
    const box = atWrite();
    box.run(['pause', '--reason', 'holidays'], S1);
    const before = bytes(box);
    for (const words of [
      ['advance', 'ship-it'],
      ['fail', 'ship-it', '--reason', 'x'],
      ['tasks', 'task', '--run', 'ship-it'],
    ]) {
      expect(box.run(words, { code: 1, ...S1, input: 'x' }).stderr).toContain(
        'is paused; resume it with `holdfast resume ship-it-',
      );
    }
    expect(bytes(box)).toBe(before);
    expect(box.run(['resume'], S1).stdout).toContain('> Write Login.');
  });
});

describe('a gate', () => {
  const ran = (box: Sandbox, file = 'ran.txt'): string | null => {
    const path = join(box.root, file);
    return existsSync(path) ? readFileSync(path, 'utf8') : null;
  };
  const trusted = (): Sandbox => {
    const box = started({ gated });
    box.run(['trust', 'gated', '--yes']);
    return box;
  };

  it('of a template that nobody trusted is refused, and nothing of it is run', () => {
    const box = started({ gated });
    expect(box.run(['advance'], { code: 1, ...S1 }).stderr).toContain(
      'is not trusted to run commands here',
    );
    expect(box.run(['trust', 'gated', '--yes'], { code: 1, ...S1 }).stderr).toContain(
      'only a person can trust it',
    );
    expect(box.json(['advance'], { code: 1, ...S1 })).toMatchObject({
      error: { code: 'gate_untrusted' },
    });
    expect(ran(box)).toBeNull();
    expect(onlyRun(box.root).machine).toMatchObject({ step: 'build' });
  });

  it('that fails keeps the run in place and shows its output', () => {
    const box = trusted();
    const before = bytes(box);
    const { code, stdout, stderr } = box.run(['advance'], { code: 1, ...S1 });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^holdfast: the gate failed with exit code 4: .*\nnot ok\n$/);
    expect(box.json(['advance'], { code: 1, ...S1 })).toMatchObject({
      error: { code: 'gate_failed' },
      gate: { command: expect.stringContaining('pwd'), output: expect.stringContaining('not ok') },
    });
    expect(bytes(box)).toBe(before);
  });

  it('that passes lets the run on; it is run in the root, wherever one stands', () => {
    const box = trusted();
    writeFileSync(join(box.root, 'ok'), '');
    box.run(['advance'], { ...S1, cwd: join(box.root, FOLDER) });
    expect(ran(box)).toBe(`${box.root}\n`);
    expect(onlyRun(box.root).machine).toMatchObject({ step: 'hosts' });
  });

  it('of a sub-step is passed for each task, that of the loop only on leaving it', () => {
    const box = trusted();
    writeFileSync(join(box.root, 'ok'), '');
    box.run(['advance'], S1);
    expect(box.run(['advance'], { code: 1, ...S1 }).stderr).toContain('needs the tasks');
    expect(ran(box, 'gates.txt')).toBeNull();
    box.run(['tasks', 'hosts'], { ...S1, input: 'a\nb' });
    box.run(['advance'], S1);
    expect(ran(box, 'gates.txt')).toBe('copy\n');
    box.run(['advance'], S1);
    expect(ran(box, 'gates.txt')).toBe('copy\ncopy\nloop\n');
    const { events } = box.json(['history', 'gated']) as { events: Record<string, unknown>[] };
    expect(events.filter(({ event }) => event === 'advanced').map(({ gates }) => gates)).toEqual([
      [expect.stringContaining('pwd')],
      ['echo copy >> gates.txt'],
      ['echo copy >> gates.txt', 'echo loop >> gates.txt'],
    ]);
  });

  it('is not passed by fail', () => {
    const box = started({ gated: gated.replace('id: build,', 'id: build, on_fail: skip,') });
    expect(box.run(['fail', '--reason', 'x'], S1).stdout).toContain(
      'failed, and so did the run: its gate cannot be skipped.',
    );
    expect(ran(box)).toBeNull();
    expect(onlyRun(box.root)).toMatchObject({
      status: 'failed',
      machine: { status: 'failed', step: 'build' },
    });
  });

  it('is not run once the snapshot in the state was edited: that is another content', () => {
    const box = trusted();
    writeFileSync(join(box.root, 'ok'), '');
    edit(box, (state) => {
      const text = JSON.stringify(state).replace('pwd > ran.txt', 'pwd > stolen.txt');
      return JSON.parse(text);
    });
    expect(box.run(['advance'], { code: 1, ...S1 }).stderr).toContain(
      'is not trusted to run commands here',
    );
    expect(ran(box, 'stolen.txt')).toBeNull();
  });

  it('is that of the template as it was trusted and started, whatever the file says since', () => {
    const box = trusted();
    writeFileSync(join(box.root, 'ok'), '');
    writeFileSync(join(box.root, FOLDER, 'gated.yaml'), gated.replace('ran.txt', 'other.txt'));
    box.run(['advance'], S1);
    expect(ran(box)).not.toBeNull();
    box.run(['start', '--template', 'gated', '--switch'], S1);
    expect(box.run(['advance'], { code: 1, ...S1 }).stderr).toContain(
      'is not trusted to run commands here',
    );
    expect(ran(box, 'other.txt')).toBeNull();
  });

  it.each(['of the template', 'of the run'])(
    'is no longer run when trust was taken back %s',
    (of) => {
      const box = started({ gated });
      const run = String(onlyRun(box.root).run_id);
      box.run(['trust', run, '--yes']);
      const given = of === 'of the run' ? run : 'gated';
      expect(box.run(['untrust', given]).stdout).toContain('is no longer trusted');
      expect(box.run(['advance'], { code: 1, ...S1 }).stderr).toContain(
        'is not trusted to run commands here',
      );
      expect(ran(box)).toBeNull();
    },
  );
});

describe('a run whose state somebody broke', () => {
  const moving = [
    ['status'],
    ['status', '--json'],
    ['advance'],
    ['fail', '--reason', 'x'],
    ['tasks', 'task'],
    ['context'],
    ['context', '--done'],
    ['update', '--remind', 'x'],
    ['start', '--template', 'ship'],
  ];

  it.each<[string, (state: RunState) => RunState, string]>([
    [
      'a step',
      (state) => ({ ...state, machine: { ...state.machine, step: 'gone' } }),
      'machine.step must be',
    ],
    ['no machine', ({ machine: _machine, ...rest }) => rest, 'machine must be an object'],
    [
      'a template',
      (state) => ({ ...state, template: { ...state.template, steps: [] } }),
      'template.steps must be a list',
    ],
  ])(
    '%s: every command that needs the step names the field and writes nothing',
    (_what, damage, message) => {
      const box = started({ ship });
      edit(box, damage);
      const before = bytes(box);
      for (const words of moving) {
        const { code, stderr } = box.run(words, { code: 1, ...S1, input: 'x' });
        expect({ words, code, stderr }).toEqual({
          words,
          code: 1,
          stderr: expect.stringContaining(message),
        });
      }
      expect(bytes(box)).toBe(before);
    },
  );

  it('is restored by the hooks with a note about what is wrong', () => {
    const box = started({ ship });
    edit(box, (state) => ({ ...state, key_reminders: ['be brief'], machine: { step: 1 } }));
    expect(ok(preCompact(box, 's1')).stdout).toContain('- Workflow: Ship It');
    const { code, context } = sessionStart(box, 's1', 'compact');
    expect(code).toBe(0);
    expect(context).toContain('Phase: 1/4 - Design (in_progress)');
    expect(context).toContain('- be brief');
    expect(context).toContain(
      'Instructions\nThe instructions cannot be read: machine.status of this run is broken',
    );
    expect(cleared(box, 's1', 's2').context).toContain('Workflow: Ship It');
    expect(onlyRun(box.root).machine).toEqual({ step: 1 });
    expect(existsSync(join(box.root, 'untracked/workflow-state/holdfast.log'))).toBe(false);
  });

  it('can still be shown, released, resumed, paused and completed', () => {
    const box = started({ ship });
    editMachine(box, { step: 'gone' });
    for (const words of [['list'], ['show', 'ship-it'], ['history'], ['guidance', 'ship-it']])
      box.run(words, S1);
    for (const words of [['release'], ['resume', 'ship-it'], ['pause'], ['complete', 'ship-it']]) {
      const { stderr } = box.run(words, S1);
      expect(stderr).toContain('the state of this run is broken: machine.step must be');
    }
    expect(archived(box.root)).toHaveLength(2);
  });
});

describe('a template run is a run like any other', () => {
  it.each([
    [['--phase', '2'], '--phase'],
    [['--name', 'x'], '--name'],
    [['--status', 'completed'], '--status completed'],
  ])('but its template defines its phases: update %j is refused', (words, option) => {
    const box = started({ ship });
    const before = bytes(box);
    const { stderr } = box.run(['update', ...words, '--remind', 'x'], { code: 1, ...S1 });
    expect(stderr).toMatch(
      new RegExp(`^holdfast: ${option} cannot be used with ship-it-.*template defines`),
    );
    expect(bytes(box)).toBe(before);
    box.run(['update', '--status', 'blocked', '--remind', 'x', '--read', 'a.md'], S1);
    expect(onlyRun(box.root)).toMatchObject({ phase: { status: 'blocked' }, key_reminders: ['x'] });
    expect(box.run(['advance', '--name', 'Mine'], { code: 1, ...S1 }).stderr).toContain(
      '--name cannot be used with',
    );
  });

  it('that is resumed prints its instructions for the session that takes it', () => {
    const box = started({ ship });
    box.run(['release'], S1);
    const { stdout } = box.run(['resume', 'ship-it'], S2);
    expect(stdout).toContain('Instructions for step 1 of 4 (Design: plan)\n> Write the plan.');
    expect(box.json(['advance'], S2)).toMatchObject({ step: { step: 'build' } });
  });

  it('that a template allows it is taken by a new session at once', () => {
    const box = project({ auto: one('clear').replace('name: One', 'name: One\nresume: auto') });
    box.run(['start', '--template', 'auto']);
    expect(sessionStart(box, 's5', 'startup').context).toContain('> Begin.');
    expect(onlyRun(box.root).sessions?.current_session_id).toBe('s5');
  });

  it('that is ended by hand goes to the archive as it is', () => {
    const box = started({ ship });
    expect(box.run(['complete'], S1).stdout).toMatch(/^Ended Ship It \(ship-it-/);
    expect(box.run(['list', '--all']).stdout).toMatch(/ship-it-\S+ +1\/4 Design +ended early/);
  });

  it('has a history in words', () => {
    const box = started({ ship });
    box.run(['tasks', 'task'], { ...S1, input: 'Login' });
    box.run(['advance', '--output', 'planned'], S1);
    box.run(['fail', '--reason', 'no network'], S1);
    compacted(box, 's1');
    box.run(['fail', '--reason', 'no network still'], S1);
    box.run(['resume'], S1);
    const told = box
      .run(['history'])
      .stdout.split('\n')
      .map((line) => line.replace(/^ +\S+ \S+ +/, '').replace(/ by session s1$/, ''));
    const write = 'step 2 of 4 (Build it: build), task 1 of 1 (Login), sub-step write';
    expect(told.slice(3, 10)).toEqual([
      'started, phase 1/4 Design',
      '"task" was given 1 task',
      'finished step 1 of 4 (Design: plan): planned',
      `${write} failed, retry 1 of 1: no network`,
      'restored after compact',
      `${write} failed, the run failed: no network still`,
      'resumed',
    ]);
  });
});

test('a terminal that moves a run shows its context action and leaves it to the session', () => {
  const box = sandbox({
    't.yaml': `name: Steps
description: d
steps:
  - {id: one, type: action, context: compact, instructions: Do one}
  - {id: two, type: action, context: clear, instructions: Do two}
`,
  });
  const action = (): unknown => onlyRun(box.root).machine?.['contextActionExecuted'];
  expect(box.run(['start', '--template', 't.yaml']).stdout).toContain('/compact');
  expect(action()).toBe(false);
  expect(box.run(['advance']).stdout).toContain('/clear');
  expect(action()).toBe(false);
  box.run(['resume', 'steps'], S1);
  expect(box.run(['status'], S1).stdout).toContain('/clear');
  expect(action()).toBe(true);
});
