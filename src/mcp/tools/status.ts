import { viewRun } from '../../operations/save-run.ts';
import { lookedAtReply } from '../replies.ts';
import { makeTool } from '../tool.ts';
import { runToRead } from '../../operations/run-to-read.ts';

export const workflowStatus = makeTool({
  name: 'workflow_status',
  description:
    'Where the workflow of this session stands and what to do now: the instructions of the current step, or a ' +
    'context action that the user is to type first. Call it after a compaction or /clear, and whenever unsure.',
  run: (desk) => {
    const { run, others, runs } = runToRead(desk);
    return lookedAtReply(desk, viewRun(desk, run, runs), others);
  },
});
