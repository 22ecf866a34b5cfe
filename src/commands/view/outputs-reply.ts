import { runToRead } from '../../runs/which-run.ts';
import type { StoredRun } from '../../state/types.ts';
import { pluralize } from '../../text/relative-time.ts';
import { truncate } from '../../text/sanitize.ts';
import { parseRun } from '../../templates/run-view.ts';
import { RUN, tool } from '../command.ts';

/** The host accepts replies of at most 25,000 tokens. */
const MAX_OUTPUTS = 50_000;
const MAX_OUTPUT = 10_000;

/** The tool of `context`: what the finished steps produced. */
export const outputsTool = tool({
  name: 'workflow_context',
  about: 'Returns what the finished steps produced, outputs and files, and the summary of the run.',
  takes: { run: RUN },
  reply: (context, { run }) => contextOf(runToRead(context, run).run),
});

function contextOf({ runId, state }: StoredRun): object {
  const heading = { run: runId, workflow: state.workflow };
  const run = parseRun(state);
  if (run.kind === 'template') {
    const { summary, outputs, artefacts } = run.machine;
    // A summary that is undefined is left out of the JSON.
    return { ...heading, summary, ...latestOutputs(runId, Object.entries(outputs)), artefacts };
  }
  const phases = Object.entries(state.outputs ?? {});
  const texts = phases.flatMap(([phase, { text }]): [string, string][] =>
    text === undefined ? [] : [[phase, text]],
  );
  const artefacts = Object.fromEntries(phases.map(([phase, made]) => [phase, made.artefacts]));
  return { ...heading, context: state.context ?? {}, ...latestOutputs(runId, texts), artefacts };
}

function latestOutputs(runId: string, outputs: readonly (readonly [string, string])[]): object {
  const where = `\`holdfast show ${runId} --json\``;
  const cut = outputs.map(([step, text]) => [step, cutOutput(text, where)] as const);
  let left = MAX_OUTPUTS;
  const omitted = cut.findLastIndex(([, text]) => (left -= text.length) < 0) + 1;
  return {
    outputs: Object.fromEntries(cut.slice(omitted)),
    ...(omitted === 0
      ? {}
      : { leftOut: `${pluralize(omitted, 'earlier output')}: ${where} shows them all` }),
  };
}

function cutOutput(text: string, where: string): string {
  if (text.length <= MAX_OUTPUT) return text;
  const start = truncate(text, MAX_OUTPUT);
  return `${start} (${text.length - start.length + 1} more characters: ${where})`;
}
