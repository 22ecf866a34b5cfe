// Time, CPU time and peak memory of each hook, of `status` and of the MCP server's first answer, as ratios to
// `node -e 0`. All are measured in turn within one run, because ratios vary less than times on a busy machine.
// Then `advance` on a template of 1,000 steps and 10,000 tasks, as a ratio to a small template.
// Then what plans of other tools cost: PreCompact with every format on, as a ratio to none, and with 1,000 spec folders.
// Usage: npm run bench -- hooks [-- --rounds 40] [-- --sizes 1,10,100,1000] [-- --only hooks|templates|formats]
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const binary = fileURLToPath(new URL('../../bin/holdfast.cjs', import.meta.url));
const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : process.argv[at + 1];
};
const rounds = Number(option('rounds', '30'));
const sizes = option('sizes', '1,10,100,1000').split(',').map(Number);

const base = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
const env = { PATH: process.env.PATH, HOME: base };
const registered = registeredHook();

/** The command that `init` registers, so that an installed hook is measured. */
function registeredHook() {
  spawnSync(process.execPath, [binary, 'init', '--scope', 'user'], { cwd: base, env });
  const settings = JSON.parse(readFileSync(join(base, '.claude/settings.json'), 'utf8'));
  return settings.hooks.PreCompact[0].hooks[0];
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** A project with `size` plans and a run for each. */
function project(name, size) {
  const root = join(base, name);
  mkdirSync(join(root, '.git'), { recursive: true });
  for (let index = 0; index < size; index += 1) {
    const number = String(index + 1).padStart(5, '0');
    const phases = [1, 2, 3].map(
      (phase) =>
        `### Phase ${phase}: Part ${phase} ${phase === 1 ? '🔄' : ''}\n\n- [ ] one task\n- [ ] another task\n`,
    );
    write(
      join(root, `CLAUDE/Plan/${number}-work/PLAN.md`),
      `# Plan ${number}: Work number ${number}\n\n**Status**: 🔄 In Progress\n\n${phases.join('\n')}`,
    );
  }
  if (size > 0) {
    // Files changed within the last two seconds are always read again, which is not the usual case.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_100);
    // One sync creates at most 200 runs.
    for (let made = 0; made <= size; made += 200)
      call(root, 'PreCompact', { trigger: 'auto' }, 'warm-up');
    // The session of the measurements holds one run: the usual case.
    spawnSync(process.execPath, [binary, 'claim', 'work-number-00001', '--session', session], {
      cwd: root,
      env,
    });
  }
  return root;
}

const session = '5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11';
let calls = 0;

function call(root, event, fields, id = session) {
  calls += 1;
  const input = JSON.stringify({
    hook_event_name: event,
    session_id: id,
    cwd: root,
    prompt_id: `p${calls}`,
    ...fields,
  });
  return timed(registered.command, registered.args, { cwd: root, env, input });
}

function timed(command, words, options) {
  const started = performance.now();
  const child = spawnSync(command, words, options);
  const time = performance.now() - started;
  if (child.status !== 0)
    throw new Error(`${words.join(' ')} exited ${child.status}: ${child.stderr}`);
  return time;
}

/** A project with a run in the middle of its loop. */
function templateProject(name, steps, tasks) {
  const root = join(base, name);
  mkdirSync(join(root, '.git'), { recursive: true });
  const actions = Array.from({ length: steps - 1 }, (_, index) => ({
    id: `step-${index + 1}`,
    type: 'action',
    title: `Step number ${index + 1}`,
    instructions: `Do what step ${index + 1} asks for, and write down what was decided.`,
  }));
  const template = {
    name,
    description: 'Walks its tasks, then its steps',
    steps: [{ id: 'tasks', type: 'loop' }, ...actions],
    loops: {
      tasks: [
        { id: 'write', instructions: 'Write {task.title}: {task.description}' },
        { id: 'review', instructions: 'Review {task.title}' },
      ],
    },
  };
  const list = Array.from({ length: tasks }, (_, index) => ({
    title: `Task number ${index + 1}`,
    description: `What task ${index + 1} is about, in a line that is as long as such lines are.`,
  }));
  write(join(root, `.claude/holdfast/workflows/${name}.json`), JSON.stringify(template));
  write(join(root, 'tasks.json'), JSON.stringify(list));
  const run = (words) =>
    timed(process.execPath, [binary, ...words, '--session', session], { cwd: root, env });
  run(['start', '--template', name]);
  run(['tasks', 'tasks', '--file', 'tasks.json']);
  return { advance: () => run(['advance', '--output', 'it is done, see the commit']) };
}

function compareTemplates() {
  const small = templateProject('small', 5, 100);
  const large = templateProject('large', 1_000, 10_000);
  const times = { small: [], large: [] };
  for (let round = 0; round < rounds; round += 1) {
    times.small.push(small.advance());
    times.large.push(large.advance());
  }
  const [few, many] = [median(times.small), median(times.large)];
  console.log(
    `advance, 1,000 steps and 10,000 tasks: ${many.toFixed(0)} ms, a small template ${few.toFixed(0)} ms, ratio ${(many / few).toFixed(2)}`,
  );
}

const FORMATS = ['spec-kit', 'openspec', 'planning-with-files', 'gsd', 'superpowers', 'kiro'];

/** A project with `size` plans, and with settings that name the formats. */
function formatProject(name, size, formats) {
  const root = project(name, size);
  write(join(root, '.claude/holdfast.json'), JSON.stringify({ detect: { formats } }));
  return root;
}

/** Every second folder is finished, the others are not begun, and one is under way. */
function specProject(name, folders) {
  const root = formatProject(name, 0, FORMATS);
  for (let index = 0; index < folders; index += 1) {
    const mark = index % 2 === 0 ? 'x' : ' ';
    const tasks = Array.from(
      { length: 40 },
      (_, task) => `- [${mark}] T0${task} Write the code, the tests and the documentation`,
    );
    if (index === folders - 1) tasks[0] = tasks[0].replace('[ ]', '[x]');
    const path = `specs/${String(index).padStart(4, '0')}-a/tasks.md`;
    write(join(root, path), `# Tasks: A\n\n## Phase 1: Setup\n\n${tasks.join('\n')}\n`);
  }
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_100);
  call(root, 'PreCompact', { trigger: 'auto' }, 'warm-up');
  return root;
}

