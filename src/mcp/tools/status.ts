import { viewRun } from '../../operations/move-run.ts';
import { lookedAtReply } from '../replies.ts';
import { makeTool } from '../tool.ts';
import { runToRead } from '../../operations/target-run.ts';

export const workflowStatus = makeTool({
  name: 'workflow_status',
  description:
    'Where the workflow of this session stands and what to do now: the instructions of the current step, or a ' +
    'context action that the user is to type first. Call it after a compaction or /clear, and whenever unsure.',
  run: (context) => {
    const { run, others, runs } = runToRead(context);
    return lookedAtReply(context, viewRun(context, run, runs), others);
  },
});
