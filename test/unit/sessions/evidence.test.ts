import { describe, expect, it } from 'vitest';
import {
  EvidenceFinder,
  type EvidenceTarget,
} from '../../../src/sessions/evidence.ts';
import { aRun } from '../../support/runs.ts';
import type { ToolCall } from '../../../src/sessions/transcript.ts';

const ROOT = '/home/dev/shop';
const AUTH_PLAN = 'CLAUDE/Plan/001-auth/PLAN.md';
const SHOP_PLAN = 'CLAUDE/Plan/002-shop/PLAN.md';
const auth = target('User Auth', AUTH_PLAN);
const shop = target('Shop relaunch', SHOP_PLAN);
const TARGETS = [auth, shop];
const finder = new EvidenceFinder(TARGETS, ROOT, '/data/shop');

function target(workflow: string, source: string): EvidenceTarget {
  const run = aRun({ workflow, source: { kind: 'plan', path: source } });
  return { run, files: [source, run.path] };
}

function wrote(file: string, input: object = {}): ToolCall {
  return { name: 'Edit', input: { file_path: `${ROOT}/${file}`, ...input } };
}

function bash(command: string): ToolCall {
  return { name: 'Bash', input: { command } };
}

function runOf(call: ToolCall): string | undefined {
  return finder.evidenceOf(call)?.runId;
}

describe('strong evidence', () => {
  it.each(['Write', 'Edit', 'MultiEdit'])(
    'is a source or state file written by %s',
    (name) => {
      for (const file of auth.files) {
        const call = { name, input: { file_path: `${ROOT}/${file}` } };
        expect(finder.evidenceOf(call)).toEqual({
          runId: auth.run.runId,
          did: 'wrote',
          subject: file,
        });
      }
    },
  );

  it('is found where the host names the file without links, or from the project root', () => {
    expect(
      runOf({ name: 'Write', input: { file_path: `/data/shop/${AUTH_PLAN}` } }),
    ).toBe(auth.run.runId);
    expect(runOf({ name: 'Write', input: { file_path: AUTH_PLAN } })).toBe(
      auth.run.runId,
    );
  });

  it.each([
    'holdfast advance user-auth',
    'npx holdfast@1.2.0 fail --reason nope user-auth-20250501_080000',
    'node /home/dev/.claude/holdfast/bin/holdfast.cjs update user-auth --set a=b',
    'holdfast pivot design --run user-auth --feedback no',
    'holdfast tasks build --file t.json --run=user-auth',
    'holdfast start "User Auth" --phases "A,B"',
    'holdfast start --template feature "User Auth"',
    'holdfast --cwd /home/dev/shop/sub advance user-auth',
  ])('is a command that changes the run: %s', (command) => {
    expect(finder.evidenceOf(bash(command))).toMatchObject({
      runId: auth.run.runId,
      did: 'ran',
    });
  });

  it.each([
    ['start', { template: 'feature', summary: 'user auth' }, auth.run.runId],
    ['note', { run: 'user-auth', text: 'x' }, auth.run.runId],
    ['status', { run: 'user-auth', summary: 'user auth' }, undefined],
  ])(
    'is a tool that starts or changes the run: workflow_%s',
    (tool, input, run) => {
      expect(
        runOf({
          name: `mcp__plugin_holdfast_holdfast__workflow_${tool}`,
          input,
        }),
      ).toBe(run);
    },
  );
});

describe('weak evidence', () => {
  it('is a source that was read', () => {
    const call = { name: 'Read', input: { file_path: `${ROOT}/${SHOP_PLAN}` } };
    expect(finder.evidenceOf(call)).toMatchObject({
      runId: shop.run.runId,
      did: 'read',
    });
  });

  it('is a source named in a Bash command', () => {
    expect(finder.evidenceOf(bash(`cat ${SHOP_PLAN} | head`))).toMatchObject({
      runId: shop.run.runId,
      did: 'named',
    });
    expect(runOf(bash(`cat ./old-${SHOP_PLAN}`))).toBeUndefined();
    expect(runOf(bash(`cat ${SHOP_PLAN}.bak`))).toBeUndefined();
    expect(runOf(bash(`echo "see ${SHOP_PLAN}."`))).toBe(shop.run.runId);
    expect(runOf(bash(`cat ${AUTH_PLAN} ${SHOP_PLAN}`))).toBeUndefined();
  });
});

describe('no evidence', () => {
  it.each([
    'holdfast status user-auth',
    'holdfast release user-auth',
    'holdfast cancel user-auth --reason x',
    'holdfast advance',
    'holdfast note --run user-auth --list',
    'echo holdfast advance user-auth',
    "cat > notes <<'E'\nholdfast advance user-auth\nE",
    'holdfast --cwd /elsewhere advance user-auth',
    'grep -r "holdfast advance user-auth" .',
  ])('is %s', (command) => {
    expect(runOf(bash(command))).toBeUndefined();
  });

  it('is a file of another project, or another tool', () => {
    expect(
      runOf({ name: 'Write', input: { file_path: `/elsewhere/${AUTH_PLAN}` } }),
    ).toBeUndefined();
    expect(runOf({ name: 'Write', input: {} })).toBeUndefined();
    expect(runOf({ name: 'Grep', input: { path: AUTH_PLAN } })).toBeUndefined();
  });
});

function findIn(
  calls: ToolCall[],
  targets = TARGETS,
  candidates = targets,
): string | undefined {
  const runs = candidates.map(({ run }) => run);
  return new EvidenceFinder(targets, ROOT, '/data/shop').find(calls, runs)
    ?.runId;
}

it('prefers strong evidence to later weak evidence, and of equal strength the latest', () => {
  const read = { name: 'Read', input: { file_path: SHOP_PLAN } };
  expect(findIn([read, wrote(AUTH_PLAN)])).toBe(auth.run.runId);
  expect(findIn([wrote(SHOP_PLAN), wrote(AUTH_PLAN)])).toBe(shop.run.runId);
  expect(findIn([read, bash('holdfast advance user-auth')])).toBe(
    auth.run.runId,
  );
  expect(findIn([bash(`cat ${SHOP_PLAN}`), wrote(AUTH_PLAN)])).toBe(
    auth.run.runId,
  );
  expect(findIn([bash('ls')])).toBeUndefined();
});

describe('a run that the session cannot get', () => {
  it('is left out: earlier evidence for another one counts', () => {
    expect(findIn([wrote(SHOP_PLAN), wrote(AUTH_PLAN)], TARGETS, [auth])).toBe(
      auth.run.runId,
    );
  });

  it.each(['holdfast start "User Auth"', 'holdfast advance user-auth'])(
    'may be the one that `%s` means, so it is no evidence for another run of that name',
    (command) => {
      const other = {
        run: {
          ...auth.run,
          runId: 'user-auth-20250602_090000',
          path: 'other.json',
        },
        files: ['other.json'],
      };
      expect(findIn([bash(command)], [auth])).toBe(auth.run.runId);
      expect(findIn([bash(command)], [auth, other], [other])).toBeUndefined();
    },
  );

  it('may share the local file: editing it shows only the run that the edit names', () => {
    const local = ['CLAUDE.local.md'];
    const shared = [
      { run: auth.run, files: local },
      { run: shop.run, files: local },
    ];
    const edit = wrote('CLAUDE.local.md', {
      new_string: 'Workflow: User Auth',
    });
    expect(
      findIn([edit], shared, [{ run: shop.run, files: local }]),
    ).toBeUndefined();
    expect(findIn([edit], shared, [{ run: auth.run, files: local }])).toBe(
      auth.run.runId,
    );
  });
});
