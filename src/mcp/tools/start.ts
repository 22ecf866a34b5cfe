import { startRun } from '../../operations/start.ts';
import type { OperationContext } from '../../operations/open-project.ts';
import { MAX_NAME, parseWorkflowName } from '../../operations/start.ts';
import type { RunState } from '../../state/types.ts';
import type { Arguments } from '../arguments.ts';
import { runReply } from '../replies.ts';
import { aText, makeTool } from '../tool.ts';

const DEFAULT_TEMPLATE = 'default';

export const workflowStart = makeTool({
  name: 'workflow_start',
  description:
    'Starts a workflow in this session and returns its first step. Give `template` to be led through the steps of one ' +
    '(without `template` and `name`: the template "default": plan, build, verify), or only `name` for a plain run ' +
    'without steps. If this session runs that template already, nothing is started and that run is returned.',
  properties: {
    template: aText('Name of a template (`holdfast workflows` lists them) or path of its file'),
    name: aText('Name of a plain run; not together with template'),
    summary: aText('What this run is about, in one line'),
  },
  run: async (context, given) => {
    const template = given.text('template');
    const name = given.text('name');
    if (template !== undefined && name !== undefined) {
      throw given.bad('name', 'left out beside template; say in summary what the run is about');
    }
    const state = await wantedRun(context, given, template, name);
    const wanted = name === undefined ? `start --template ${state.workflow}` : `start "${name}"`;
    const { run, isNew, action } = startRun(context, state, { switches: false, wanted });
    const lead = isNew
      ? `Started ${run.runId}.`
      : `This session runs it already: ${run.runId}. Nothing was started.`;
    return runReply(context, { run, action }, lead);
  },
});

async function wantedRun(
  context: OperationContext,
  given: Arguments,
  template: string | undefined,
  name: string | undefined,
): Promise<RunState> {
  // Only here: reading templates takes a YAML parser, and a server starts with every session.
  const { newRun, newTemplateRun } = await import('../../operations/new-run.ts');
  const summary = given.text('summary');
  if (name === undefined) return newTemplateRun(context, template ?? DEFAULT_TEMPLATE, summary);
  const workflow = parseWorkflowName(name);
  if (workflow === null) throw given.bad('name', `a name of 1 to ${MAX_NAME} characters`);
  const state = newRun(context, workflow);
  return summary === undefined ? state : { ...state, context: { summary } };
}
