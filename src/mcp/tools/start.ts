import { startRun, type StartedRun } from '../../operations/start.ts';
import type { OperationContext } from '../../operations/open-project.ts';
import { MAX_NAME, parseWorkflowName } from '../../operations/start.ts';
import { phaseLabel } from '../../state/phases.ts';
import type { RunState } from '../../state/types.ts';
import type { Arguments } from '../arguments.ts';
import { runReply } from '../replies.ts';
import { textProperty, makeTool } from '../tool.ts';

const DEFAULT_TEMPLATE = 'default';

export const workflowStart = makeTool({
  name: 'workflow_start',
  description:
    'Starts a workflow in this session and returns its first step. Give `template` to follow the steps of a template ' +
    '(without `template` and `name`: the template "default": plan, build, verify), or only `name` for a run without ' +
    'steps. If this session already runs that template, nothing is started and that run is returned.',
  properties: {
    template: textProperty(
      'Name of a template (`holdfast templates` lists them) or path to its file',
    ),
    name: textProperty('Name of a run without steps; not together with template'),
    summary: textProperty('What this run is about, in one line'),
  },
  run: async (context, given) => {
    const template = given.text('template');
    const name = given.text('name');
    if (template !== undefined && name !== undefined) {
      throw given.bad('name', { kind: 'left_out_with_template' });
    }
    const state = await newState(context, given, template, name);
    const started = startRun(context, state, { switches: false });
    const { run, isNew, action, artifacts } = started;
    const lead = isNew
      ? `${existingText(started)}Started ${run.runId}.`
      : `This session already runs it: ${run.runId}. Nothing was started.`;
    return {
      ...existingRuns(started),
      ...runReply(context, { run, action }, lead),
      ...(artifacts === null || artifacts.text === '' ? {} : { artifacts: artifacts.text }),
    };
  },
});

function existingText({ unheld }: StartedRun): string {
  const ids = unheld.map(({ runId }) => `\`holdfast resume ${runId}\``);
  return ids.length === 0
    ? ''
    : `This template already has a run that nobody holds; to continue it instead: ${ids.join(' or ')}. `;
}

/** Also in the reply that only asks for a context action. */
function existingRuns({ unheld, run, isNew }: StartedRun): object {
  const existing = isNew ? unheld : [run];
  if (existing.length === 0) return {};
  return {
    existing: existing.map(({ runId, state }) => ({
      run: runId,
      workflow: state.workflow,
      phase: phaseLabel(state.phase),
      continue: isNew ? `holdfast resume ${runId}` : 'workflow_status',
    })),
  };
}

async function newState(
  context: OperationContext,
  given: Arguments,
  template: string | undefined,
  name: string | undefined,
): Promise<RunState> {
  // Imported here, because reading templates needs a YAML parser and a server starts with every session.
  const { newRun, newTemplateRun } = await import('../../operations/new-run.ts');
  const summary = given.text('summary');
  if (name === undefined) return newTemplateRun(context, template ?? DEFAULT_TEMPLATE, summary);
  const workflow = parseWorkflowName(name);
  if (workflow === null) throw given.bad('name', { kind: 'name', max: MAX_NAME });
  const state = newRun(context, workflow);
  return summary === undefined ? state : { ...state, context: { summary } };
}
