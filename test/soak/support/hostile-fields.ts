import { join } from 'node:path';
import fse from 'fs-extra';
import { minimalState } from '../../support/state.ts';
import type { Box } from './box.ts';
import { SESSION } from './hostile.ts';

const STATE = 'untracked/workflow-state';
const AT = '2025-12-09T14:30:52.000Z';
const TRIGGERS = ['session_start', 'compaction', 'manual'];

/** Where names and texts of others come from, each written with the same text in all its parts. */
export const FIELDS: Record<string, (box: Box, text: string) => void> = {
  'a run': (box, text) => box.write(held('held'), JSON.stringify(run(text))),
  'a run of a template': (box, text) =>
    box.write(held('led'), JSON.stringify(ledRun(text))),
  'the names of state files': (box, text) => {
    const state = JSON.stringify(minimalState);
    for (const name of fileNames(text)) {
      put(box, `${STATE}/${name}/state-${name}-20251209_143052.json`, state);
      put(box, `${STATE}/plain/state-${name}.json`, state);
      put(box, `untracked/workflow-archive/${name}.json`, state);
    }
  },
  'the local file': (box, text) =>
    box.write(
      'CLAUDE.local.md',
      `# Workflow State\nWorkflow: ${text}\nType: ${text}\nPhase: 2/4 - ${text}\n@${text}\nKey Reminders:\n- ${text}\nContext:\n- ${text}: ${text}\n- __proto__: x\n`,
    ),
  'a plan and its folder': (box, text) => {
    const plan = `# Plan 1: ${text}\n\n**Status**: In Progress (${text})\n\n### Phase 1: ${text}\n### Phase 2: B\nCLAUDE/${text}.md\n`;
    box.write('CLAUDE/Plan/00001-one/PLAN.md', plan);
    for (const name of fileNames(text))
      put(box, `CLAUDE/Plan/${name}/PLAN.md`, plan);
  },
  'a template': (box, text) =>
    box.write(`${TEMPLATES}/built.json`, JSON.stringify(template(text))),
  'the names of templates': (box, text) => {
    const built = JSON.stringify({ ...template('plain'), name: text });
    for (const name of fileNames(text))
      put(box, `${TEMPLATES}/${name}.json`, built);
  },
  'the settings': (box, text) =>
    box.write(
      '.claude/holdfast.json',
      withProto(JSON.stringify(settings(text))),
    ),
  'lists, logs and memories': (box, text) => {
    const entry = {
      event: text,
      at: text,
      by: text,
      session: text,
      [text]: text,
    };
    box.write('TODO.md', `# ${text}\n- [ ] ${text}\n- [ ] two\n`);
    box.write('untracked/workflow-state/holdfast.log', `${AT} ${text}\n`);
    box.write(
      held('held').replace('/state-', '/events-') + 'l',
      `${JSON.stringify(entry)}\n`,
    );
    for (const name of ['hooks', 'sources', 'runs'])
      box.write(
        `${STATE}/${name}.json`,
        withProto(JSON.stringify(memory(text))),
      );
    box.write('.git/HEAD', `ref: refs/heads/${text}\n`);
    box.write(`${STATE}/.lock`, `${text} 1 ${text}`);
  },
};

const TEMPLATES = '.claude/holdfast/workflows';

export function held(slug: string): string {
  return `${STATE}/${slug}/state-${slug}-20251209_143052.json`;
}

/** As a JSON text can say it, and no object literal. */
function withProto(json: string): string {
  return json.replace(
    /^\{/,
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},',
  );
}

/** The text where a disk takes it for a name. */
function fileNames(text: string): string[] {
  const name = text.replaceAll('\u0000', '').replaceAll('/', '');
  return [
    Buffer.from(name)
      .subarray(0, 200)
      .toString('utf8')
      .replace(/\uFFFD+$/, ''),
    '..x',
    '-',
  ];
}

function put(box: Box, path: string, text: string): void {
  fse.outputFileSync(join(box.root, path), text);
}

/** A run as `export` writes it, with this text wherever one stands. */
export function bundle(
  text: string,
  names: { slug: string; runId: string },
): string {
  return withProto(
    JSON.stringify({
      format: 'holdfast-run',
      version: 1,
      exported_at: text,
      run_id: names.runId,
      slug: names.slug,
      state: run(text),
      events: [{ event: text, at: text, [text]: text }],
    }),
  );
}

