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
  makePatient,
  of,
  settingsWith,
  type Patient,
} from '../support.ts';
import { boundary, compactedAt, hookRecord, OTHER, OURS } from '../transcripts-support.ts';

const settings = settingsWith(commandFor('/home/dev/.claude/holdfast/dist/hook.cjs'));

/** A project that was wired an hour ago. */
function wired(): Patient {
  const patient = makePatient({ [LOCAL]: settings });
  age(patient.at(LOCAL), 3_600);
  return patient;
}

function keepTranscript(patient: Patient, session: string, lines: string[]): void {
  const folder = patient.root.replace(/[^A-Za-z0-9]/g, '-');
  patient.configure(`projects/${folder}/${session}.jsonl`, `${lines.join('\n')}\n`);
}

const minutesAgo = (minutes: number): string =>
  new Date(Date.now() - minutes * 60_000).toISOString();

test('without a transcript or a registered hook nothing was looked at', () => {
  const findings = checkEvidence.run(makePatient().examined());
  expect(levels(findings)).toEqual(['skipped', 'skipped', 'ok']);
});

test('hooks without a trace are no fault: one that has nothing to do leaves none', () => {
  const findings = checkEvidence.run(wired().examined());
  expect(of('note', findings)).toMatchObject([{ fix: expect.stringContaining('/compact') }]);
  expect(of('warning', findings)).toEqual([]);
});

test('when each hook last fired is told from the client, the journal and the memory of hooks', () => {
  const patient = wired();
  keepTranscript(patient, 'abcdef01-2345', [
    hookRecord(OURS, 'hook_success', 0, minutesAgo(50)),
    hookRecord(OURS, 'hook_success', 0, minutesAgo(5)),
  ]);
  const { store, now } = patient.examined();
  const run = store.transaction((tx) =>
    tx.create(aState(), { event: 'detected', by: 'hook PreCompact' }),
  );
  store.transaction((tx) => {
    tx.write(run, run.state, { event: 'session_ended', reason: 'clear' });
    tx.keepHookMemory({ ...tx.hookMemory, due: { s: now.getTime() - 120_000 } });
  });
  const [fired] = of('ok', checkEvidence.run(patient.examined()));
  expect(fired?.evidence?.toSorted()).toEqual([
    'PostCompact: 2 minutes ago, ended well (the state)',
    'PreCompact: just now, ended well (the state)',
    'SessionEnd: just now, ended well (the state)',
    'SessionStart:compact: 5 minutes ago, ended well (the transcript of session abcdef01)',
  ]);
});

test('a hook that failed the last time it ran is a warning', () => {
  const patient = wired();
  const failure = hookRecord(OURS, 'hook_non_blocking_error', 1, minutesAgo(2));
  keepTranscript(patient, 's1', [hookRecord(OURS, 'hook_success', 0, minutesAgo(3)), failure]);
  expect(of('warning', checkEvidence.run(patient.examined()))).toMatchObject([
    {
      evidence: ['SessionStart:compact: Failed with status code 1'],
      fix: 'holdfast init --scope local',
    },
  ]);
  keepTranscript(patient, 's1', [failure, hookRecord(OURS, 'hook_success', 0, minutesAgo(1))]);
  expect(of('warning', checkEvidence.run(patient.examined()))).toEqual([]);
});

describe('hooks that are registered and not run', () => {
  const warning = { message: 'hooks are registered, but the client did not run them' };

  test('a compaction that lists other hooks only', () => {
    const patient = wired();
    const at = minutesAgo(5);
    keepTranscript(patient, 's1', [boundary(at), compactedAt(at, OTHER)]);
    expect(of('warning', checkEvidence.run(patient.examined()))).toMatchObject([
      { ...warning, evidence: ['session s1 was compacted 5 minutes ago without a holdfast hook'] },
    ]);
    expect(of('note', checkEvidence.run(patient.examined()))).toEqual([]);
  });

  test('a compaction by itself in a session that holds a run', () => {
    const patient = wired();
    const { store } = patient.examined();
    const began = new Date(Date.now() - 10 * 60_000);
    const held = hold(aState(), 's1', { hostname: 'this-machine' }, began);
    store.transaction((tx) => tx.create(held, { event: 'started' }));
    keepTranscript(patient, 's1', [boundary(minutesAgo(5))]);
    expect(of('warning', checkEvidence.run(patient.examined()))).toMatchObject([warning]);
    keepTranscript(patient, 's1', [
      boundary(minutesAgo(5)),
      hookRecord(OURS, 'hook_success', 0, minutesAgo(5)),
    ]);
    expect(of('warning', checkEvidence.run(patient.examined()))).toEqual([]);
  });

  test.each([
    ['that lists ours', () => minutesAgo(5), OURS],
    ['from before they were registered', () => minutesAgo(90), OTHER],
  ])('not so a compaction %s', (_name, at, command) => {
    const patient = wired();
    keepTranscript(patient, 's1', [boundary(at()), compactedAt(at(), command)]);
    expect(of('warning', checkEvidence.run(patient.examined()))).toEqual([]);
  });
});

