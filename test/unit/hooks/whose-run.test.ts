import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { postCompact } from '../../../src/hooks/post-compact.ts';
import { preCompact } from '../../../src/hooks/pre-compact.ts';
import { sessionEnd } from '../../../src/hooks/session-end.ts';
import { sessionStart } from '../../../src/hooks/session-start.ts';
import { userPromptSubmit } from '../../../src/hooks/user-prompt-submit.ts';
import { previewGuidance } from '../../../src/runs/preview-guidance.ts';
import { holderOf } from '../../../src/sessions/holder.ts';
import { makeProject, type Project } from '../../support/project.ts';
import { heldBy, NOW } from '../../support/runs.ts';
import { createRun, storeOf } from '../../support/store.ts';
import { contextIn } from '../runs/support.ts';
import { hookContext, type HookFields } from './support.ts';
const ENDED = { ended_at: NOW.toISOString(), end_reason: 'prompt_input_exit' };
const later = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1_000);

const holder = (project: Project, slug: string): string | null => {
  const run = storeOf(project)
    .list()
    .runs.find((candidate) => candidate.slug === slug);
  return run === undefined ? null : holderOf(run.state);
};
const before = (project: Project, fields: HookFields = {}): string =>
  preCompact(hookContext(project, { event: 'PreCompact', ...fields })) ?? '';
const start = (project: Project, source: string, fields: HookFields = {}): string =>
  sessionStart(hookContext(project, { ...fields, raw: { source, ...fields.raw } })) ?? '';
const end = (project: Project, reason: string, fields: HookFields = {}): unknown =>
  sessionEnd(hookContext(project, { event: 'SessionEnd', ...fields, raw: { reason } }));

describe('where nothing decides', () => {
  function undecided(): Project {
    const project = makeProject({ 'transcript.jsonl': '' });
    for (const workflow of ['One', 'Two']) createRun(storeOf(project), { workflow });
    return project;
  }
  const inSession = (project: Project): HookFields => ({
    raw: { transcript_path: project.at('transcript.jsonl') },
  });

  test('the candidates are listed, and the summary decides', () => {
    const project = undecided();
    const asked = before(project, inSession(project));
    expect(asked).toContain('holdfast run: <id>');
    expect(start(project, 'compact', inSession(project))).toContain('WORKFLOWS IN PROGRESS');
    const [, id = ''] = /(two-\S+):/.exec(asked) ?? [];
    const compact_summary = `We worked.\n\nholdfast run: ${id}\n`;
    postCompact(hookContext(project, { event: 'PostCompact', raw: { compact_summary } }));
    expect(holder(project, 'two')).toBe('s1');
    const fields = { event: 'UserPromptSubmit', now: later(60) };
    const prompt = userPromptSubmit(hookContext(project, fields)) ?? '';
    expect(prompt).toContain('Workflow: Two');
    expect(prompt).toContain('holdfast release');
    expect(userPromptSubmit(hookContext(project, { ...fields, now: later(90) }))).toBeNull();
  });

  test('it stays so after the compaction, although another session has taken one meanwhile', () => {
    const project = undecided();
    before(project, inSession(project));
    const environment = hookContext(project, {});
    createRun(storeOf(project), {
      workflow: 'Three',
      ...heldBy('s2', { environment: { hostname: environment.hostname } }),
    });
    storeOf(project).transaction((tx) => {
      for (const run of tx.runs.filter(({ slug }) => slug === 'two'))
        tx.write(run, { ...run.state, status: 'paused' });
    });
    expect(start(project, 'compact', inSession(project))).toContain('WORKFLOWS IN PROGRESS');
    expect(holder(project, 'one')).toBeNull();
  });

  test.each([
    ['held last is taken because of the summary, as a guess', ENDED, 's1', { by: 'evidence' }],
    ['holds, and that is live, is not', {}, 'other', undefined],
  ])('a run that another session %s', (_, fields, owner, hold) => {
    const project = makeProject({ 'transcript.jsonl': '' });
    const { hostname } = hookContext(project, {});
    const held = heldBy('other', { environment: { hostname }, ...fields });
    const { runId } = createRun(storeOf(project), held);
    before(project, inSession(project));
    expect(holder(project, 'feature')).toBe('other');
    const compact_summary = `holdfast run: ${runId}`;
    postCompact(hookContext(project, { event: 'PostCompact', raw: { compact_summary } }));
    expect(holder(project, 'feature')).toBe(owner);
    expect(storeOf(project).list().runs[0]?.state.hold).toEqual(hold);
  });
});

test('hooks and `guidance` agree in a copied checkout', () => {
  const project = makeProject();
  const { hostname } = hookContext(project, {});
  const environment = { hostname, checkout: 'another' };
  createRun(storeOf(project), heldBy('a', { environment }));
  const context = { ...contextIn(project, 'b'), checkout: hookContext(project, {}).checkout };
  const { restoration } = previewGuidance(context, undefined, 'compact');
  expect(restoration.choice.kind).toBe('candidates');
  expect(start(project, 'compact', { session: 'b' })).toContain('WORKFLOWS IN PROGRESS');
});

describe('a session that changes its folder', () => {
  function nested(): Project {
    const project = makeProject({ '.git/HEAD': 'x', 'packages/b/.claude/settings.json': '{}' });
    createRun(storeOf(project), heldBy('s1'));
    return project;
  }

  test('keeps its run', () => {
    const project = nested();
    const cwd = project.at('packages/b');
    expect(before(project, { cwd })).toContain('- Workflow: Feature');
    expect(project.exists('packages/b/untracked')).toBe(false);
  });

  test('keeps it across a /clear, with and without a known client process', () => {
    for (const CLAUDE_PID of [String(process.pid), '']) {
      const project = nested();
      const cwd = project.at('packages/b');
      const environment = CLAUDE_PID === '' ? {} : { CLAUDE_PID };
      end(project, 'clear', { cwd, environment });
      const given = start(project, 'clear', { session: 's2', cwd, environment, now: later(1) });
      expect(given).toContain('Workflow: Feature');
      expect(holder(project, 'feature')).toBe('s2');
    }
  });
});

test.each<[string, (folder: string) => void]>([
  ['a file', (folder) => writeFileSync(folder, '')],
  ['a folder that cannot be written', (folder) => mkdirSync(folder, { mode: 0o500 })],
  ['a link to itself', (folder) => symlinkSync(folder, folder)],
])('no hook fails if the configuration folder is %s', (_, make) => {
  const project = makeProject();
  const CLAUDE_CONFIG_DIR = join(project.outside, 'broken');
  make(CLAUDE_CONFIG_DIR);
  const environment = { CLAUDE_CONFIG_DIR };
  createRun(storeOf(project), heldBy('s1'));
  end(project, 'clear', { environment });
  const given = start(project, 'clear', { session: 's2', environment, now: later(1) });
  expect(given).toContain('Feature');
  expect(before(project, { session: 's2', environment, now: later(9) })).not.toContain('Error');
});
