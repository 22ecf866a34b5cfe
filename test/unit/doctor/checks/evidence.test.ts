import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkEvidence } from '../../../../src/doctor/checks/evidence.ts';
import { hold } from '../../../../src/sessions/holder.ts';
import { commandFor } from '../../../../src/install/plan/hook-command.ts';
import { aState } from '../../../support/runs.ts';
import {
  age,
  installPlugin,
  levels,
  LOCAL,
  makeDoctorProject,
  of,
  settingsWith,
  type DoctorProject,
} from '../support.ts';
import { boundary, compactedAt, hookRecord, OTHER, OURS } from '../transcripts-support.ts';

const settings = settingsWith(commandFor('/home/dev/.claude/holdfast/bin/hook.sh'));

/** A project that was wired an hour ago. */
function wired(): DoctorProject {
  const doctorProject = makeDoctorProject({ [LOCAL]: settings });
  age(doctorProject.at(LOCAL), 3_600);
  return doctorProject;
}

function keepTranscript(doctorProject: DoctorProject, session: string, lines: string[]): void {
  const folder = doctorProject.root.replace(/[^A-Za-z0-9]/g, '-');
  doctorProject.configure(`projects/${folder}/${session}.jsonl`, `${lines.join('\n')}\n`);
}

const minutesAgo = (minutes: number): string =>
  new Date(Date.now() - minutes * 60_000).toISOString();

test('is skipped without transcripts or registered hooks', () => {
  const findings = checkEvidence.run(makeDoctorProject().doctorContext());
  expect(levels(findings)).toEqual(['skipped', 'skipped', 'ok']);
});

test('hooks without a trace are fine: a hook with nothing to do leaves none', () => {
  const findings = checkEvidence.run(wired().doctorContext());
  expect(of('note', findings)).toMatchObject([{ fix: expect.stringContaining('/compact') }]);
  expect(of('warning', findings)).toEqual([]);
});

test('reports when each hook last ran, from transcripts, journals and the hook state', () => {
  const doctorProject = wired();
  keepTranscript(doctorProject, 'abcdef01-2345', [
    hookRecord(OURS, 'hook_success', 0, minutesAgo(50)),
    hookRecord(OURS, 'hook_success', 0, minutesAgo(5)),
  ]);
  const { store, now } = doctorProject.doctorContext();
  const run = store.transaction((tx) =>
    tx.create(aState(), { event: 'detected', by: 'hook PreCompact' }),
  );
  store.transaction((tx) => {
    tx.write(run, run.state, { event: 'session_ended', reason: 'clear' });
    tx.saveHookState({
      ...tx.hookState,
      compactions: { s: { stage: 'due', at: now.getTime() - 120_000 } },
    });
  });
  const [fired] = of('ok', checkEvidence.run(doctorProject.doctorContext()));
  expect(fired?.evidence?.toSorted()).toEqual([
    'PostCompact: 2 minutes ago, ended well (the state)',
    'PreCompact: just now, ended well (the state)',
    'SessionEnd: just now, ended well (the state)',
    'SessionStart:compact: 5 minutes ago, ended well (the transcript of session abcdef01)',
  ]);
});

test('warns about a hook that failed the last time it ran', () => {
  const doctorProject = wired();
  const failure = hookRecord(OURS, 'hook_non_blocking_error', 1, minutesAgo(2));
  keepTranscript(doctorProject, 's1', [
    hookRecord(OURS, 'hook_success', 0, minutesAgo(3)),
    failure,
  ]);
  expect(of('warning', checkEvidence.run(doctorProject.doctorContext()))).toMatchObject([
    {
      evidence: ['SessionStart:compact: Failed with status code 1'],
      fix: 'holdfast init --scope local',
    },
  ]);
  keepTranscript(doctorProject, 's1', [
    failure,
    hookRecord(OURS, 'hook_success', 0, minutesAgo(1)),
  ]);
  expect(of('warning', checkEvidence.run(doctorProject.doctorContext()))).toEqual([]);
});

describe('hooks that are registered but did not run', () => {
  const warning = { message: 'hooks are registered, but the client did not run them' };

  test('a compaction that lists only other hooks', () => {
    const doctorProject = wired();
    const at = minutesAgo(5);
    keepTranscript(doctorProject, 's1', [boundary(at), compactedAt(at, OTHER)]);
    expect(of('warning', checkEvidence.run(doctorProject.doctorContext()))).toMatchObject([
      { ...warning, evidence: ['session s1 was compacted 5 minutes ago without a holdfast hook'] },
    ]);
    expect(of('note', checkEvidence.run(doctorProject.doctorContext()))).toEqual([]);
  });

  test('an automatic compaction in a session that holds a run', () => {
    const doctorProject = wired();
    const { store } = doctorProject.doctorContext();
    const began = new Date(Date.now() - 10 * 60_000);
    const held = hold(aState(), 's1', { hostname: 'this-machine' }, began);
    store.transaction((tx) => tx.create(held, { event: 'started' }));
    keepTranscript(doctorProject, 's1', [boundary(minutesAgo(5))]);
    expect(of('warning', checkEvidence.run(doctorProject.doctorContext()))).toMatchObject([
      warning,
    ]);
    keepTranscript(doctorProject, 's1', [
      boundary(minutesAgo(5)),
      hookRecord(OURS, 'hook_success', 0, minutesAgo(5)),
    ]);
    expect(of('warning', checkEvidence.run(doctorProject.doctorContext()))).toEqual([]);
  });

  test.each([
    ['that lists ours', () => minutesAgo(5), OURS],
    ['from before they were registered', () => minutesAgo(90), OTHER],
  ])('not so a compaction %s', (_name, at, command) => {
    const doctorProject = wired();
    keepTranscript(doctorProject, 's1', [boundary(at()), compactedAt(at(), command)]);
    expect(of('warning', checkEvidence.run(doctorProject.doctorContext()))).toEqual([]);
  });
});

