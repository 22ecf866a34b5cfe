import { contextOf } from '../outputs.ts';
import { runToRead } from '../../operations/target-run.ts';
import { makeTool } from '../tool.ts';

export const workflowContext = makeTool({
  name: 'workflow_context',
  description:
    'Returns what the finished steps of this workflow produced: their outputs and files, and the summary of the run.',
  run: (context) => contextOf(runToRead(context).run),
});
