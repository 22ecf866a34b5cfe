// What SessionStart(compact) injects for realistic runs, compared with pasting in the whole state file and every required
// file. Each run lists facts that must survive; a lost fact makes the exit code 1.
// Usage: npm run bench -- tokens [--json] [--runs <folder>]
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { sizeOf, type Size } from './text-size.ts';
import { readTokenRuns, writeProject, type TokenRun } from './token-runs.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const binary = join(repository, 'bin/holdfast.cjs');
const session = '5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11';

interface Measured {
  name: string;
  guidance: Size;
  /** The whole state file and every required file. */
  naive: Size;
  /** Required files that the guidance names without their content; opening them costs this much more. */
  to_read: Size;
  saving_percent: number;
  facts: number;
  lost: string[];
}

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    runs: { type: 'string' },
  },
});
const home = mkdtempSync(join(tmpdir(), 'holdfast-tokens-home-'));
// There, calls keep their compiled code for the next.
mkdirSync(join(home, '.claude/holdfast'), { recursive: true });
const runsFolder = values.runs ?? join(repository, 'test/fixtures/token-runs');
const measured = readTokenRuns(runsFolder).map(measure);
rmSync(home, { recursive: true });
if (measured.length === 0) throw new Error('no runs to measure');
console.log(values.json ? JSON.stringify(measured, null, 2) : table(measured));
if (measured.some(({ lost }) => lost.length > 0)) process.exitCode = 1;

function measure(run: TokenRun): Measured {
  const base = mkdtempSync(join(tmpdir(), 'holdfast-tokens-'));
  try {
    const root = join(base, 'project');
    mkdirSync(root);
    writeProject(root, run, runsFolder);
    const call = (words: string[], input: string): string =>
      holdfast(root, words, input);
    for (const { run: words, input } of run.commands) call(words, input);
    call(['hook'], payload(root, 'PreCompact', { trigger: 'auto' }));
    const state = onlyStateFile(root);
    const reply = call(
      ['hook'],
      payload(root, 'SessionStart', { source: 'compact' }),
    );
    const guidance: string =
      JSON.parse(reply).hookSpecificOutput.additionalContext;
    return compare(run, root, state, guidance);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

function compare(
  run: TokenRun,
  root: string,
  state: string,
  guidance: string,
): Measured {
  const required: string[] = JSON.parse(state).required_reading;
  const documents = required.map((path) => ({
    path,
    text: readIfExists(join(root, path.slice(1))),
  }));
  const size = sizeOf(guidance);
  const naive = sizeOf(
    [state, ...documents.map(({ text }) => text)].join('\n'),
  );
  const lines = guidance.split('\n');
  return {
    name: run.name,
    guidance: size,
    naive,
    to_read: sizeOf(
      documents
        .filter(({ path }) => lines.includes(path))
        .map(({ text }) => text)
        .join('\n'),
    ),
    saving_percent: Math.round(100 * (1 - size.tokens / naive.tokens)),
    facts: run.facts.length,
    lost: run.facts.filter((fact) => !guidance.includes(fact)),
  };
}

function holdfast(root: string, words: string[], input: string): string {
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    CLAUDE_CODE_SESSION_ID: session,
  };
  const child = spawnSync(process.execPath, [binary, ...words], {
    cwd: root,
    env,
    input,
    encoding: 'utf8',
  });
  if (child.status !== 0)
    throw new Error(
      `holdfast ${words.join(' ')}: ${child.stderr}${child.stdout}`,
    );
  return child.stdout;
}

function payload(cwd: string, event: string, fields: object): string {
  return JSON.stringify({
    hook_event_name: event,
    session_id: session,
    cwd,
    ...fields,
  });
}

function onlyStateFile(root: string): string {
  const folder = join(root, 'untracked/workflow-state');
  const files = readdirSync(folder, {
    recursive: true,
    encoding: 'utf8',
  }).filter((path) => /[/\\]state-[^/\\]+\.json$/.test(path));
  const [file] = files;
  if (file === undefined || files.length > 1)
    throw new Error(
      `expected one state file in ${folder}, found ${files.length}`,
    );
  return readFileSync(join(folder, file), 'utf8');
}

function readIfExists(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

function table(rows: readonly Measured[]): string {
  const formatSize = ({ characters, tokens }: Size): string =>
    `${grouped(characters)} ch ${grouped(tokens).padStart(6)} tok`;
  const cells = rows.map(
    ({ name, guidance, naive, to_read, saving_percent, facts, lost }) => [
      name,
      formatSize(guidance),
      formatSize(naive),
      `${saving_percent} %`,
      formatSize(to_read),
      `${facts - lost.length} of ${facts} (${Math.floor((100 * (facts - lost.length)) / facts)} %)`,
    ],
  );
  const head = [
    'run',
    'guidance',
    'naive',
    'saving',
    'named for Read',
    'facts',
  ];
  const widths = head.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: string[]): string =>
    row
      .map((cell, column) =>
        column === 0
          ? cell.padEnd(widths[column] ?? 0)
          : cell.padStart(widths[column] ?? 0),
      )
      .join('  ');
  const missing = rows.flatMap(({ name, lost }) =>
    lost.map((fact) => `lost in "${name}": ${fact}`),
  );
  return [
    'What SessionStart(compact) injects, compared with the whole state file and all required files.',
    'Tokens are estimated: 4 ASCII characters each, any other character 1.',
    '',
    line(head),
    ...cells.map(line),
    ...(missing.length === 0 ? [] : ['', ...missing]),
  ].join('\n');
}

function grouped(value: number): string {
  return value.toLocaleString('en-US');
}
