import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sandbox, type Sandbox } from '../support/cli.ts';
import { ask, startPage } from '../support/page-server.ts';

/** Longer than any path, any id and any time. */
const HUGE = 'x'.repeat(100_000);

/** What a field of a session's file may contain after a fault of the disk, or when another program has written it. */
const DAMAGED: Record<string, unknown[]> = {
  session: [5, null, '', {}, 's1\0'],
  project: [5, [], {}, '', '.', '/nowhere\0', `/${HUGE}`],
  client: [
    5,
    'x',
    {},
    { pid: 5, start: 5 },
    { pid: '../../x', start: null },
    { pid: '1' },
  ],
  process: [[], { pid: { pid: 1 }, start: [] }],
  startedAt: ['x', 1e300, -1e300, {}],
  endedAt: ['x', 1e300],
  clearedAt: [{}, 1e300],
  followedBy: [5, {}, '', 's1'],
  fill: [
    5,
    {},
    { passed: 5 },
    { percent: 'x', passed: [] },
    { percent: 80, passed: ['x'] },
  ],
  pendingStart: [5, {}],
  pendingReply: [5, '{', '{"a":', '[]'],
  isCompacted: ['x', 0],
  snapshot: [5, []],
  plan: [5, {}, { project: 5, path: 5, text: 5, at: 'x' }, { text: 'A plan' }],
  module: [5, { version: 5, project: [], at: {} }, { version: 'x' }],
};

/** Each has one value of every field, so that all values occur. */
const ENTRIES = Array.from({ length: 7 }, (_, at) =>
  Object.fromEntries(
    Object.entries(DAMAGED).map(([field, values]) => [
      field,
      values[at % values.length],
    ]),
  ),
);

function writeEntry({ home }: Sandbox, name: string, entry: object): void {
  const folder = join(home, '.claude/holdfast/sessions');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(entry));
}

/** A project with a run, in the home folder of a user whose other sessions have damaged files. */
function damagedSandbox(): Sandbox {
  const box = sandbox({
    'spec.md': 'x',
    'PLAN.md': '# Plan\n\n1. One\n2. Two\n',
  });
  box.run(['start', 'Shop', '--phases', 'A,B', '--read', 'spec.md'], {
    session: 's1',
  });
  for (const [at, damages] of ENTRIES.entries()) {
    writeEntry(box, `nameless-${at}`, damages);
    writeEntry(box, `other-${at}`, { ...damages, session: `other-${at}` });
    // Only where the rest of an entry fits is its plan or module looked at.
    const here = {
      project: box.root,
      at: 1,
      ...(isRecord(damages['plan']) ? damages['plan'] : {}),
    };
    writeEntry(box, `plan-${at}`, { session: `plan-${at}`, plan: here });
  }
  return box;
}

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null;

/** What nothing that a command prints may contain. */
const FAULT = /internal error|TypeError|RangeError|SyntaxError|Invalid time/;

test.each(ENTRIES.map((damages, way) => [way, damages] as const))(
  'no command and no hook fails over files of sessions that are damaged, in way %i',
  (_way, damages) => {
    const box = damagedSandbox();
    const input = JSON.stringify({
      session_id: 's1',
      cwd: box.root,
      workspace: {},
    });
    for (const words of [
      ['list', '--everywhere'],
      ['status'],
      ['guidance'],
      ['doctor'],
      ['start', '--from-plan'],
      ['statusline'],
    ]) {
      writeEntry(box, 's1', { ...damages, session: 's1' });
      const { stdout, stderr } = box.run(words, {
        session: 's1',
        code: 'any',
        input,
      });
      expect(`${stdout}\n${stderr}`).not.toMatch(FAULT);
    }
    for (const host of ['claude', 'codex', 'qwen', 'gemini'])
      for (const event of [
        'SessionStart',
        'UserPromptSubmit',
        'PreCompact',
        'SessionEnd',
      ]) {
        writeEntry(box, 's1', { ...damages, session: 's1' });
        const payload = {
          session_id: 's1',
          cwd: box.root,
          hook_event_name: event,
        };
        const sent = JSON.stringify({
          ...payload,
          source: 'clear',
          reason: 'clear',
        });
        const { stderr } = box.run(['hook', event, `--host=${host}`], {
          input: sent,
        });
        expect(stderr).toBe('');
      }
    const log = join(box.root, 'untracked/workflow-state/holdfast.log');
    expect(existsSync(log) ? readFileSync(log, 'utf8') : '').toBe('');
  },
);

test('the page shows all projects that it can', async () => {
  const page = await startPage(damagedSandbox(), ['--no-open', '--everywhere']);
  const { status, text } = await ask(
    page.port,
    `${new URL(page.url).pathname}data/overview`,
  );
  expect([status, page.stderr()]).toEqual([200, '']);
  expect(JSON.parse(text)).toMatchObject({ runs: [{ workflow: 'Shop' }] });
});
