import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cloneAt, makeHub, type Hub, type TestClone } from '../support/clones.ts';
import { archived, onlyRun, stateFiles } from '../support/state.ts';

const TOKEN = ['ghp', 'abcdefghijklmnopqrstuvwxyz0123456789'].join('_');

function ok(result: { code: number | null; stdout: string; stderr: string }): string {
  if (result.code !== 0) throw new Error(`exit ${result.code}\n${result.stdout}\n${result.stderr}`);
  return result.stdout;
}

/** A clone with sync on and a run of three phases, which nobody else has yet. */
function one(): { hub: Hub; a: TestClone; runId: string } {
  const hub = makeHub();
  const a = hub.clone('a');
  ok(a.run(['start', 'Leak', '--phases', 'A,B,C']));
  ok(a.run(['sync', 'on', 'origin']));
  return { hub, a, runId: String(onlyRun(a.root).run_id) };
}

describe('a run with a secret that is completed and purged', () => {
  it('ends on the machines that have it, without the secret', () => {
    const { hub, a, runId } = one();
    ok(a.run(['sync']));
    const b = hub.clone('b');
    ok(b.run(['sync', 'on', 'origin']));
    ok(a.run(['advance', '--output', `key ${TOKEN}`]));
    const purged = a.run(['complete', '--purge']);
    ok(purged);
    expect(purged.stderr).toBe('');
    expect(ok(a.run(['sync']))).toContain('1 sent');
    expect(ok(b.run(['sync']))).toContain('Ended on another machine');
    expect(stateFiles(b.root)).toEqual([]);
    expect(archived(b.root)).toContain(`${runId}.json`);
    expect(a.git('cat-file', '--batch-all-objects', '--batch')).not.toContain(TOKEN);
    const fresh = hub.clone('fresh');
    ok(fresh.run(['sync', 'on', 'origin']));
    expect(stateFiles(fresh.root)).toEqual([]);
  });

  it('is not sent at all if it never was', () => {
    const { hub, a } = one();
    ok(a.run(['advance', '--output', `key ${TOKEN}`]));
    ok(a.run(['complete', '--purge']));
    expect(ok(a.run(['sync']))).toContain('everything was in step');
    expect(hub.git('for-each-ref', 'refs/holdfast')).toBe('');
    expect(a.json(['sync', 'status'])).toMatchObject({ runs: [], secrets: [] });
  });

  it('ends everywhere although another worktree of the clone had changed it', () => {
    const { hub, a, runId } = one();
    ok(a.run(['sync']));
    const b = hub.clone('b');
    ok(b.run(['sync', 'on', 'origin']));
    const elsewhere = cloneAt(join(hub.base, 'beside'), a.home);
    a.git('worktree', 'add', '-q', elsewhere.root);
    ok(elsewhere.run(['sync']));
    ok(elsewhere.run(['update', runId, '--set', 'x=1']));
    ok(a.run(['advance', '--output', `key ${TOKEN}`]));
    ok(a.run(['complete', '--purge']));
    for (const clone of [a, b, elsewhere]) ok(clone.run(['sync']));
    for (const clone of [a, b, elsewhere]) expect(stateFiles(clone.root)).toEqual([]);
  });
});

it('a run that was never sent and whose state file was deleted is not sent', () => {
  const { hub, a } = one();
  rmSync(join(a.root, 'untracked/workflow-state'), { recursive: true });
  ok(a.run(['sync']));
  expect(hub.git('for-each-ref', 'refs/holdfast')).toBe('');
});

/** The file that the message tells to edit, and which fields of it. */
function editedByHand(text: string): { fields: string[]; file: string } {
  const told = [...text.matchAll(/change ((?:\S+, )*\S+) in (\S+) with an editor/g)];
  return {
    fields: told.flatMap(([, fields = '']) => fields.split(', ')),
    file: told[0]?.[2] ?? '',
  };
}

describe('a secret in a field that no command changes', () => {
  it.each([
    ['outputs', 'outputs.1.text', [['advance', '--output', `key ${TOKEN}`]]],
    ['a reason to pause', 'status_reason', [['pause', '--reason', `key ${TOKEN}`]]],
    ['a failure', 'failure.reason', [['fail', '--reason', `key ${TOKEN}`]]],
    ['a skipped phase', 'skipped.2', [['skip', '--phase', '2', '--reason', `key ${TOKEN}`]]],
    ['the archive', 'outputs.1.text', [['advance', '--output', `key ${TOKEN}`], ['complete']]],
  ])('%s: its file is named, and the next sync accepts the edited one', (_, field, commands) => {
    const { a, runId } = one();
    ok(a.run(['sync']));
    for (const words of commands) ok(a.run(words));
    const refused = a.run(['sync'], { code: 1 });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`${field} of ${runId} (a GitHub token)`);
    expect(refused.stderr).not.toContain(TOKEN);
    const named = editedByHand(refused.stderr);
    expect(named.fields).toContain(field);
    const status = ok(a.run(['sync', 'status']));
    expect(editedByHand(status)).toEqual(named);
    expect(status).not.toContain('Next: holdfast sync');
    const path = join(a.root, named.file);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(TOKEN, 'removed'));
    expect(ok(a.run(['sync', 'status']))).toContain('Next: holdfast sync');
    expect(ok(a.run(['sync']))).toContain('1 sent');
    expect(a.git('cat-file', '--batch-all-objects', '--batch')).not.toContain(TOKEN);
  });
});

describe('a secret in a field with a command', () => {
  it.each([
    ['a fact', ['--set', `deploy=${TOKEN}`], ['--set-local deploy=<value>', '--unset deploy']],
    ['a nested fact', ['--set', `x={"a.b":"${TOKEN}"}`], ['--set-local x=<value>', '--unset x']],
    ['a reminder', ['--remind', `use ${TOKEN}`], ['--forget "<part of its text>"']],
    ['a required file', ['--read', `docs/${TOKEN}.md`], ['--unread "<part of its path>"']],
    ['an artifact', ['--artifact', `spec=${TOKEN}`], ['--artifact spec=<path>']],
    ['the current phase', ['--name', TOKEN], ['--name "<name>"']],
    ['a later phase', ['--phases', `A,B,${TOKEN}`], ['--phases "<all names>"']],
  ])('%s: each command that is named lets the next sync through', (_, words, named) => {
    const { a, runId } = one();
    for (const command of named) {
      ok(a.run(['update', ...words]));
      const refused = a.run(['sync'], { code: 1 });
      expect(refused.code).toBe(1);
      for (const text of [refused.stderr, ok(a.run(['sync', 'status']))])
        for (const each of named) expect(text).toContain(`\`holdfast update ${runId} ${each}\``);
      const [option = '', ...value] = command.split(' ');
      const typed = value
        .join(' ')
        .replaceAll('"', '')
        .replace('<part of its text>', TOKEN.slice(0, 12))
        .replace('<part of its path>', TOKEN.slice(0, 12))
        .replace('<all names>', 'A,B,C')
        .replace(/<\w+>/, option === '--set-local' ? TOKEN : 'fine.md');
      ok(a.run(['update', runId, option, typed]));
      ok(a.run(['sync']));
      expect(a.git('cat-file', '--batch-all-objects', '--batch')).not.toContain(TOKEN);
    }
  });
});