test('of a project with many transcripts the newest three are read, and of each its end', () => {
  const patient = wired();
  for (const [index, session] of ['old', 'b', 'c', 'd'].entries()) {
    keepTranscript(patient, session, [hookRecord(OURS, 'hook_success', 0, minutesAgo(9 - index))]);
    const folder = patient.root.replace(/[^A-Za-z0-9]/g, '-');
    age(`${patient.config}/projects/${folder}/${session}.jsonl`, 100 - index);
  }
  const padding = JSON.stringify({ type: 'user', text: 'x'.repeat(2_100_000) });
  keepTranscript(patient, 'd', [hookRecord(OURS, 'hook_success', 0, minutesAgo(1)), padding]);
  const looked = of('ok', checkEvidence.run(patient.examined())).find(({ message }) =>
    message.endsWith('of the client read'),
  );
  expect(looked?.evidence).toEqual([
    'session d: 0 compactions, 0 records of our hooks',
    'session c: 0 compactions, 1 record of our hooks',
    'session b: 0 compactions, 1 record of our hooks',
  ]);
});

test('odd things among the transcripts are passed over, and the others read', () => {
  const patient = wired();
  keepTranscript(patient, 's1', [hookRecord(OURS, 'hook_success', 0, minutesAgo(5))]);
  const folder = join(patient.config, 'projects', patient.root.replace(/[^A-Za-z0-9]/g, '-'));
  symlinkSync(join(patient.outside, 'gone'), join(folder, 'dangling.jsonl'));
  symlinkSync(join(folder, 'loop.jsonl'), join(folder, 'loop.jsonl'));
  mkdirSync(join(folder, 'folder.jsonl'));
  execFileSync('mkfifo', [join(folder, 'fifo.jsonl')]);
  expect(of('ok', checkEvidence.run(patient.examined()))[0]?.evidence).toEqual([
    'SessionStart:compact: 5 minutes ago, ended well (the transcript of session s1)',
  ]);
});

test('the hooks of a plugin are known by what its file says, as the client writes them down', () => {
  const patient = makePatient();
  const folder = installPlugin(patient, 'node ${CLAUDE_PLUGIN_ROOT}/dist/hook.cjs');
  const [raw, substituted] = ['${CLAUDE_PLUGIN_ROOT}', folder].map(
    (start) => `node ${start}/dist/hook.cjs`,
  );
  for (const command of [raw ?? '', substituted ?? '']) {
    keepTranscript(patient, 's1', [hookRecord(command, 'hook_success', 0, minutesAgo(5))]);
    expect(of('ok', checkEvidence.run(patient.examined()))[0]?.evidence).toEqual([
      'SessionStart:compact: 5 minutes ago, ended well (the transcript of session s1)',
    ]);
  }
});

describe('failures that hooks have logged are shown', () => {
  const LOG = 'untracked/workflow-state/holdfast.log';

  test('the last three, as a warning where they are new', () => {
    const line = (minutes: number, words: string): string =>
      `${minutesAgo(minutes)} PreCompact ${words}`;
    const lines = [line(9, 'one'), line(8, 'two'), line(7, 'three'), line(6, 'four')];
    const { examined } = makePatient({ [LOG]: `${lines.join('\n')}\n` });
    expect(of('warning', checkEvidence.run(examined()))).toMatchObject([
      { evidence: lines.slice(1), fix: expect.stringContaining(LOG) },
    ]);
  });

  test('as a note where they are old', () => {
    const { examined } = makePatient({ [LOG]: '2024-01-01T00:00:00.000Z hook Error: old\n' });
    expect(of('note', checkEvidence.run(examined()))).toMatchObject([
      { evidence: ['2024-01-01T00:00:00.000Z hook Error: old'] },
    ]);
  });

  test('a log that is no file was not read', () => {
    const patient = makePatient();
    patient.fifo(LOG);
    expect(of('skipped', checkEvidence.run(patient.examined()))).toContainEqual(
      expect.objectContaining({ message: `${LOG} is not a readable file` }),
    );
  });
});
