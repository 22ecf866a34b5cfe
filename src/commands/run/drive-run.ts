import { join } from 'node:path';
import {
  attempt,
  badValue,
  errorLine,
  HoldfastError,
} from '../../text/holdfast-error.ts';
import {
  drivingRefusals,
  notDrivable,
  prepareSetup,
  requireClient,
  requireNotDriven,
  runToDrive,
  untrustedGates,
  type DriveContext,
  type Installation,
  type RunOptions,
} from '../../headless/setup.ts';
import { moduleFiles, ownTexts } from '../../install/assets.ts';
import { newTemplateRun } from '../start/new-run.ts';
import {
  openOperationContext,
  type OperationContext,
} from '../../sessions/open-project.ts';
import { startRun } from '../start/start-run.ts';
import type { Run } from '../../state/types.ts';
import { PHASE_SIGNS, phaseStates } from '../../state/progress.ts';
import type { RunPlanDocument } from '../json/documents.ts';
import { factsFrom } from '../options.ts';
import { type CommandContext } from '../view/output.ts';
import { templateTree } from '../templates/tree.ts';
import { packageFolder, userFile } from '../view/installation.ts';
import { driveHere } from './drive-here.ts';
import { draftRun } from '../../state/run.ts';

export async function driveRun(
  cli: CommandContext,
  name: string | undefined,
  options: RunOptions,
): Promise<void> {
  requireNotDriven(cli);
  const open = contextFactory(cli);
  const here = open(null);
  const prepared =
    options.template === undefined
      ? existingRun(here, name, options)
      : newRun(cli, here, options.template, name, options);
  const { draft, refusals } = prepared;
  if (options.dryRun) {
    printPlan(cli, draft, prepared.runId, refusals);
    return;
  }

  const [refusal] = refusals;
  if (refusal !== undefined) throw refusal;
  const setup = prepareSetup(here, installation(cli));
  // A new run is started only after everything else has been checked.
  await driveHere(cli, prepared.start(), { open, options, setup });
}

interface PreparedRun {
  draft: Run;
  /** Null for a run that is not started yet. */
  runId: string | null;
  /** Why it cannot be driven. */
  refusals: HoldfastError[];
  start: () => Run;
}

/** A run of the template, which may have a summary. */
function newRun(
  cli: CommandContext,
  here: OperationContext,
  template: string,
  summary: string | undefined,
  options: RunOptions,
): PreparedRun {
  const quiet = { ...here, warn: () => undefined };
  const facts = Object.fromEntries(factsFrom(options.set));
  const state = newTemplateRun(quiet, template, summary, facts);
  const draft = draftRun(state);
  const start = (): Run => {
    const { run, unheld } = startRun(here, state, { switches: false });
    for (const { runId } of unheld)
      cli.output.warn(
        `${runId} is a run of the same template that is not finished; \`holdfast run ${runId}\` continues it`,
      );
    return run;
  };
  const refusals = untrustedGates(here, draft, template);
  return { draft, runId: null, refusals, start };
}

function existingRun(
  here: OperationContext,
  name: string | undefined,
  { set: [input] }: RunOptions,
): PreparedRun {
  const expected =
    'nothing without --template, as a run that exists has its inputs; `holdfast update --set` changes a fact about it';
  if (input !== undefined) throw badValue('--set', input.join('='), expected);
  const run = runToDrive(here, name);
  const refusals = drivingRefusals(here, run);
  return { draft: run, runId: run.runId, refusals, start: () => run };
}

/** Of the session in which `run` was typed: the driver never acts for it. */
const SESSION_VARIABLES = [
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDECODE',
  'CLAUDE_PID',
  'CLAUDE_PROJECT_DIR',
];

/** A context of now for each operation: a driver runs for hours, and never acts for the session it was called in. */
function contextFactory(cli: CommandContext): DriveContext['open'] {
  const environment = { ...cli.environment };
  for (const name of SESSION_VARIABLES) delete environment[name];
  const warned = new Set<string>();
  let isFirst = true;
  const open = (session: string | null): OperationContext =>
    openOperationContext({
      cwd: cli.root,
      entrance: { at: 'driver', session },
      environment,
      isCwdGiven: true,
      warn: (sentence) => {
        // What is wrong already was told when the command began.
        if (!isFirst && !warned.has(sentence)) cli.output.warn(sentence);
        warned.add(sentence);
      },
    });
  open(null);
  isFirst = false;
  return open;
}

function installation({ config }: CommandContext): Installation {
  const places = {
    settings: '',
    commands: join('commands', 'holdfast'),
    skill: SKILL,
  };
  const own = [
    ...ownTexts(places),
    ...moduleFiles(packageFolder(), config, SKILL),
  ];
  return {
    packageFolder: packageFolder(),
    hostFile: userFile(),
    ownFiles: new Map(own),
  };
}

const SKILL = join('skills', 'holdfast');

function printPlan(
  cli: CommandContext,
  run: Run,
  runId: string | null,
  ofRun: readonly HoldfastError[],
): void {
  if (run.kind !== 'template') throw notDrivable('this run has no template');
  const { template } = run;
  const stateOf = phaseStates(run);
  const steps = template.steps.map((step, at) => ({
    ...step,
    state: stateOf(at + 1),
  }));
  const client = attempt(() => requireClient(cli, installation(cli)));
  const ofClient = client instanceof HoldfastError ? [client] : [];
  const refusals = [...ofClient, ...ofRun].map(({ code, message, hint }) => ({
    code,
    message,
    hint,
  }));
  for (const refusal of refusals)
    cli.output.warn(`\`run\` would refuse: ${errorLine(refusal)}`);
  const plan: RunPlanDocument = {
    run: runId,
    template: template.name,
    steps,
    loops: template.loops ?? {},
    refusals,
  };
  const path = run.state.source?.path ?? '';
  const markOf = (n: number): string => `${PHASE_SIGNS[stateOf(n)]} `;
  const tree = templateTree(template, path, markOf);
  cli.output.result(plan, `${tree}\n\n${CONVERSATIONS}`);
}

const CONVERSATIONS =
  'The steps share one conversation; /clear begins a fresh one, each agent has its own, and an approval waits for you.';