test('reads the end of the three newest transcripts', () => {
  const doctorProject = wired();
  for (const [index, session] of ['old', 'b', 'c', 'd'].entries()) {
    keepTranscript(doctorProject, session, [
      hookRecord(OURS, 'hook_success', 0, minutesAgo(9 - index)),
    ]);
    const folder = doctorProject.root.replace(/[^A-Za-z0-9]/g, '-');
    age(`${doctorProject.config}/projects/${folder}/${session}.jsonl`, 100 - index);
  }
  const padding = JSON.stringify({ type: 'user', text: 'x'.repeat(2_100_000) });
  keepTranscript(doctorProject, 'd', [hookRecord(OURS, 'hook_success', 0, minutesAgo(1)), padding]);
  const looked = of('ok', checkEvidence.run(doctorProject.doctorContext())).find(({ message }) =>
    message.endsWith('of the client read'),
  );
  expect(looked?.evidence).toEqual([
    'session d: 0 compactions, 0 records of our hooks',
    'session c: 0 compactions, 1 record of our hooks',
    'session b: 0 compactions, 1 record of our hooks',
  ]);
});

test('skips unusual files among the transcripts', () => {
  const doctorProject = wired();
  keepTranscript(doctorProject, 's1', [hookRecord(OURS, 'hook_success', 0, minutesAgo(5))]);
  const folder = join(
    doctorProject.config,
    'projects',
    doctorProject.root.replace(/[^A-Za-z0-9]/g, '-'),
  );
  symlinkSync(join(doctorProject.outside, 'gone'), join(folder, 'dangling.jsonl'));
  symlinkSync(join(folder, 'loop.jsonl'), join(folder, 'loop.jsonl'));
  mkdirSync(join(folder, 'folder.jsonl'));
  execFileSync('mkfifo', [join(folder, 'fifo.jsonl')]);
  expect(of('ok', checkEvidence.run(doctorProject.doctorContext()))[0]?.evidence).toEqual([
    'SessionStart:compact: 5 minutes ago, ended well (the transcript of session s1)',
  ]);
});

test('recognises the hooks of a plugin by its hooks file, as the client records them', () => {
  const doctorProject = makeDoctorProject();
  const folder = installPlugin(doctorProject, 'node ${CLAUDE_PLUGIN_ROOT}/dist/hook.cjs');
  const [raw, substituted] = ['${CLAUDE_PLUGIN_ROOT}', folder].map(
    (start) => `node ${start}/dist/hook.cjs`,
  );
  for (const command of [raw ?? '', substituted ?? '']) {
    keepTranscript(doctorProject, 's1', [hookRecord(command, 'hook_success', 0, minutesAgo(5))]);
    expect(of('ok', checkEvidence.run(doctorProject.doctorContext()))[0]?.evidence).toEqual([
      'SessionStart:compact: 5 minutes ago, ended well (the transcript of session s1)',
    ]);
  }
});

describe('failures logged by hooks are shown', () => {
  const LOG = 'untracked/workflow-state/holdfast.log';

  test('the last three, as a warning if they are new', () => {
    const line = (minutes: number, words: string): string =>
      `${minutesAgo(minutes)} PreCompact ${words}`;
    const lines = [line(9, 'one'), line(8, 'two'), line(7, 'three'), line(6, 'four')];
    const { doctorContext } = makeDoctorProject({ [LOG]: `${lines.join('\n')}\n` });
    expect(of('warning', checkEvidence.run(doctorContext()))).toMatchObject([
      { evidence: lines.slice(1), fix: expect.stringContaining(LOG) },
    ]);
  });

  test('as a note if they are old', () => {
    const { doctorContext } = makeDoctorProject({
      [LOG]: '2024-01-01T00:00:00.000Z hook Error: old\n',
    });
    expect(of('note', checkEvidence.run(doctorContext()))).toMatchObject([
      { evidence: ['2024-01-01T00:00:00.000Z hook Error: old'] },
    ]);
  });

  test('does not read a log that is not a file', () => {
    const doctorProject = makeDoctorProject();
    doctorProject.fifo(LOG);
    expect(of('skipped', checkEvidence.run(doctorProject.doctorContext()))).toContainEqual(
      expect.objectContaining({ message: `${LOG} is not a readable file` }),
    );
  });
});