function compareFormats() {
  const cpuIn = (root) => usageOf(() => call(root, 'PreCompact', { trigger: 'auto' })).cpu;
  const compare = (name, root, base) => {
    const ratios = [];
    for (let round = 0; round < rounds; round += 1) {
      const [before, cpu, after] = [base(), cpuIn(root), base()];
      ratios.push(cpu / ((before + after) / 2));
    }
    console.log(`${name.padEnd(64)} ${median(ratios).toFixed(3)}`);
  };
  console.log(
    `CPU of PreCompact, medians of ${rounds} interleaved rounds, Node ${process.version}`,
  );
  for (const size of [0, 1]) {
    const amount = size === 0 ? 'idle' : '1 run and plan';
    const off = formatProject(`off-${size}`, size, []);
    compare(
      `every format on and none used, ratio to all off, ${amount}`,
      formatProject(`on-${size}`, size, FORMATS),
      () => cpuIn(off),
    );
  }
  const nothing = () => usageOf(() => timed(registered.command, ['-e', '0'], { env })).cpu;
  compare(
    '1,000 spec folders, one under way, ratio to node -e 0',
    specProject('specs', 1_000),
    nothing,
  );
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

const fileOf = (root) => join(root, 'CLAUDE/Plan/00001-work/PLAN.md');
const events = [
  { event: 'PreCompact', fields: () => ({ trigger: 'auto' }) },
  { event: 'SessionStart', fields: () => ({ source: 'compact' }) },
  {
    event: 'PostCompact',
    fields: () => ({ trigger: 'auto' }),
    // The client calls it after SessionStart.
    before: (root) => call(root, 'SessionStart', { source: 'compact' }),
  },
  { event: 'SessionStart', fields: () => ({ source: 'startup' }) },
  { event: 'UserPromptSubmit', fields: () => ({ prompt: 'go on' }) },
  {
    event: 'PostToolUse',
    fields: (root) => ({ tool_name: 'Read', tool_input: { file_path: fileOf(root) } }),
  },
  {
    event: 'SessionEnd',
    fields: () => ({ reason: 'other' }),
    // Resumes the session for the next round.
    after: (root) => call(root, 'SessionStart', { source: 'resume' }),
  },
];

const HELLO = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  },
});

