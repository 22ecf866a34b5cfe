import { viewRun } from '../../operations/move-run.ts';
import { statusReply } from '../replies.ts';
import { makeTool } from '../tool.ts';
import { runToRead } from '../../operations/target-run.ts';

export const workflowStatus = makeTool({
  name: 'workflow_status',
  description:
    'Shows where the workflow of this session stands and what to do now: the instructions of the current step, or a ' +
    'context action that the user has to type first. Call it after a compaction or /clear, and whenever unsure.',
  run: (context) => {
    const { run, others, runs } = runToRead(context);
    return statusReply(context, viewRun(context, run, runs), others);
  },
});
