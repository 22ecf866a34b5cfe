import { isAbsent } from '../files/read-file.ts';
import { type Advanced, advanceRun } from '../runs/advance.ts';
import { findTargetRun } from '../runs/which-run.ts';
import type { UntilResult } from '../runs/pass-gates.ts';
import {
  type OperationContext,
  projectPath,
} from '../sessions/open-project.ts';
import {
  asWord,
  quoted,
  sanitizeLine,
  sanitizeLines,
} from '../text/sanitize.ts';
import { RUN, command, tool, type Shown } from './command.ts';
import type {
  AdvanceRequestedDocument,
  CommandDocuments,
} from './json/documents.ts';
import {
  contentOption,
  flag,
  listOption,
  textOption,
  textOrStdinOption,
  textsOption,
} from './options.ts';
import { leftText, runReply, showMove, showMoved } from './view/report-run.ts';

export const advance = command({
  usage: 'advance [run]',
  about:
    'finish the current phase or step and go to the next; after the last one the run completes',
  examples: [
    'holdfast advance --output "the API is in src/api.ts"',
    'git log -1 | holdfast advance --output -',
    'holdfast advance --wait',
  ],
  options: {
    output: textOrStdinOption(
      'what later phases need to know; - reads standard input',
    ),
    artifact: listOption(
      'a file that this phase produced, with the name that it gets (repeatable)',
      '[key=]path',
    ),
    name: textOption('the name of the next phase', 'name'),
    wait: flag(
      'do not begin the next phase: it waits for the user, until `holdfast resume`',
    ),
    force: flag(
      'even if a required artifact or a file that the step must leave is missing',
    ),
  },
  run: async (
    cli,
    { run: named, output, artifact, name: nextName, wait, force },
  ): Promise<Shown<CommandDocuments['advance'] | AdvanceRequestedDocument>> => {
    const files = filesFrom(cli, artifact);
    const target = findTargetRun(cli, named);
    const advanced = await advanceRun(cli, cli.caller, target, {
      output,
      ...files,
      nextName,
      wait,
      force,
    });
    const { run, finished, until, absent, isRequested } = advanced;
    for (const path of absent)
      cli.output.warn(`${asWord(path)} does not exist yet`);
    if (isRequested)
      return {
        data: { run_id: run.runId, requested: true, finished },
        text: requestedText(finished),
      };
    const done = leftText(advanced, finishedText(advanced));
    if (until === null || run.state.status === 'completed')
      return showMove(cli, advanced, { done });
    const details = [untilText(until)];
    return showMoved(cli, advanced, { done, details }, { until });
  },
  tool: tool({
    name: 'workflow_advance',
    about:
      'Finishes the current step (or task, iteration, phase) and returns the next one; the last one completes the ' +
      'workflow. Call it only when the work is really done; it may run checks first and refuse.',
    takes: {
      output: contentOption('What later steps need to know'),
      artefacts: textsOption('Paths of files that this step produced'),
      name: textOption('Name of the next phase, if none is listed'),
      run: RUN,
    },
    reply: async (
      context,
      { run: named, output, artefacts: paths, name: nextName },
    ) => {
      const files = filesFrom(context, paths);
      const target = findTargetRun(context, named);
      const advanced = await advanceRun(context, context.caller, target, {
        output,
        ...files,
        nextName,
        signal: context.signal,
      });
      const { finished, absent, isRequested } = advanced;
      if (isRequested)
        return { requested: true, message: requestedText(finished) };
      return {
        ...runReply(context, advanced, `${finishedText(advanced)}.`),
        ...(absent.length === 0 ? {} : { doesNotExist: absent }),
      };
    },
  }),
});

/** `plan=docs/plan.md` is a file that also gets a name, unless a file has that very name. */
function filesFrom(context: OperationContext, names: string[]) {
  const named: [string, string][] = [];
  const paths = names.map((text) => {
    const whole = projectPath(context, text);
    const [, key, file = ''] = /^([\w.-]{1,60})=(.+)$/.exec(text) ?? [];
    if (key === undefined || !isAbsent(context.root, whole)) return whole;
    const path = projectPath(context, file);
    named.push([key, `{project_root}/${path}`]);
    return path;
  });
  return { artefacts: [...new Set(paths)], named: Object.fromEntries(named) };
}

function requestedText(finished: string): string {
  return `Requested the end of ${finished}. This step has a check, which \`holdfast run\` performs once your turn has ended. End your turn now.`;
}

function finishedText({ finished, remarks }: Advanced): string {
  return sanitizeLine(
    `Finished ${finished}${remarks.map((text) => ` (${text})`).join('')}`,
  );
}

const MAX_COMMAND = 300;

function untilText(until: UntilResult): string {
  const shown = quoted(until.command, MAX_COMMAND);
  if (until.met) return `${shown} exited 0, so no further iteration is needed.`;
  const result =
    until.exit_code === null ? 'ran out of time' : `exited ${until.exit_code}`;
  return [
    `${shown} ${result}, so another iteration begins.`,
    ...sanitizeLines(until.output),
  ]
    .join('\n')
    .trimEnd();
}
