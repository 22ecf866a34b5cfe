/**
 * Stands in for Claude Code in tests of the driver: speaks its stream-json protocol and does what a script says.
 * FAKE_CLAUDE names a folder with `script.json`, a list of turns, each a list of actions. A turn beyond the list
 * finishes its step with `holdfast advance`. Every call is recorded in `calls.jsonl`. Started by fake-claude.sh.
 */
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');

const args = process.argv.slice(2);
const folder = process.env.FAKE_CLAUDE;
const at = (name) => path.join(folder, name);
const optional = (name) => {
  const index = args.indexOf(name);
  return index < 0 ? null : args[index + 1];
};

const wait = (ms) =>
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const record = (call) =>
  fs.appendFileSync(at('calls.jsonl'), `${JSON.stringify(call)}\n`);
const resumed = optional('--resume');
const session = resumed ?? optional('--session-id');
const known = at(`session-${session}`);
record({
  kind: 'start',
  pid: process.pid,
  args,
  cwd: process.cwd(),
  driver: process.env.HOLDFAST_DRIVER,
  claudecode: process.env.CLAUDECODE ?? null,
});
if (resumed !== null && !fs.existsSync(known)) {
  // The real client says it in a result and in words.
  const why = `No conversation found with session ID: ${resumed}`;
  const result = {
    type: 'result',
    subtype: 'error_during_execution',
    is_error: true,
  };
  fs.writeSync(
    1,
    `${JSON.stringify({ ...result, num_turns: 0, errors: [why] })}\n`,
  );
  fs.writeSync(2, `${why}\n`);
  // The words of the result are read before the process is gone.
  wait(200);
  process.exit(1);
}
fs.writeFileSync(known, '');

const emit = (message) =>
  fs.writeSync(1, `${JSON.stringify({ ...message, session_id: session })}\n`);
const usage = {
  input_tokens: 1000,
  output_tokens: 10,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
};
// Newer clients go on counting the cost of a conversation that is resumed, older ones begin anew.
const costs = at(`cost-${session}`);
const goesOn = fs.existsSync(at('goes-on-counting'));
let total =
  goesOn && fs.existsSync(costs) ? Number(fs.readFileSync(costs, 'utf8')) : 0;
let serial = 0;

function nextTurn() {
  const script = fs.existsSync(at('script.json'))
    ? JSON.parse(fs.readFileSync(at('script.json'), 'utf8'))
    : [];
  const number = fs.existsSync(at('turn'))
    ? Number(fs.readFileSync(at('turn'), 'utf8'))
    : 0;
  fs.writeFileSync(at('turn'), String(number + 1));
  return script[number] ?? [{ run: 'holdfast advance' }];
}

function runTool(command, expected = 0) {
  serial += 1;
  const id = `toolu_${process.pid}_${serial}`;
  emit({
    type: 'assistant',
    parent_tool_use_id: null,
    message: {
      id: `msg_${id}`,
      role: 'assistant',
      model: 'fake',
      usage,
      content: [{ type: 'tool_use', id, name: 'Bash', input: { command } }],
    },
  });
  const env = {
    ...process.env,
    CLAUDECODE: '1',
    CLAUDE_CODE_SESSION_ID: session,
  };
  const child = /^holdfast(?: [\w-]+)*$/.test(command)
    ? callHoldfast(command.split(' ').slice(1), env)
    : spawnSync('sh', ['-c', command], { encoding: 'utf8', env });
  const output = `${child.stdout}${child.stderr}`;
  record({ kind: 'tool', command, code: child.status, expected, output });
  emit({
    type: 'user',
    message: {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: id, content: child.stdout },
      ],
    },
  });
}

/**
 * A command that needs no shell runs in the resident process at FAKE_CLAUDE_REQUESTS, see resident.cjs, because starting
 * Node takes longer than most commands.
 */
