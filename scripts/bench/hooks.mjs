// Time and CPU time of each hook, of `status`, `list` and of the MCP server's first answer, as ratios to `sh -c 'node -e 0'`.
// Hooks are started as they are registered, by a shell. Everything is measured in turn within one run, because ratios
// vary less than times on a busy machine. Then what a day costs, beside other tools; `advance` on a template of 1,000
// steps and 10,000 tasks, as a ratio to a small template; and what formats of plans cost that are not used.
// Usage: npm run bench -- hooks [--rounds 40] [--sizes 1,10,100,1000] [--only hooks|day|templates|formats]
//   --peers <folder>  a folder with the packages of other tools, installed by npm, each in a folder of its name
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const binary = fileURLToPath(
  new URL('../../bin/holdfast.cjs', import.meta.url),
);
const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : process.argv[at + 1];
};
const rounds = Number(option('rounds', '30'));
const sizes = option('sizes', '1,10,100,1000').split(',').map(Number);

const base = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
const env = { PATH: process.env.PATH, HOME: base };
const registered = registeredHooks();

/** The command that `init` registers for each event, so that an installed hook is measured. */
function registeredHooks() {
  write(
    join(base, 'blocking/.claude/holdfast.json'),
    '{"reading": {"enforce": "block"}}',
  );
  const cwd = join(base, 'blocking');
  spawnSync(process.execPath, [binary, 'init', '--scope', 'user'], {
    cwd,
    env,
  });
  const settings = JSON.parse(
    readFileSync(join(base, '.claude/settings.json'), 'utf8'),
  );
  return Object.fromEntries(
    Object.entries(settings.hooks).map(([event, [group]]) => [
      event,
      group.hooks[0].command,
    ]),
  );
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
    // One sync creates at most 200 runs.
    for (let made = 0; made <= size; made += 200)
      call(root, 'PreCompact', { trigger: 'auto' }, 'warm-up');
    // The session of the measurements holds one run: the usual case.
    program(root, [
      'takeover',
      'work-number-00001',
      '--session',
      sessionIn(root),
    ]);
  }
  return root;
}

/** A session of its own in each project, because one that works in several is the exception. */
function sessionIn(root) {
  return `session-in-${basename(root)}`;
}

let calls = 0;

function call(root, event, fields, id = sessionIn(root)) {
  calls += 1;
  const input = JSON.stringify({
    hook_event_name: event,
    session_id: id,
    cwd: root,
    prompt_id: `p${calls}`,
    ...fields,
  });
  return inShell(registered[event], {
    cwd: root,
    env: { ...env, CLAUDE_PROJECT_DIR: root, CLAUDE_CODE_SESSION_ID: id },
    input,
  });
}

/** As the client starts a hook. */
function inShell(line, options) {
  return timed('sh', ['-c', line], options);
}

/** What it is measured against. */
function startNode() {
  return inShell('node -e 0', { env, input: '' });
}

/** Milliseconds from start to end, and of processor time of the process and its children, as bash tells it. */
function timed(command, words, options) {
  const report = join(base, 'times');
  const script = 'TIMEFORMAT="%R %U %S"; { time "$@" 2>&3; } 3>&2 2>"$0"';
  const child = spawnSync(
    'bash',
    ['-c', script, report, command, ...words],
    options,
  );
  if (child.status !== 0)
    throw new Error(
      `${words.join(' ')} exited ${child.status}: ${child.stderr}`,
    );
  const [real, user, system] = readFileSync(report, 'utf8')
    .trim()
    .split(' ')
    .map(Number);
  return { time: real * 1_000, cpu: (user + system) * 1_000 };
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
  write(
    join(root, `.claude/holdfast/workflows/${name}.json`),
    JSON.stringify(template),
  );
  write(join(root, 'tasks.json'), JSON.stringify(list));
  const run = (words) =>
    timed(process.execPath, [binary, ...words, '--session', sessionIn(root)], {
      cwd: root,
      env,
    });
  run(['start', '--template', name]);
  run(['tasks', 'tasks', '--file', 'tasks.json']);
  return {
    advance: () => run(['advance', '--output', 'it is done, see the commit']),
  };
}

function compareTemplates() {
  const small = templateProject('small', 5, 100);
  const large = templateProject('large', 1_000, 10_000);
  const times = { small: [], large: [] };
  for (let round = 0; round < rounds; round += 1) {
    times.small.push(small.advance().time);
    times.large.push(large.advance().time);
  }
  const [few, many] = [median(times.small), median(times.large)];
  console.log(
    `advance, 1,000 steps and 10,000 tasks: ${many.toFixed(0)} ms, a small template ${few.toFixed(0)} ms, ratio ${(many / few).toFixed(2)}`,
  );
}

