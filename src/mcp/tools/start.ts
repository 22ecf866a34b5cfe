import { startRun } from '../../operations/start.ts';
import type { OperationContext } from '../../operations/context.ts';
import { MAX_NAME, nameFrom } from '../../operations/workflow-name.ts';
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
  run: async (desk, given) => {
    const template = given.text('template');
    const name = given.text('name');
    if (template !== undefined && name !== undefined) {
      throw given.bad('name', { kind: 'left_out_with_template' });
    }
    const state = await wantedRun(desk, given, template, name);
    const wanted = name === undefined ? `start --template ${state.workflow}` : `start "${name}"`;
    const { run, isNew, action } = startRun(desk, state, { switches: false, wanted });
    const lead = isNew
      ? `Started ${run.runId}.`
      : `This session runs it already: ${run.runId}. Nothing was started.`;
    return runReply(desk, { run, action }, lead);
  },
});

async function wantedRun(
  desk: OperationContext,
  given: Arguments,
  template: string | undefined,
  name: string | undefined,
): Promise<RunState> {
  // Only here: reading templates takes a YAML parser, and a server starts with every session.
  const { newRun, newTemplateRun } = await import('../../operations/new-run.ts');
  const summary = given.text('summary');
  if (name === undefined) return newTemplateRun(desk, template ?? DEFAULT_TEMPLATE, summary);
  const workflow = nameFrom(name);
  if (workflow === null) throw given.bad('name', { kind: 'name', max: MAX_NAME });
  const state = newRun(desk, workflow);
  return summary === undefined ? state : { ...state, context: { summary } };
}
