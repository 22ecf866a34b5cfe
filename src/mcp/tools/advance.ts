import { sanitizeLine } from '../../util/sanitize.ts';
import { advanceRun } from '../../operations/advance.ts';
import { projectPath } from '../../operations/project-path.ts';
import { artifactsReply, runReply } from '../replies.ts';
import { textProperty, makeTool } from '../tool.ts';

export const workflowAdvance = makeTool({
  name: 'workflow_advance',
  description:
    'Finishes the current step (or task, iteration, phase) and returns the next one; after the last one the workflow ' +
    'completes. Call it only when the work of the step is really done; it may run checks first and refuse.',
  properties: {
    output: textProperty('What later steps need to know; it survives compaction and /clear'),
    artefacts: {
      type: 'array',
      items: { type: 'string' },
      description: 'Paths of files that this step produced',
    },
  },
  run: async (context, given) => {
    const { finished, artifacts, absent, isRequested, ...delivery } = await advanceRun(
      context,
      undefined,
      {
        output: given.text('output'),
        artefacts: given
          .texts('artefacts')
          .filter((path) => path.trim() !== '')
          .map((path) => projectPath(context, path)),
      },
    );
    if (isRequested)
      return {
        requested: true,
        message: `Requested the end of ${sanitizeLine(finished)}. This step has a check, which \`holdfast run\` performs once your turn has ended. End your turn now.`,
      };
    return {
      ...runReply(context, delivery, `Finished ${sanitizeLine(finished)}.`),
      ...artifactsReply(artifacts),
      ...(absent.length === 0 ? {} : { doesNotExist: absent }),
    };
  },
});