function callHoldfast(words, env) {
  const file = (name) => at(`command-${process.pid}-${serial}-${name}`);
  const files = {
    input: '/dev/null',
    stdout: file('stdout'),
    stderr: file('stderr'),
  };
  const reply = file('reply');
  const call = { words, cwd: process.cwd(), env, ...files, reply };
  fs.writeFileSync(
    process.env.FAKE_CLAUDE_REQUESTS,
    `${JSON.stringify(call)}\n`,
  );
  const deadline = Date.now() + 300_000;
  while (!fs.existsSync(reply)) {
    if (Date.now() > deadline)
      throw new Error(`no reply: holdfast ${words.join(' ')}`);
    wait(1);
  }
  const { code, crash } = JSON.parse(fs.readFileSync(reply, 'utf8'));
  if (crash !== undefined) throw new Error(crash);
  const read = (name) => fs.readFileSync(name, 'utf8');
  const [stdout, stderr] = [read(files.stdout), read(files.stderr)];
  for (const name of [files.stdout, files.stderr, reply]) fs.rmSync(name);
  return { status: code, stdout, stderr };
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let interrupted = () => undefined;

async function turn(prompt) {
  emit({ type: 'system', subtype: 'init', model: 'fake', tools: ['Bash'] });
  record({ kind: 'prompt', session, prompt, pid: process.pid });
  const result = {
    type: 'result',
    subtype: 'success',
    is_error: false,
    api_error_status: null,
    num_turns: 1,
    result: 'DONE',
    usage,
    modelUsage: { fake: { inputTokens: 1000, contextWindow: 200000 } },
    permission_denials: [],
  };
  const stop = new Promise((resolve) => {
    interrupted = () => resolve('interrupted');
  });
  if (prompt === '/compact' && !fs.existsSync(at('no-compact'))) {
    emit({
      type: 'system',
      subtype: 'compact_boundary',
      compact_metadata: { pre_tokens: 1234 },
    });
    total += 0.01;
    emit({ ...result, result: '', total_cost_usd: total });
    return;
  }
  if (prompt === '/compact') {
    emit({
      ...result,
      result: 'Not enough messages to compact.',
      total_cost_usd: total,
    });
    return;
  }
  total += 0.01;
  for (const action of nextTurn()) {
    if (action.run !== undefined) runTool(action.run, action.code);
    if (action.line !== undefined) fs.writeSync(1, action.line);
    if (action.sleep !== undefined) {
      if ((await Promise.race([sleep(action.sleep), stop])) === 'interrupted') {
        emit({
          ...result,
          subtype: 'error_during_execution',
          is_error: true,
          total_cost_usd: total,
        });
        return;
      }
    }
    while (action.until !== undefined && !fs.existsSync(at(action.until))) {
      if ((await Promise.race([sleep(20), stop])) === 'interrupted') return;
    }
    if (action.exit !== undefined) {
      if (action.words !== undefined) fs.writeSync(2, `${action.words}\n`);
      process.exit(action.exit);
    }
    if (action.kill !== undefined) process.kill(process.pid, action.kill);
    if (action.result !== undefined) Object.assign(result, action.result);
    if (action.limit !== undefined)
      emit({
        type: 'rate_limit_event',
        rate_limit_info: { status: 'rejected', resetsAt: action.limit },
      });
  }
  fs.writeFileSync(costs, String(total));
  emit({ total_cost_usd: total, ...result });
}

let rest = '';
let queue = Promise.resolve();
process.stdin.setEncoding('utf8');
process.stdin.on('data', (text) => {
  const lines = (rest + text).split('\n');
  rest = lines.pop();
  for (const line of lines) {
    const message = JSON.parse(line);
    if (message.type === 'user')
      queue = queue.then(() => turn(message.message.content[0].text));
    else if (message.request?.subtype === 'interrupt') interrupted();
    else if (message.request?.subtype === 'get_session_cost')
      emit({
        type: 'control_response',
        response: {
          subtype: 'success',
          request_id: message.request_id,
          response: fs.existsSync(at('says-no-cost'))
            ? {}
            : { text: `Total cost:            $${total.toFixed(4)}` },
        },
      });
  }
});
process.stdin.on('end', () => {
  void queue.then(() => process.exit(0));
});
process.on('SIGINT', () => interrupted());
