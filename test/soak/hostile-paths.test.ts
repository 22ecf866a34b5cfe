import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { minimalState } from '../support/state.ts';
import type { Box } from './support/box.ts';
import { held } from './support/hostile-fields.ts';
import { faultsOf, fullProject, SESSION } from './support/hostile.ts';

const box = await fullProject();

/** Ways to name something that is not the project's; `file` is one of those outside. */
const WAYS: Record<string, (file: string) => string> = {
  'a way up': (file) => `../outside/${file}`,
  'a way down and up': (file) => `docs/../../outside/./${file}`,
  'an absolute path': (file) => join(box.tree, 'outside', file),
  'an absolute path through the project': (file) =>
    `${box.root}/../outside/${file}`,
  'the project by its placeholder': (file) =>
    `{project_root}/../outside/${file}`,
  'a home folder': () => '~/notes.md',
  'a home folder by its variable': () => '$HOME/notes.md',
  'an address': (file) => `file://${box.tree}/outside/${file}`,
  'a share of a network': (file) =>
    `\\\\localhost\\${box.tree}\\outside\\${file}`,
  'two slashes': (file) => `/${box.tree}/outside/${file}`,
  'a link to a folder': (file) => `out/${file}`,
  'a link to a file': () => 'out.md',
  'what a process has open': (file) => `/proc/self/cwd/../outside/${file}`,
  'a device': () => '/dev/zero',
};

/** Every value of a project that is read as a path. */
const NAMED_BY: Record<
  string,
  (given: Box, path: (file: string) => string) => void
> = {
  'detect.local_file': (given, path) =>
    settings(given, { detect: { local_file: path('text.md') } }),
  'detect.plans': (given, path) =>
    settings(given, {
      detect: {
        plans: [
          path('folder/*/PLAN.md'),
          path('folder/PLAN.md'),
          path('*/PLAN.md'),
        ],
      },
    }),
  'todo.file': (given, path) =>
    settings(given, { todo: { file: path('todo.md') } }),
  'artifacts of the settings': (given, path) =>
    settings(given, { critical_artifacts: artifacts(path) }),
  'required reading': (given, path) =>
    run(given, {
      required_reading: [`@${path('text.md')}`, `@${path('folder/a.md')}`],
    }),
  'artifacts of a run': (given, path) =>
    run(given, {
      artifacts: { spec: path('text.md') },
      context: { spec: path('text.md'), plan_id: path('text.md') },
      critical_artifacts: artifacts(path),
    }),
  'the source of a run': (given, path) =>
    run(given, {
      source: {
        kind: 'plan',
        path: path('folder/PLAN.md'),
        said: { workflow: 'x' },
      },
    }),
  'the todo list of a run': (given, path) =>
    run(given, { todo: { path: path('text.md'), owned: true } }),
  'sessions of a run': (given, path) =>
    run(given, {
      run_id: path('x'),
      sessions: {
        current_session_id: path('text.md'),
        session_history: [
          {
            session_id: path('text.md'),
            started_at: minimalState.created_at,
            handed_to: SESSION,
            environment: {
              cwd: path('folder'),
              git_commit: path('token'),
              checkout: path('x'),
            },
          },
        ],
      },
    }),
  'outputs of a run': (given, path) =>
    run(given, {
      outputs: {
        [path('text.md')]: { text: 'x', artefacts: [path('text.md')] },
      },
    }),
  'the local file': (given, path) =>
    given.write(
      'CLAUDE.local.md',
      `# Workflow State\nWorkflow: Local\nPhase: 2/4 - x\n@${path('text.md')}\n@${path('folder/a.md')}\n`,
    ),
  'a plan': (given, path) =>
    given.write(
      'CLAUDE/Plan/00001-one/PLAN.md',
      `# Plan 1: One\n\nStatus: In Progress\n\n## Phase 1: A\n@${path('text.md')} CLAUDE/${path('text.md')} .claude/${path('folder/a.md')}\n`,
    ),
  'memory files': (given, path) =>
    given.write(
      'CLAUDE.md',
      `@${path('text.md')}\n@${path('folder/a.md')}\n@docs/spec.md\n`,
    ),
  'a template': (given, path) =>
    given.write(
      '.claude/holdfast/workflows/built.json',
      JSON.stringify({
        extends: path('folder/built.yaml'),
        name: 'Built',
        description: 'x',
        steps: [
          {
            id: 'make',
            type: 'action',
            instructions: 'x',
            artefacts: [path('text.md')],
          },
        ],
        critical_artifacts: artifacts(path),
      }),
    ),
  'memories of sources': (given, path) =>
    given.write(
      'untracked/workflow-state/sources.json',
      JSON.stringify({
        sources: { [path('folder/PLAN.md')]: { run_id: 'x', said: {} } },
      }),
    ),
  git: (given, path) => given.write('.git/HEAD', `ref: ${path('token')}\n`),
  'a tree of git': (given, path) => {
    given.write('.git/commondir', path('folder'));
    given.write(
      '.git/packed-refs',
      `${'b'.repeat(40)} refs/heads/${path('x')}\n`,
    );
  },
};

function settings(given: Box, changes: object): void {
  given.write('.claude/holdfast.json', JSON.stringify(changes));
}

function run(given: Box, fields: object): void {
  const sessions = { current_session_id: SESSION, session_history: [] };
  given.write(
    held('held'),
    JSON.stringify({ ...minimalState, workflow: 'Held', sessions, ...fields }),
  );
}

function artifacts(path: (file: string) => string): object {
  const reload_triggers = [
    'session_start',
    'compaction',
    'manual',
    'phase_transition',
  ];
  return {
    always_load: [
      { id: 'a', type: 'markdown', path: path('text.md'), reload_triggers },
      { id: 'b', type: 'directory', path: path('folder'), reload_triggers },
      {
        id: 'c',
        type: 'json',
        path: path('state.json'),
        load_strategy: 'summary',
        reload_triggers,
      },
      {
        id: 'd',
        type: 'markdown',
        path_from_state: 'context.spec',
        reload_triggers,
      },
      { id: 'e', type: 'skill', path: path('text.md'), reload_triggers },
      { id: 'f', type: 'markdown', path: '{plan_id}', reload_triggers },
    ],
  };
}

test('no path out of the project is read, written or waited for', async () => {
  const cases = Object.entries(NAMED_BY).flatMap(([by, name]) =>
    Object.entries(WAYS).map(([way, path]) => ({
      what: `${by} names ${way}`,
      prepare: () => {
        symlinkSync(join(box.tree, 'outside'), join(box.root, 'out'));
        symlinkSync(
          join(box.tree, 'outside/text.md'),
          join(box.root, 'out.md'),
        );
        name(box, path);
      },
    })),
  );
  expect(
    await faultsOf({ suite: 'hostile-paths', box, cases, commandsEach: 5 }),
  ).toEqual([]);
});