function rowsFor(size, root) {
  const amount = size === 0 ? 'idle' : `${size} ${size === 1 ? 'run and plan' : 'runs and plans'}`;
  const hooks = events.map(({ event, fields, before, after }) => {
    const given = fields(root);
    return {
      name: `${[event, given.source].filter(Boolean).join(' ')}, ${amount}`,
      before: () => before?.(root),
      run: () => call(root, event, given),
      after: () => after?.(root),
    };
  });
  const program = (words, input = '') =>
    timed(process.execPath, [binary, ...words], { cwd: root, env, input });
  const commands = [
    { name: `holdfast status, ${amount}`, run: () => program(['status']) },
    { name: `MCP server, first answer, ${amount}`, run: () => program(['mcp'], `${HELLO}\n`) },
  ];
  return [...hooks, ...commands].map((row) => ({
    ...row,
    rounds: size >= 1000 ? Math.ceil(rounds / 4) : rounds,
    times: [],
    cpu: [],
    memory: [],
  }));
}

/** CPU time and peak memory that the process started by `work` reports when it exits. */
function usageOf(work) {
  const file = join(base, 'usage.json');
  const script = join(base, 'report-usage.cjs');
  writeFileSync(
    script,
    `const fs = require('node:fs');
    process.on('exit', () => {
      const { user, system } = process.cpuUsage();
      // maxRSS includes the parent process before exec, so prefer the kernel's own figure.
      const status = process.platform === 'linux' ? fs.readFileSync('/proc/self/status', 'utf8') : '';
      const memory = Number(/VmHWM:\\s*(\\d+)/.exec(status)?.[1] ?? process.resourceUsage().maxRSS);
      fs.writeFileSync(${JSON.stringify(file)}, JSON.stringify({ cpu: user + system, memory }));
    });`,
  );
  env.NODE_OPTIONS = `--require ${JSON.stringify(script)}`;
  try {
    work();
  } finally {
    delete env.NODE_OPTIONS;
  }
  return JSON.parse(readFileSync(file, 'utf8'));
}

function compareHooks() {
  const rows = [0, ...sizes].flatMap((size) => rowsFor(size, project(`project-${size}`, size)));
  const nothing = () => timed(registered.command, ['-e', '0'], { env });
  for (let round = 0; round < rounds; round += 1) {
    for (const row of rows) {
      if (round >= row.rounds) continue;
      row.before?.();
      const before = nothing();
      const time = row.run();
      const after = nothing();
      row.after?.();
      row.times.push(time / ((before + after) / 2));
      const idle = usageOf(nothing);
      row.before?.();
      const usage = usageOf(row.run);
      row.after?.();
      row.cpu.push(usage.cpu / idle.cpu);
      row.memory.push(usage.memory / idle.memory);
    }
  }
  console.log(
    `Ratios to \`node -e 0\`, medians of ${rounds} interleaved rounds, Node ${process.version}`,
  );
  console.log(`${''.padEnd(48)} time    CPU   memory`);
  for (const { name, times, cpu, memory } of rows) {
    const figures = [times, cpu, memory].map((ratios) => median(ratios).toFixed(2).padStart(5));
    console.log(`${name.padEnd(48)} ${figures.join('  ')}`);
  }
}

try {
  const only = option('only', '');
  if (only === '' || only === 'hooks') compareHooks();
  if (only === '' || only === 'templates') compareTemplates();
  if (only === '' || only === 'formats') compareFormats();
} finally {
  rmSync(base, { recursive: true, force: true });
}
