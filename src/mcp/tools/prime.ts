import { lineFor } from '../../artifacts/print.ts';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { primeRun } from '../../operations/prime.ts';
import { runToRead } from '../../operations/run-to-read.ts';
import { makeTool } from '../tool.ts';

export const primeContext = makeTool({
  name: 'prime_context',
  description:
    'Brings the documents that the workflow declares as critical into the conversation, e.g. after they were lost. ' +
    'What was loaded a moment ago is not repeated.',
  properties: {
    artifacts: {
      type: 'array',
      items: { type: 'string' },
      description: 'Only these, by id; they are loaded even if they were just now',
    },
  },
  run: (desk, given) => {
    const ids = given.texts('artifacts');
    const only = ids.length === 0 ? undefined : ids;
    const { run } = runToRead(desk);
    const { text, absent } = primeRun(desk, run, { only, force: only !== undefined });
    if (absent.length > 0) {
      const what = absent.map(lineFor);
      throw new HoldfastError({ code: 'artifact_missing', what, forced: null, loaded: { text } });
    }
    return { run: run.runId, text: text === '' ? 'Nothing had to be loaded.' : text };
  },
});
