import { HoldfastError } from '../../errors/holdfast-error.ts';
import { lineFor } from '../../artifacts/print.ts';
import { startRun, type StartedRun } from '../../operations/start.ts';
import { phaseLabel } from '../../state/phases.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import {
  newRun as createRun,
  newTemplateRun as createTemplateRun,
} from '../../operations/new-run.ts';
import { withLocalFacts } from '../../state/edits.ts';
import type { RunState } from '../../state/types.ts';
import type { CommandContext } from '../context.ts';
import {
  parseDetails,
  phaseNames,
  warnAboutReading,
  workflowName,
  workflowType,
  type DetailOptions,
} from '../options.ts';
import { reportRun } from '../output/report-run.ts';

export interface StartOptions extends DetailOptions {
  type?: string;
  phases?: string;
  template?: string;
  switch?: boolean;
}

/** `given` is the name of the run; with a template it is the summary of the run. */
export function start(cli: CommandContext, given: string | undefined, options: StartOptions): void {
  const { template } = options;
  const state =
    template === undefined
      ? newRun(cli, nameFrom(given), options)
      : newTemplateRun(cli, template, given, options);
  const started = startRun(cli, state, {
    switches: options.switch === true,
    wanted: template === undefined ? `start "${state.workflow}"` : `start --template ${template}`,
  });
  const { run, isNew, action, artifacts, unheld } = started;
  const report = reportRun(cli, run, [], leadText(started), action, {
    ...(artifacts === null ? {} : { artifacts: artifacts.due }),
    existing: unheld.map(({ runId }) => runId),
  });
  for (const absent of artifacts?.absent ?? [])
    cli.warn(`required artifact missing: ${lineFor(absent)}`);
  if (isNew) warnAboutReading(cli, report.reading);
  else if (given !== undefined || hasDetails(options)) cli.warn(OPTIONS_IGNORED);
}

/** What exists already comes first: the user may want to continue it instead. */
function leadText({ run, isNew, unheld, artifacts }: StartedRun): string {
  if (!isNew) return `This session already runs it: ${run.runId}.`;
  const existing = unheld.map(
    ({ runId, state }) =>
      `A run of this template that nobody holds is in phase ${sanitizeLine(phaseLabel(state.phase))}: ${runId}. \`holdfast resume ${runId}\` continues it.`,
  );
  const contents = artifacts === null || artifacts.text === '' ? [] : ['', artifacts.text];
  return [...existing, `Started ${run.runId}.`, ...contents].join('\n');
}

const OPTIONS_IGNORED =
  'the other arguments were ignored; `holdfast update` changes the run, --switch starts another';

function nameFrom(given: string | undefined): string {
  if (given !== undefined) return workflowName(given);
  throw new HoldfastError({
    code: 'bad_value',
    option: '<name>',
    given: '',
    expected: { kind: 'name_or_template' },
  });
}

function hasDetails({ type, read, remind, set, setLocal, artifact }: StartOptions): boolean {
  return [type, read, remind, set, setLocal, artifact].some((value) => value !== undefined);
}

function newRun(cli: CommandContext, workflow: string, options: StartOptions): RunState {
  const phases = options.phases === undefined ? undefined : phaseNames(options.phases);
  const run = createRun(cli, workflow);
  const [name = ''] = phases ?? [];
  return withDetails(cli, options, {
    ...run,
    workflow_type: workflowType(options.type ?? run.workflow_type),
    ...(phases === undefined
      ? {}
      : { phase: { ...run.phase, total: phases.length, name }, phases }),
  });
}

function newTemplateRun(
  cli: CommandContext,
  nameOrPath: string,
  summary: string | undefined,
  options: StartOptions,
): RunState {
  if (options.phases !== undefined) {
    throw new HoldfastError({
      code: 'bad_value',
      option: '--phases',
      given: options.phases,
      expected: { kind: 'nothing_with_template' },
    });
  }
  const values = Object.fromEntries(parseDetails(cli, options).set);
  const run = createTemplateRun(cli, nameOrPath, summary, values);
  // What the template declares as inputs is not a fact of the run as well.
  const { context = {} } = run;
  const details = withDetails(cli, options, run);
  const local = Object.entries(details.context ?? {}).filter(([key]) =>
    details.local_facts?.includes(key),
  );
  return {
    ...details,
    context: Object.fromEntries([...Object.entries(context), ...local]),
    ...(options.type === undefined ? {} : { workflow_type: workflowType(options.type) }),
  };
}

function withDetails(cli: CommandContext, options: StartOptions, state: RunState): RunState {
  const { read, remind, set, setLocal, artifact } = parseDetails(cli, options);
  return {
    ...withLocalFacts(state, { set, setLocal }),
    required_reading: [...new Set(read)],
    context: Object.fromEntries([...set, ...setLocal]),
    key_reminders: [...new Set(remind)],
    ...(artifact.length === 0 ? {} : { artifacts: Object.fromEntries(artifact) }),
    adopted: true,
  };
}
