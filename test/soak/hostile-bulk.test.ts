import { linkSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fse from 'fs-extra';
import { afterAll, expect, test } from 'vitest';
import { minimalState } from '../support/state.ts';
import { Box } from './support/box.ts';
import { publish } from './support/figures.ts';
import {
  boundsIn,
  forMakingRuns,
  fullProject,
  hookFaults,
  hooksIn,
} from './support/hostile.ts';
import { measuredHook } from './support/measured.ts';
import { scaled } from './support/scale.ts';

const STATE = 'untracked/workflow-state';
const PLAN = '# Plan 1: One\n\n**Status**: 🔄 In Progress\n\n### Phase 1: A\n';
const SPEC =
  '# Tasks: One\n\n## Phase 1: A\n\n- [ ] T001 a\n- [ ] T002 b\n\n## Phase 2: B\n\n- [ ] T003 c\n';
const MEGABYTE = 999_000;
const bounds = boundsIn(await fullProject());
const worst = { ms: 0, megabytes: 0, what: '' };
const plans = scaled(100_000);

/** As many as wanted of one file: hard links, so that they fit on the disk. */
function copies(box: Box, text: string, paths: string[]): void {
  let model = '';
  for (const [index, path] of paths.entries()) {
    // A file can have some 65,000 names.
    if (index % 30_000 === 0) {
      model = join(box.base, `model-${index}`);
      fse.outputFileSync(model, text);
    }
    fse.mkdirpSync(dirname(join(box.root, path)));
    linkSync(model, join(box.root, path));
  }
}

function numbered(count: number, name: (index: number) => string): string[] {
  return Array.from({ length: count }, (_, index) => name(index));
}

function run(fields: object = {}): string {
  return JSON.stringify({ ...minimalState, ...fields });
}

function stateOf(name: string): string {
  return `${STATE}/${name}/state-${name}-20251209_143052.json`;
}

function planOf(index: number): string {
  return `CLAUDE/Plan/${index}/PLAN.md`;
}

function specOf(index: number): string {
  return `specs/${String(index).padStart(4, '0')}-a/tasks.md`;
}

const nested = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;

const BULK: Record<string, (box: Box) => void> = {
  [`${plans} plans`]: (box) => copies(box, PLAN, numbered(plans, planOf)),
  '2,000 plans of 30,000 phases': (box) => {
    const phases = numbered(
      30_000,
      (index) => `### Phase ${index}: name ${index}\n`,
    ).join('');
    copies(box, (PLAN + phases).slice(0, MEGABYTE), numbered(2_000, planOf));
  },
  '1,000 spec folders with plans under way': (box) =>
    copies(box, SPEC.replace('[ ]', '[x]'), numbered(1_000, specOf)),
  '300 plans of a megabyte of each tool': (box) => {
    for (const path of [
      specOf,
      (index: number) => `openspec/changes/c${index}/tasks.md`,
      (index: number) => `.planning/p${index}/task_plan.md`,
      (index: number) => `docs/superpowers/plans/p${index}.md`,
      (index: number) => `.kiro/specs/s${index}/tasks.md`,
    ]) {
      const text = `${SPEC.replace('[ ]', '[x]')}${'- [ ] 1.1 item of the list\n'.repeat(50_000)}`;
      copies(box, text.slice(0, MEGABYTE), numbered(300, path));
    }
    box.write(
      '.planning/STATE.md',
      'Phase: 1 of 2 (A)\n'.repeat(50_000).slice(0, MEGABYTE),
    );
  },
  '200 state files of 5 MB': (box) => {
    const text = run({ context: { text: 'x'.repeat(4_900_000) } });
    copies(
      box,
      text,
      numbered(200, (index) => stateOf(`w${index}`)),
    );
  },
  'a state file nested without end': (box) =>
    box.write(
      stateOf('w'),
      run({ context: 0 }).replace('"context":0', `"context":${nested}`),
    ),
  'a reading list of 150,000 files': (box) =>
    box.write(
      stateOf('w'),
      run({ required_reading: numbered(150_000, (index) => `@r${index}`) }),
    ),
  '1,000 required files of a megabyte': (box) => {
    const names = numbered(1_000, (index) => `r${index}`);
    copies(box, 'x'.repeat(MEGABYTE), names);
    box.write(
      stateOf('w'),
      run({ required_reading: names.map((name) => `@${name}`) }),
    );
  },
  'a local file of 100,000 entries': (box) => {
    const entries = numbered(100_000, (index) => `@r${index}\n`).join('');
    const text = `# Workflow State\nWorkflow: x\nPhase: 1/2\n${entries}`;
    box.write('CLAUDE.local.md', text.slice(0, MEGABYTE));
  },
  '200 memory files of 100,000 imports': (box) => {
    box.write('CLAUDE.md', numbered(200, (index) => `@f${index}`).join('\n'));
    const text = numbered(140_000, (index) => `@x${index}`).join(' ');
    copies(
      box,
      text.slice(0, MEGABYTE),
      numbered(200, (index) => `f${index}`),
    );
  },
  'folders in a circle, and a pattern of thirty stars': (box) => {
    for (const name of ['a', 'b', 'c']) symlinkSync('.', join(box.root, name));
    const plansAt = [Array(30).fill('*').join('/')];
    box.write(
      '.claude/holdfast.json',
      JSON.stringify({ detect: { plans: plansAt } }),
    );
  },
  '40,000 patterns': (box) => {
    const plansAt = numbered(40_000, (index) => `CLAUDE/Plan/*/P${index}`);
    box.write(
      '.claude/holdfast.json',
      JSON.stringify({ detect: { plans: plansAt } }),
    );
    for (const index of Array(2_000).keys())
      fse.mkdirpSync(join(box.root, dirname(planOf(index))));
  },
  'a pattern of 400,000 signs': (box) => {
    const plansAt = [`CLAUDE/Plan/${'*?'.repeat(200_000)}/PLAN.md`];
    box.write(
      '.claude/holdfast.json',
      JSON.stringify({ detect: { plans: plansAt } }),
    );
    for (const name of numbered(500, (index) => `${index}${'x'.repeat(200)}`))
      fse.mkdirpSync(join(box.root, 'CLAUDE/Plan', name));
  },
  'settings nested without end': (box) =>
    box.write('.claude/holdfast.json', `{"critical_artifacts":${nested}}`),
  'records of sources of 18 MB': (box) => {
    const text = `{"sources":{"a":[${'{},'.repeat(6_000_000)}{}]}}`;
    copies(box, text, [`${STATE}/sources.json`]);
  },
};

afterAll(() => {
  publish('hostile-bulk', {
    projects: Object.keys(BULK).length,
    plans,
    hook_memory_at_most_mb: Math.round(worst.megabytes),
    slowest_hook_ms: Math.round(worst.ms),
    slowest_hook: worst.what,
  });
});

const FOLDERS: Record<string, (root: string) => string> = {
  'short names': (root) => root + '/a'.repeat(1_000_000),
  'one name': (root) => `${root}/${'a'.repeat(2_000_000)}`,
  slashes: (root) => root + '/'.repeat(2_000_000),
  'ways up': (root) => root + '/a/..'.repeat(400_000),
  'a relative path': () => 'a/'.repeat(1_000_000),
  'nothing but NUL': (root) => `${root}/${'\u0000'.repeat(1_000_000)}`,
};

test.each(Object.keys(FOLDERS))(
  'a working folder of megabytes, %s: hooks answer in time and with little memory',
  async (name) => {
    const box = await fullProject();
    const cwd = FOLDERS[name]?.(box.root) ?? '';
    const faults = hooksIn(box, { cwd }).flatMap((call) =>
      hookFaults(call, measuredHook(box, call.payload, call.event), bounds),
    );
    expect(faults).toEqual([]);
    fse.removeSync(box.base);
  },
);

test.each(Object.keys(BULK))(
  '%s: hooks answer in time and with little memory',
  (name) => {
    const box = new Box();
    box.write('docs/RELEASING.md', 'How.\n');
    box.write(stateOf('kept'), run({ workflow: 'Kept' }));
    BULK[name]?.(box);
    const faults = hooksIn(box).flatMap((call) => {
      const made = measuredHook(box, call.payload, call.event);
      worst.megabytes = Math.max(worst.megabytes, made.megabytes);
      if (made.ms > worst.ms)
        Object.assign(worst, { ms: made.ms, what: `${call.event}: ${name}` });
      return hookFaults(
        call,
        made,
        name.includes('plans') ? forMakingRuns(bounds) : bounds,
      );
    });
    expect(faults).toEqual([]);
    fse.removeSync(box.base);
  },
);
