import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Report } from '../../src/doctor/types.ts';
import { commandFor } from '../../src/install/plan/hook-command.ts';
import { hookEntries } from '../../src/install/plan/hook-entry.ts';
import { repository, sandbox, type Sandbox } from '../support/cli.ts';
import { stateFiles, writeTree } from '../support/state.ts';

const SETTINGS = '.claude/settings.local.json';

/** Settings that register the built hooks. */
function registered(): string {
  const entries = hookEntries(commandFor(join(repository, 'bin/hook.sh')), false);
  const hooks = entries.map(({ event, matcher, hook }) => [event, [{ matcher, hooks: [hook] }]]);
  return JSON.stringify({ hooks: Object.fromEntries(hooks) });
}

function report(box: Sandbox, ...words: string[]): Report & { error?: { code: string } } {
  return JSON.parse(box.run(['doctor', '--json', ...words]).stdout);
}

describe('doctor', () => {
  it('looks at a project with nothing at all, ends with 1 and leaves nothing behind', () => {
    const box = sandbox();
    const { code, stdout, stderr } = box.run(['doctor']);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^Registration\n {2}broken {3}no settings register the hooks\n {11}fix: holdfast init$/m,
    );
    expect(stdout).toMatch(/\n1 broken.*\.\n$/);
    expect(stderr).toMatch(/^holdfast: 1 check failed; /);
    expect(readdirSync(box.root)).toEqual(['.git']);
    expect(readdirSync(box.home)).toEqual([]);
  });

  it('exits with 0 if the registered hooks work, and shows the evidence with --verbose', () => {
    const box = sandbox({ [SETTINGS]: registered() });
    expect(box.run(['doctor']).stdout.split('\n').length).toBeLessThan(12);
    const { code, stdout, stderr } = box.run(['doctor', '--verbose']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      / {2}ok {7}the command of \.claude\/settings\.local\.json works as registered\n/,
    );
    expect(stdout).toMatch(/ {11}SessionStart: exit 0, \d+ characters, \d+ ms\n/);
    expect(stdout).toContain('Nothing is broken');
    expect(readdirSync(box.root).toSorted()).toEqual(['.claude', '.git']);
  });

  it('prints the whole report as JSON, beside the error if something is broken', () => {
    const box = sandbox({ [SETTINGS]: '{ // mine\n}' });
    const { error, root, findings, summary } = report(box);
    expect(error).toMatchObject({ code: 'unhealthy' });
    expect(root).toBe(box.root);
    expect(summary).toMatchObject({ broken: 2, fixed: 0 });
    expect(findings).toContainEqual({
      check: 'settings',
      level: 'broken',
      message: `${SETTINGS} is not strict JSON, so Claude Code ignores the whole file`,
      evidence: [`${SETTINGS}:1: a comment`],
      fix: `correct line 1 of ${SETTINGS} by hand`,
      fixable: false,
    });
  });

  it('honours the folder that CLAUDE_CONFIG_DIR names', () => {
    const box = sandbox();
    const config = join(box.home, 'mine');
    mkdirSync(config);
    writeFileSync(join(config, 'settings.json'), registered());
    expect(box.run(['doctor'], { env: { CLAUDE_CONFIG_DIR: config } }).code).toBe(0);
    expect(box.run(['doctor']).code).toBe(1);
  });

  it('mends with --fix, and only then', () => {
    const lock = 'untracked/workflow-state/.lock';
    const box = sandbox({ [lock]: '4194305-x 4194305 elsewhere' });
    const look = report(box);
    expect(look.findings.filter(({ check }) => check === 'lock')).toMatchObject([
      { level: 'note', fixable: false },
    ]);
    writeTree(box.root, { 'untracked/workflow-state/.tmp-x-1': '' });
    rmSync(join(box.root, lock));
    expect(report(box).summary.warnings).toBe(1);
    writeTree(box.root, { [SETTINGS]: registered() });
    const mended = box.run(['doctor', '--fix']);
    expect(mended.code).toBe(0);
    expect(mended.stdout).toMatch(/ {2}fixed {4}removed untracked\/workflow-state\/\.tmp-x-1\n/);
    expect(report(box).summary).toMatchObject({ warnings: 0, fixed: 0 });
  });

  it('leaves nothing of its trial among what hooks recorded about sessions', () => {
    const box = sandbox();
    box.run(['init', '--scope', 'local']);
    expect(box.run(['doctor']).code).toBe(0);
    const sessions = join(box.home, '.claude/holdfast/sessions');
    const left = existsSync(sessions) ? readdirSync(sessions, { recursive: true }) : [];
    expect(left.filter((name) => name !== 'owed')).toEqual([]);
  });

  it('names a slash command that is gone, and the command that brings it back', () => {
    const box = sandbox();
    box.run(['init']);
    const file = join(box.root, '.claude/commands/holdfast/resume.md');
    rmSync(file);
    const found = report(box).findings.filter(({ level }) => level === 'warning');
    expect(found).toMatchObject([
      {
        check: 'registration',
        evidence: [`missing: ${file}`],
        fix: 'holdfast init --scope local',
      },
    ]);
    box.run(['init', '--scope', 'local']);
    expect(existsSync(file)).toBe(true);
    expect(report(box).summary.warnings).toBe(0);
  });

  it('does not note the session as seen: it only looks', () => {
    const box = sandbox({ [SETTINGS]: registered() });
    box.run(['start', 'Feature'], { session: 's1' });
    const [path = ''] = stateFiles(box.root);
    const file = join(box.root, path);
    const faded = readFileSync(file, 'utf8').replaceAll(
      /"(last_seen_at|started_at)": "[^"]+"/g,
      `"$1": "${new Date(Date.now() - 3_600_000).toISOString()}"`,
    );
    writeFileSync(file, faded);
    expect(box.run(['doctor'], { session: 's1' }).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(faded);
    box.run(['status'], { session: 's1' });
    expect(readFileSync(file, 'utf8')).not.toBe(faded);
  });
});