function run(text: string): object {
  return {
    ...minimalState,
    workflow: text,
    workflow_type: text,
    phase: { current: 2, total: 3, name: text, status: 'in_progress' },
    phases: [text, text, 'c'],
    required_reading: [`@${text}`, '@docs/spec.md'],
    key_reminders: [text],
    context: { [text]: text, nested: [{ [text]: text }], plan_id: text },
    artifacts: { [text]: text, spec: `{project_root}/${text}` },
    outputs: { [text]: { text, artefacts: [text] } },
    status_reason: text,
    run_id: text,
    source: {
      kind: 'plan',
      path: text,
      said: { workflow: text, [text]: text },
    },
    todo: { path: text, owned: true },
    critical_artifacts: artifacts(text),
    sessions: {
      current_session_id: SESSION,
      session_history: [
        {
          session_id: text,
          started_at: AT,
          handed_to: text,
          end_reason: text,
          phases_completed: [text],
          environment: {
            hostname: text,
            cwd: text,
            git_commit: text,
            platform: text,
          },
        },
        { session_id: SESSION, started_at: AT, last_seen_at: AT },
      ],
    },
    context_metadata: {
      artifacts_in_context: [
        { artifact_id: text, loaded_at: AT, load_trigger: text, digest: text },
      ],
    },
    [text]: { [text]: text },
  };
}

function artifacts(text: string): object {
  const common = { description: text, reload_triggers: TRIGGERS };
  return {
    always_load: [
      { id: `a${text}`, type: 'markdown', path: text, ...common },
      { id: 'b', type: 'directory', path: `docs/${text}`, ...common },
      { id: 'c', type: 'work_plugin', command: text, ...common },
      { id: 'd', type: 'json', path_from_state: `context.${text}`, ...common },
    ],
    conditional_load: [
      {
        id: 'e',
        type: 'markdown',
        path: 'docs/rules.md',
        condition: `state.context.${text} == "${text}"`,
        ...common,
      },
    ],
  };
}

function ledRun(text: string): object {
  return {
    ...run(text),
    workflow: 'Led',
    source: { kind: 'template', path: text },
    template: {
      ...template('plain'),
      file: text,
      transitions: [
        {
          from: 'plain',
          to: 'ship',
          context: 'clear',
          preserve: ['summary', 'feedback', text],
        },
      ],
    },
    machine: {
      status: 'running',
      step: 'ship',
      stepType: 'loop',
      tasks: {
        ship: [
          { id: text, title: text, description: text, status: 'in_progress' },
        ],
      },
      task: { index: 0, id: text, title: text },
      subStep: 'one',
      outputs: { [text]: text, plain: text },
      summary: text,
      artefacts: { [text]: [text], plain: [text] },
      contextActionExecuted: true,
      preserved: ['summary', 'feedback', text, 'plain'],
    },
    feedback: [{ from: text, to: 'ship', tag: text, text, at: text }],
  };
}

function template(text: string): object {
  return {
    name: text,
    description: text,
    agents: { [text]: { description: text } },
    steps: [
      {
        id: text,
        type: 'action',
        title: text,
        phase: text,
        instructions: text,
        gate: `touch ../outside/executed; ${text}`,
      },
      { id: 'ship', type: 'loop', loop: 'ship', title: text },
    ],
    loops: { ship: [{ id: 'one', instructions: `Do {task.title}. ${text}` }] },
    critical_artifacts: artifacts(text),
  };
}

function settings(text: string): object {
  return {
    detect: { local_file: text, plans: [text, `CLAUDE/Plan/${text}/*`] },
    restore: { startup: text, max_chars: text },
    reading: { enforce: 'block', [text]: text },
    todo: { file: text },
    critical_artifacts: artifacts(text),
    [text]: text,
  };
}

function memory(text: string): object {
  return {
    sources: {
      [text]: {
        run_id: text,
        said: { workflow: text },
        ended: { at: AT, as: 'completed' },
        gone_on: [text],
      },
    },
    receipts: { [SESSION]: { [text]: { path: text, digest: text, at: AT } } },
    calls: { [text]: AT },
    due: { [SESSION]: text },
    cleared: [{ session_id: text, at: AT, pid: text }],
    runs: [{ path: text, run_id: text, workflow: text }],
    [text]: text,
  };
}