const FORMATS = [
  'spec-kit',
  'openspec',
  'planning-with-files',
  'gsd',
  'superpowers',
  'kiro',
];

/** A project with `size` plans, and with settings that name the formats. */
function formatProject(name, size, formats) {
  const root = project(name, size);
  write(
    join(root, '.claude/holdfast.json'),
    JSON.stringify({ detect: { formats } }),
  );
  return root;
}

/** Every second folder is finished, the others are not begun, and one is under way. */
function specProject(name, folders) {
  const root = formatProject(name, 0, FORMATS);
  for (let index = 0; index < folders; index += 1) {
    const mark = index % 2 === 0 ? 'x' : ' ';
    const tasks = Array.from(
      { length: 40 },
      (_, task) =>
        `- [${mark}] T0${task} Write the code, the tests and the documentation`,
    );
    if (index === folders - 1) tasks[0] = tasks[0].replace('[ ]', '[x]');
    const path = `specs/${String(index).padStart(4, '0')}-a/tasks.md`;
    write(
      join(root, path),
      `# Tasks: A\n\n## Phase 1: Setup\n\n${tasks.join('\n')}\n`,
    );
  }
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_100);
  call(root, 'PreCompact', { trigger: 'auto' }, 'warm-up');
  return root;
}

function compareFormats() {
  const cpuIn = (root) => call(root, 'PreCompact', { trigger: 'auto' }).cpu;
  const compare = (name, root, standard) => {
    const ratios = [];
    for (let round = 0; round < rounds; round += 1) {
      const [before, cpu, after] = [standard(), cpuIn(root), standard()];
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
  const nothing = () => startNode().cpu;
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
const read = (root) => ({
  tool_name: 'Read',
  tool_input: { file_path: fileOf(root) },
});
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
  { event: 'PostToolUse', fields: read },
  {
    event: 'PreToolUse',
    fields: () => ({ tool_name: 'Bash', tool_input: { command: 'ls' } }),
  },
  {
    event: 'SessionEnd',
    fields: () => ({ reason: 'other' }),
    // Resumes the session for the next round.
    after: (root) => call(root, 'SessionStart', { source: 'resume' }),
  },
  {
    event: 'SessionEnd',
    label: ' of a session without a run',
    fields: () => ({ reason: 'other' }),
    id: 'another-session',
    before: (root) =>
      call(root, 'SessionStart', { source: 'startup' }, 'another-session'),
  },
  {
    event: 'UserPromptSubmit',
    label: ' after a command',
    fields: () => ({ prompt: 'go on' }),
    before: (root) =>
      program(root, ['update', 'work-number-00001', '--set', `n=${calls}`]),
    isBusy: true,
  },
];

function program(root, words, input = '') {
  return timed(process.execPath, [binary, ...words], { cwd: root, env, input });
}

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
  const amount =
    size === 0
      ? 'idle'
      : `${size} ${size === 1 ? 'run and plan' : 'runs and plans'}`;
  const hooks = events
    .filter(({ isBusy }) => size > 0 || isBusy !== true)
    .map(({ event, label = '', fields, id, before, after }) => {
      const given = fields(root);
      return {
        name: `${[event, given.source].filter(Boolean).join(' ')}${label}, ${amount}`,
        before: () => before?.(root),
        run: () => call(root, event, given, id ?? sessionIn(root)),
        after: () => after?.(root),
      };
    });
  const commands = [
    {
      name: `holdfast status, ${amount}`,
      run: () => program(root, ['status']),
    },
    { name: `holdfast list, ${amount}`, run: () => program(root, ['list']) },
    {
      name: `MCP server, first answer, ${amount}`,
      run: () => program(root, ['mcp'], `${HELLO}\n`),
    },
  ];
  return [...hooks, ...commands].map((row) => ({
    ...row,
    rounds: size >= 1000 ? Math.ceil(rounds / 4) : rounds,
    times: [],
    cpu: [],
  }));
}

/** Each row in turn with the start of Node, before and after it. */
function measure(rows) {
  for (let round = 0; round < rounds; round += 1) {
    for (const row of rows) {
      if (round >= row.rounds) continue;
      row.before?.();
      const [before, own, after] = [startNode(), row.run(), startNode()];
      row.after?.();
      row.times.push((2 * own.time) / (before.time + after.time));
      row.cpu.push((2 * own.cpu) / (before.cpu + after.cpu));
    }
  }
}

function compareHooks() {
  const rows = [0, ...sizes].flatMap((size) =>
    rowsFor(size, project(`project-${size}`, size)),
  );
  measure(rows);
  console.log(
    `Ratios to \`sh -c 'node -e 0'\`, medians of ${rounds} interleaved rounds, Node ${process.version}`,
  );
  console.log(`${''.padEnd(56)} time    CPU`);
  for (const { name, times, cpu } of rows) {
    const figures = [times, cpu].map((ratios) =>
      median(ratios).toFixed(2).padStart(5),
    );
    console.log(`${name.padEnd(56)} ${figures.join('  ')}`);
  }
}

const PROMPTS = 200;
const TOOL_CALLS = 1_000;
/** Of the tool calls of a session, about a third read a file. */
const READS = 330;

/** The hooks of another tool for an event of a tool: those whose matcher covers it. */
function peerHooks(folder, event, tool) {
  const { hooks } = JSON.parse(
    readFileSync(join(folder, 'hooks/hooks.json'), 'utf8'),
  );
  return (hooks[event] ?? [])
    .filter(
      ({ matcher = '' }) =>
        matcher === '' ||
        matcher === '*' ||
        new RegExp(`^(?:${matcher})$`).test(tool),
    )
    .flatMap((group) => group.hooks)
    .filter(({ type }) => type === 'command')
    .map(({ command }) => command.replaceAll('${CLAUDE_PLUGIN_ROOT}', folder));
}

/** All hooks that a prompt, and a Bash call, start; the client runs those of an event at the same time. */
function peerRows(name, folder, root) {
  const tool = {
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
    tool_response: {},
  };
  const rowOf = (names, fields) => ({
    name,
    rounds,
    times: [],
    cpu: [],
    run: () => {
      const total = { time: 0, cpu: 0 };
      for (const event of names) {
        calls += 1;
        const common = {
          hook_event_name: event,
          session_id: sessionIn(root),
          cwd: root,
        };
        const input = JSON.stringify({
          ...common,
          prompt_id: `p${calls}`,
          ...fields,
        });
        const own = peerHooks(folder, event, 'Bash').map((line) =>
          inShell(`{ ${line}\n} >/dev/null 2>&1; :`, {
            cwd: root,
            env: {
              ...env,
              CLAUDE_PLUGIN_ROOT: folder,
              CLAUDE_PROJECT_DIR: root,
            },
            input,
          }),
        );
        total.time += Math.max(0, ...own.map(({ time }) => time));
        total.cpu += own.reduce((sum, { cpu }) => sum + cpu, 0);
      }
      return total;
    },
  });
  return [
    rowOf(['UserPromptSubmit'], { prompt: 'go on' }),
    rowOf(['PreToolUse', 'PostToolUse'], tool),
  ];
}

/** What a day of prompts and tool calls costs with one run in progress and nothing due. */
function compareDay() {
  const root = project('project-day', 1);
  call(root, 'SessionStart', { source: 'compact' });
  call(root, 'PostToolUse', read(root));
  const own = (event, fields) => ({
    name: 'holdfast',
    rounds,
    times: [],
    cpu: [],
    run: () => call(root, event, fields),
  });
  const pairs = [
    [
      own('UserPromptSubmit', { prompt: 'go on' }),
      own('PostToolUse', read(root)),
      READS,
    ],
  ];
  const peers = option('peers', '');
  for (const name of peers === '' ? [] : readdirSync(peers)) {
    const folder = join(peers, name, 'node_modules', name);
    if (!existsSync(join(folder, 'hooks/hooks.json'))) continue;
    const [prompt, tool] = peerRows(name, folder, project(`peer-${name}`, 0));
    pairs.push([prompt, tool, TOOL_CALLS]);
  }
  measure(pairs.flatMap(([prompt, tool]) => [prompt, tool]));
  console.log(
    `A day of ${PROMPTS} prompts and ${TOOL_CALLS} tool calls, in starts of Node`,
  );
  console.log(`${''.padEnd(32)} prompt  tool call  a day, time  a day, CPU`);
  for (const [prompt, tool, count] of pairs) {
    const day = (kind) =>
      PROMPTS * median(prompt[kind]) + count * median(tool[kind]);
    const figures = [
      median(prompt.times).toFixed(2).padStart(6),
      median(tool.times).toFixed(2).padStart(9),
      Math.round(day('times')).toString().padStart(11),
      Math.round(day('cpu')).toString().padStart(10),
    ];
    console.log(`${prompt.name.padEnd(32)} ${figures.join('  ')}`);
  }
}

try {
  const only = option('only', '');
  if (only === '' || only === 'hooks') compareHooks();
  if (only === '' || only === 'day') compareDay();
  if (only === '' || only === 'templates') compareTemplates();
  if (only === '' || only === 'formats') compareFormats();
} finally {
  rmSync(base, { recursive: true, force: true });
}
