import { lineFor } from '../../artifacts/print.ts';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { primeRun } from '../../operations/prime.ts';
import { runToRead } from '../../operations/target-run.ts';
import { makeTool } from '../tool.ts';

export const primeContext = makeTool({
  name: 'prime_context',
  description:
    'Loads the critical artifacts of the workflow into the conversation, for example after a compaction. ' +
    'Skips what was loaded a moment ago.',
  properties: {
    artifacts: {
      type: 'array',
      items: { type: 'string' },
      description: 'Only these, by id; loads them even if they were loaded a moment ago',
    },
  },
  run: (context, given) => {
    const ids = given.texts('artifacts');
    const only = ids.length === 0 ? undefined : ids;
    const { run } = runToRead(context);
    const { text, absent } = primeRun(context, run, { only, force: only !== undefined });
    if (absent.length > 0) {
      const what = absent.map(lineFor);
      throw new HoldfastError({ code: 'artifact_missing', what, forced: null, loaded: { text } });
    }
    return { run: run.runId, text: text === '' ? 'Nothing to load.' : text };
  },
});
