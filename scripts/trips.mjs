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
import { build } from 'esbuild';

// How many functions are called when a hook, a command or a tool is called once, in how many files of src/, and how
// many of these files have rules of the product. The bundles name the file of each function in a comment, and V8 reports
// which functions were called.

// Helpers, what defines and prints commands, and what reads and writes files.
const NO_RULES = /^src\/(?:text|files|cli|commands\/view)\//;

const request = (id, method, params) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const STATUS_CALL = [
  request(1, 'initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'trips', version: '1' },
  }),
  JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
  request(2, 'tools/call', { name: 'workflow_status', arguments: {} }),
];

const PLAN =
  '# Plan 1: Shop\n\n**Status**: 🔄 In Progress\n\n### Phase 1: A\n### Phase 2: B\n';

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [name, { called }] of Object.entries(await measureTrips())) {
    const files = [...new Set(called)];
    const rules = files.filter((file) => !NO_RULES.test(file));
    console.log(
      `${name}: ${called.length} functions, ${files.length} files, ${rules.length} with rules`,
    );
  }

/** What each trip calls: the file of each function, and how many bytes of the bundle were executed. */
export async function measureTrips() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-trips-'));
  const project = join(folder, 'project');
  const trip = (name, words, input) =>
    travel({ folder, project, name, words, input });
  const hook = (event, more) => {
    const session = {
      session_id: 's1',
      cwd: project,
      transcript_path: join(folder, 't.jsonl'),
    };
    const input = JSON.stringify({
      ...session,
      hook_event_name: event,
      ...more,
    });
    return trip('hook', [event], input);
  };
  try {
    mkdirSync(join(project, '.git'), { recursive: true });
    mkdirSync(join(project, 'CLAUDE/Plan/00001-shop'), { recursive: true });
    writeFileSync(join(project, 'CLAUDE/Plan/00001-shop/PLAN.md'), PLAN);
    await bundle(folder, 'hook', 'src/hooks/main.ts');
    await bundle(folder, 'cli', 'src/cli/main.ts');
    await bundle(folder, 'mcp', 'src/mcp/main.ts');
    return {
      PreCompact: hook('PreCompact', { trigger: 'manual' }),
      SessionStart: hook('SessionStart', { source: 'compact' }),
      advance: trip('cli', ['advance'], ''),
      'workflow_status (MCP)': trip('mcp', [], `${STATUS_CALL.join('\n')}\n`),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function bundle(folder, name, entry) {
  await build({
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    mainFields: ['module', 'main'],
    logLevel: 'error',
    outfile: join(folder, `${name}.cjs`),
  });
}

function travel({ folder, project, name, words, input }) {
  const coverage = mkdtempSync(join(folder, 'coverage-'));
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(folder, `${name}.cjs`), ...words],
    {
      cwd: project,
      input,
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        CLAUDE_CONFIG_DIR: join(folder, 'config'),
        CLAUDE_CODE_SESSION_ID: 's1',
        NODE_V8_COVERAGE: coverage,
      },
    },
  );
  if (status !== 0) throw new Error(`${name} ${words.join(' ')}: ${stderr}`);
  const text = readFileSync(join(folder, `${name}.cjs`), 'utf8');
  const places = [
    ...text.matchAll(/^\s*\/\/ ((?:src|node_modules)\/\S+|package\.json)$/gm),
  ];
  const functions = readdirSync(coverage).flatMap((file) =>
    JSON.parse(readFileSync(join(coverage, file), 'utf8'))
      .result.filter(({ url }) => url.endsWith(`/${name}.cjs`))
      .flatMap((script) => script.functions),
  );
  const called = functions
    .filter(
      ({ functionName, ranges: [{ count }] }) =>
        count > 0 && !functionName.includes('/'),
    )
    .map(({ ranges: [{ startOffset }] }) => startOffset)
    .filter((offset) => offset > 0)
    .map((offset) => places.findLast(({ index }) => index <= offset)?.[1] ?? '')
    .filter((file) => file.startsWith('src/'));
  return {
    called,
    bytes: text.length,
    executedBytes: executedBytes(functions, text.length),
  };
}

/** V8 lists outer ranges before those inside them, so that the last one that covers a byte counts. */
function executedBytes(functions, length) {
  const isExecuted = new Uint8Array(length);
  for (const { startOffset, endOffset, count } of functions.flatMap(
    ({ ranges }) => ranges,
  ))
    isExecuted.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  return isExecuted.reduce((sum, executed) => sum + executed, 0);
}
