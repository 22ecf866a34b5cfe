import { mkdirSync, truncateSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkHeadless } from '../../../../src/doctor/checks/headless.ts';
import type { DoctorContext, Finding } from '../../../../src/doctor/types.ts';
import { clientProcess } from '../../../../src/sessions/client-process.ts';
import { makeDoctorProject, pathWith, type DoctorProject } from '../support.ts';

function lookAt(
  project: DoctorProject,
  { claude = '2.1.325 (Claude Code)', ...environment }: Record<string, string> = {},
  changes: Partial<DoctorContext> = {},
): Finding[] {
  const PATH = pathWith(project, { claude });
  return checkHeadless.run(
    project.doctorContext({ environment: { PATH, ...environment }, ...changes }),
  );
}

describe('the client', () => {
  test.each([
    ['2.1.325 (Claude Code)', 'ok', 'can drive Claude Code 2.1.325'],
    ['2.1.139 (Claude Code)', 'ok', 'can drive Claude Code 2.1.139'],
    ['2.0.14 (Claude Code)', 'warning', 'cannot drive Claude Code 2.0.14'],
    ['no number', 'skipped', 'did not report its version'],
  ])('%s is %s', (claude, level, message) => {
    const [finding] = lookAt(makeDoctorProject(), { claude });
    expect(finding).toMatchObject({ level, message: expect.stringContaining(message) });
  });

  test('that is too old is named with what is missing', () => {
    expect(lookAt(makeDoctorProject(), { claude: '2.0.14' })[0]).toMatchObject({
      evidence: [expect.stringContaining('--max-budget-usd'), '2.1.139 or newer is needed'],
      fix: 'claude update',
    });
  });

  test('that is missing is said to be', () => {
    const project = makeDoctorProject();
    const context = project.doctorContext({ environment: { PATH: project.outside } });
    expect(checkHeadless.run(context)[0]).toMatchObject({
      level: 'skipped',
      message: expect.stringContaining('is not on the PATH'),
    });
  });
});

describe('the login', () => {
  test.each(['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CODE_USE_BEDROCK'])(
    'by %s is seen, and its value is not shown',
    (name) => {
      const findings = lookAt(makeDoctorProject(), { [name]: 'the-secret' });
      expect(findings[1]).toMatchObject({ level: 'ok', message: expect.stringContaining(name) });
      expect(JSON.stringify(findings)).not.toContain('the-secret');
    },
  );

  test('by a helper or by a stored login is seen', () => {
    const helped = makeDoctorProject();
    helped.configure('settings.json', { apiKeyHelper: './key.sh' });
    expect(lookAt(helped)[1]).toMatchObject({
      level: 'ok',
      message: expect.stringContaining('apiKeyHelper'),
    });
    const stored = makeDoctorProject();
    stored.configure('.credentials.json', '{}');
    expect(lookAt(stored)[1]).toMatchObject({ level: 'ok' });
  });

  test.runIf(process.platform !== 'darwin')(
    'that is missing is a note with what to do, where runs are driven',
    () => {
      const environment = { ANTHROPIC_API_KEY: '' };
      const driven = makeDoctorProject({ 'untracked/workflow-logs/a-1/events.jsonl': '{}\n' });
      expect(lookAt(driven, environment)[1]).toMatchObject({
        level: 'note',
        fix: expect.stringContaining('/login'),
      });
      expect(lookAt(makeDoctorProject(), environment)[1]).toMatchObject({ level: 'skipped' });
    },
  );
});

const RECORD = 'untracked/workflow-logs/release-1/driver.json';

describe('a driver', () => {
  const own = { pid: process.pid, start: clientProcess(String(process.pid))?.start ?? null };
  const gone = { pid: 2 ** 22 + 7, start: null };
  const record = (owner: object | null, client: object | null = null): DoctorProject =>
    makeDoctorProject({ [RECORD]: { run: 'release-1', owner, client } });
  const drivers = (project: DoctorProject): Finding[] =>
    lookAt(project, {}, { hostname: 'here' }).slice(2);

  test('that works is in order', () => {
    expect(drivers(record({ ...own, token: 't', host: 'here' }))).toMatchObject([
      { level: 'ok', message: expect.stringContaining(`by process ${process.pid}`) },
    ]);
  });

  test('that was killed is named with the command that goes on', () => {
    expect(drivers(record({ ...gone, token: 't', host: 'here' }))).toMatchObject([
      {
        level: 'note',
        message: expect.stringContaining('release-1'),
        evidence: [RECORD, expect.stringContaining('not finished')],
        fix: 'holdfast run release-1',
      },
    ]);
  });

  test('that was killed while its client works on', () => {
    expect(drivers(record({ ...gone, token: 't', host: 'here' }, own))).toMatchObject([
      { evidence: [RECORD, expect.stringContaining(`process ${process.pid}, still works`)] },
    ]);
  });

  test('on another machine cannot be asked', () => {
    expect(drivers(record({ ...gone, token: 't', host: 'there' }))).toMatchObject([
      { level: 'note', message: expect.stringContaining('driven on there') },
    ]);
  });

  test('that stopped in order is no finding', () => {
    expect(drivers(record(null))).toEqual([]);
  });
});

describe('logs', () => {
  test('that are large are named, with the command that removes those of finished runs', () => {
    const project = makeDoctorProject();
    for (const [run, size] of [
      ['small-1', 1_000],
      ['large-1', 1_200_000_000],
    ] as const) {
      mkdirSync(project.at(`untracked/workflow-logs/${run}`), { recursive: true });
      project.write(`untracked/workflow-logs/${run}/0001-plan.jsonl`, '');
      truncateSync(project.at(`untracked/workflow-logs/${run}/0001-plan.jsonl`), size);
    }
    expect(lookAt(project).at(-1)).toMatchObject({
      level: 'note',
      message: 'the logs of driven runs take 1200 MB',
      evidence: ['untracked/workflow-logs/large-1: 1200 MB', expect.stringContaining('small-1')],
      fix: expect.stringContaining('rm -r untracked/workflow-logs/large-1'),
    });
  });

  test('of an ordinary size are no finding', () => {
    const project = makeDoctorProject({ 'untracked/workflow-logs/a-1/events.jsonl': '{}\n' });
    expect(lookAt(project)).toHaveLength(2);
  });
});
