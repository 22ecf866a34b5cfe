// What holdfast adds to the context of a session, in characters and estimated tokens: permanently, and on use.
// Measured on what `init` writes, what the MCP server answers and what the hooks reply.
// Usage: npm run bench -- context [--write]; --write replaces the table in docs/internals/performance.md.
import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sizeOf } from './text-size.ts';

const binary = fileURLToPath(
  new URL('../../bin/holdfast.cjs', import.meta.url),
);
const page = fileURLToPath(
  new URL('../../docs/internals/performance.md', import.meta.url),
);
const base = mkdtempSync(join(tmpdir(), 'holdfast-context-'));
const project = join(base, 'shop');
const session = '5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11';

function holdfast(words, { input = '', as } = {}) {
  const child = spawnSync(process.execPath, [binary, ...words], {
    cwd: project,
    env: {
      PATH: process.env.PATH,
      HOME: base,
      ...(as && { CLAUDE_CODE_SESSION_ID: as }),
    },
    input,
    encoding: 'utf8',
  });
  if (child.status !== 0)
    throw new Error(`holdfast ${words.join(' ')}: ${child.stderr}`);
  return child.stdout;
}

/** The installed skill and slash commands; only their descriptions are in the context permanently. */
function installed() {
  holdfast(['init', '--scope', 'project']);
  const folder = join(project, '.claude');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .toSorted()
    .map((name) => {
      const [, front = '', body = ''] = readFileSync(
        join(folder, name),
        'utf8',
      ).split(/^---\n/m);
      // The model does not see commands that only the user can call.
      const isVisible = !/^disable-model-invocation: true$/m.test(front);
      const description = isVisible
        ? (/^description: (.*)$/m.exec(front)?.[1] ?? '')
        : '';
      return { isSkill: name.endsWith('SKILL.md'), description, body };
    });
}

function mcpTools() {
  const ask = (id, method, params = {}) =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const input = [
    ask(1, 'initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'bench', version: '1' },
    }),
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    ask(2, 'tools/list'),
  ].join('\n');
  const replies = holdfast(['mcp'], { input: `${input}\n` })
    .trim()
    .split('\n')
    .map(JSON.parse);
  const { tools } = replies.find(({ id }) => id === 2).result;
  const { instructions = '' } = replies.find(({ id }) => id === 1).result;
  const definitions = tools.map(({ name, description, inputSchema }) =>
    JSON.stringify({
      name: `mcp__holdfast__${name}`,
      description,
      input_schema: inputSchema,
    }),
  );
  return { count: tools.length, text: instructions + definitions.join('') };
}

let prompts = 0;
function contextFrom(event, fields) {
  prompts += 1;
  const payload = {
    hook_event_name: event,
    session_id: session,
    cwd: project,
    prompt_id: `${prompts}`,
    ...fields,
  };
  const reply = holdfast(['hook'], { input: JSON.stringify(payload) });
  if (reply === '' || event === 'PreCompact') return reply;
  return JSON.parse(reply).hookSpecificOutput.additionalContext;
}

/** Reports a Read of the agent to the hooks. */
function reportRead(path) {
  const filePath = join(project, path);
  const content = readFileSync(filePath, 'utf8');
  const totalLines = content.split('\n').length;
  contextFrom('PostToolUse', {
    tool_name: 'Read',
    tool_input: { file_path: filePath },
    tool_response: {
      type: 'text',
      file: {
        filePath,
        content,
        numLines: totalLines,
        startLine: 1,
        totalLines,
      },
    },
  });
}

/** A typical run: phases, a large and a small document, rules, facts. */
function guidance() {
  const idle = contextFrom('SessionStart', { source: 'startup' });
  mkdirSync(join(project, 'docs'));
  writeFileSync(
    join(project, 'docs/spec.md'),
    'What the shop has to do.\n'.repeat(400),
  );
  writeFileSync(
    join(project, 'docs/rules.md'),
    'Prices are kept in cents.\n'.repeat(20),
  );
  const details = [
    '--read',
    'docs/spec.md',
    '--read',
    'docs/rules.md',
    '--set',
    'reviewer=Kim',
  ];
  const phases = 'Design,Basket,Checkout,Payment,Review';
  const rules = [
    '--remind',
    'Phase 4 waits for the bank',
    '--remind',
    'Keep the API stable',
  ];
  holdfast(
    ['start', 'Shop relaunch', '--phases', phases, ...details, ...rules],
    { as: session },
  );
  holdfast(['advance', '--output', 'the design is in docs/design.md'], {
    as: session,
  });
  const summariser = contextFrom('PreCompact', { trigger: 'auto' });
  const full = contextFrom('SessionStart', { source: 'compact' });
  reportRead('docs/spec.md');
  return {
    idle,
    summariser,
    full,
    short: contextFrom('SessionStart', { source: 'resume' }),
    prompt: contextFrom('UserPromptSubmit', { prompt: 'go on' }),
    end: contextFrom('SessionEnd', { reason: 'other' }),
    offer: contextFrom('SessionStart', {
      source: 'startup',
      session_id: 'another-session',
    }),
  };
}

function measure() {
  mkdirSync(join(project, '.git'), { recursive: true });
  const texts = installed();
  const skill = texts.find(({ isSkill }) => isSkill);
  const commands = texts.filter(({ isSkill }) => !isSkill);
  const longest = commands.reduce((a, b) =>
    a.body.length > b.body.length ? a : b,
  );
  const tools = mcpTools();
  const { idle, summariser, full, short, prompt, offer } = guidance();
  const all = commands.map(({ description }) => description).join('');
  return [
    ['skill: its description', 'in every session', skill.description],
    [
      `slash commands: the descriptions of ${commands.length}`,
      'in every session',
      all,
    ],
    [
      `MCP: ${tools.count} tools, if the server is added`,
      'in every session',
      tools.text,
    ],
    ['hooks, no workflow in the project', 'every event', idle],
    ['hooks, a prompt while the documents are read', 'every prompt', prompt],
    ['skill: its text', 'once, when the agent uses it', skill.body],
    ['slash command: the longest text', 'each use', longest.body],
    ['guidance: offer', 'a new session, while a run waits', offer],
    ['guidance: short', 'a resumed session', short],
    ['guidance: full', 'after a compaction', full],
    [
      'words for the summariser',
      'before a compaction, to the summariser only',
      summariser,
    ],
  ];
}

function table(rows) {
  const cells = rows.map(([what, when, text]) => [
    what,
    when,
    `${text.length}`,
    `${sizeOf(text).tokens}`,
  ]);
  const lines = [['what', 'when', 'characters', 'tokens, about'], ...cells];
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...lines.map((line) => line[column].length)),
  );
  const row = (line) =>
    `| ${line.map((cell, at) => cell.padEnd(widths[at])).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  const [head, ...body] = lines.map(row);
  return [head, rule, ...body].join('\n');
}

try {
  const printed = table(measure());
  console.log(printed);
  if (process.argv.includes('--write')) {
    const text = readFileSync(page, 'utf8');
    const block =
      /(<!-- generated: npm run bench -- context --write -->\n\n)[^]*?(\n\n<!-- end -->)/;
    writeFileSync(
      page,
      text.replace(block, (_, begin, end) => begin + printed + end),
    );
  }
} finally {
  rmSync(base, { recursive: true, force: true });
}
