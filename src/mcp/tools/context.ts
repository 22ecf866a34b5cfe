import { contextOf } from '../outputs.ts';
import { runToRead } from '../../operations/target-run.ts';
import { makeTool } from '../tool.ts';

export const workflowContext = makeTool({
  name: 'workflow_context',
  description:
    'What the finished steps of this workflow handed on: their outputs, the files they made, and what the run is about.',
  run: (context) => contextOf(runToRead(context).run),
});
