import { contextOf } from '../outputs.ts';
import { runToRead } from '../../operations/run-to-read.ts';
import { makeTool } from '../tool.ts';

export const workflowContext = makeTool({
  name: 'workflow_context',
  description:
    'What the finished steps of this workflow handed on: their outputs, the files they made, and what the run is about.',
  run: (desk) => contextOf(runToRead(desk).run),
});
