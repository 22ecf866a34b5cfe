import { join } from 'node:path';
import { badValue, errorLine, HoldfastError } from '../../text/holdfast-error.ts';
import type { DriveContext, RunOptions } from '../../headless/context.ts';
import { memoryIn } from '../../headless/record.ts';
import {
  drivingRefusals,
  notDrivable,
  prepareSetup,
  requireClient,
  requireNotDriven,
  runToDrive,
  untrustedGates,
  type Installation,
} from '../../headless/setup.ts';
import { moduleFiles, ownTexts } from '../../install/assets.ts';
import { currentTime, programFile } from '../../files/environment.ts';
import { readDriverFile } from '../../sessions/client-process.ts';
import { newTemplateRun } from '../start/new-run.ts';
import { openOperationContext, type OperationContext } from '../../sessions/open-project.ts';
import { startRun } from '../start/start-run.ts';
import type { RunState, StoredRun } from '../../state/types.ts';
import { contextBefore } from '../../templates/machine/enter-step.ts';
import { loopsOf } from '../../templates/machine/position.ts';
import { parseRun, phaseStates, type TemplateRun } from '../../templates/run-view.ts';
import type { Step, SubStep, Template } from '../../templates/template-types.generated.ts';
import { MARKS } from '../../headless/screen.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { factsFrom } from '../options.ts';
import { type CommandContext } from '../view/output.ts';
import { moduleSource, nodeProgram, packageFolder, userFile } from '../view/installation.ts';
import { driveHere } from './drive-here.ts';

/** Drives a run until it is complete or something stops it; with a template, a new one. */
export async function driveRun(
  cli: CommandContext,
  name: string | undefined,
  options: RunOptions,
): Promise<void> {
  requireNotDriven(cli);
  const open = contextFactory(cli);
  const here = open(null);
  const { template, dryRun } = options;
  if (template !== undefined) {
    const quiet = { ...here, warn: () => undefined };
    const state = newTemplateRun(quiet, template, name, Object.fromEntries(factsFrom(options.set)));
    const refusals = untrustedGates(here, template, state);
    if (dryRun) return printPlan(cli, state, null, refusals);
    throwFirst(refusals);
    const setup = prepareSetup(here, installation(cli));
    // The run is started only after everything else has been checked.
    return driveHere(cli, start(cli, here, state), { open, options, setup });
  }
  const [input] = options.set;
  if (input !== undefined)
    throw badValue(
      '--set',
      input.join('='),
      'nothing without --template, as a run that exists has its inputs; `holdfast update --set` changes a fact about it',
    );
  const run = runToDrive(here, name);
  const refusals = drivingRefusals(here, run);
  if (dryRun) return printPlan(cli, run.state, run.runId, refusals);
  throwFirst(refusals);
  return driveHere(cli, run, { open, options, setup: prepareSetup(here, installation(cli)) });
}

/** A context of now for each operation: a driver runs for hours, and never acts for the session it was called in. */
function contextFactory(cli: CommandContext): DriveContext['open'] {
  const environment = { ...cli.environment };
  for (const name of ['CLAUDE_CODE_SESSION_ID', 'CLAUDECODE', 'CLAUDE_PID', 'CLAUDE_PROJECT_DIR'])
    delete environment[name];
  const warned = new Set<string>();
  let isFirst = true;
  const open = (session: string | null): OperationContext =>
    openOperationContext({
      cwd: cli.root,
      session: session ?? undefined,
      environment,
      claudePid: undefined,
      isCwdGiven: true,
      now: currentTime(),
      by: 'run',
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

/** The installation that this command runs from. */
function installation({ config }: CommandContext): Installation {
  const folder = packageFolder();
  const places = { settings: '', commands: join('commands', 'holdfast'), skill: SKILL };
  const module = moduleSource(config);
  const own = [...ownTexts(places), ...(module === null ? [] : moduleFiles(SKILL, module))];
  return {
    packageFolder: folder,
    program: programFile(folder),
    node: nodeProgram() === 'node' ? process.execPath : nodeProgram(),
    hostFile: userFile(),
    ownFiles: new Map(own),
  };
}

const SKILL = join('skills', 'holdfast');

function throwFirst([error]: readonly HoldfastError[]): void {
  if (error !== undefined) throw error;
}

function start(cli: CommandContext, context: OperationContext, state: RunState): StoredRun {
  const { run, unheld } = startRun(context, state, { switches: false });
  for (const { runId } of unheld)
    cli.output.warn(
      `${runId} is a run of the same template that is not finished; \`holdfast run ${runId}\` continues it`,
    );
  return run;
}

/** What would be done, and why `run` would refuse it now. Nothing is changed. */
function printPlan(
  cli: CommandContext,
  state: RunState,
  runId: string | null,
  ofRun: readonly HoldfastError[],
): void {
  const run = parseRun(state);
  if (run.kind !== 'template') throw notDrivable('this run has no template');
  const memory = memoryIn(runId === null ? null : readDriverFile(cli.root, runId));
  const steps = planRun(run, memory.sessions.main !== null);
  const refusals = [...clientRefusals(cli), ...ofRun].map(({ code, message, hint }) => ({
    code,
    message,
    hint,
  }));
  for (const refusal of refusals) cli.output.warn(`\`run\` would refuse: ${errorLine(refusal)}`);
  cli.output.result({ run: runId, template: run.template.name, steps, refusals }, planText(steps));
}

function clientRefusals(cli: CommandContext): HoldfastError[] {
  try {
    requireClient(cli, installation(cli));
    return [];
  } catch (error) {
    if (error instanceof HoldfastError) return [error];
    throw error;
  }
}

/** The conversation that a step is worked on in. */
const SESSIONS = {
  same: 'the conversation goes on',
  fresh: 'a fresh conversation',
  compacted: 'the conversation is compacted first',
  own: 'a conversation of its own',
  none: 'stops and waits for you',
} as const;

type Conversation = keyof typeof SESSIONS;

/** What `run` would do from here on. `hasConversation`: the conversation of an earlier driver goes on. */
function planRun(
  { template, state }: Pick<TemplateRun, 'template' | 'state'>,
  hasConversation: boolean,
) {
  const stateOf = phaseStates(state);
  return template.steps.map((step, index) => {
    const stepState = stateOf(index + 1);
    const isFirst = stepState === 'current' ? !hasConversation : index === 0;
    const cameFrom = template.steps[index - 1]?.id;
    const subSteps = step.type === 'loop' ? (loopsOf(template).get(step.id)?.subSteps ?? []) : [];
    const session = sessionOf(template, step, undefined, cameFrom, isFirst);
    return {
      id: step.id,
      type: step.type,
      state: stepState,
      session: step.type === 'approval' ? ('none' as const) : session,
      agent: step.agent ?? null,
      /** How often it is repeated at most. */
      repeats: step.n ?? null,
      gate: step.gate ?? null,
      until: step.until ?? null,
      when: step.when ?? null,
      /** What each task of a loop goes through. */
      subSteps: subSteps.map((subStep) => ({
        id: subStep.id,
        session: sessionOf(template, step, subStep, undefined, false),
        agent: subStep.agent ?? step.agent ?? null,
        gate: subStep.gate ?? null,
      })),
    };
  });
}

function sessionOf(
  template: Template,
  step: Step,
  subStep: SubStep | undefined,
  cameFrom: string | undefined,
  isFirst: boolean,
): Conversation {
  if ((subStep?.agent ?? step.agent) !== undefined) return 'own';
  if (isFirst) return 'fresh';
  const action = contextBefore(template, step, subStep, cameFrom);
  if (action === undefined) return 'same';
  return action === 'clear' ? 'fresh' : 'compacted';
}

/** One line for each step and sub-step. */
function planText(steps: ReturnType<typeof planRun>): string {
  const lines = steps.flatMap((step) => {
    const { id, type, state, when, repeats, until, gate, subSteps } = step;
    if (state === 'skipped') return [`${MARKS[state]} ${id}: skipped`];
    if (state === 'passed') return [`${MARKS[state]} ${id}: passed by, because ${when} is false`];
    const parts = [
      type === 'loop' ? 'for each task' : conversationText(step),
      repeats !== null && `up to ${repeats} times`,
      until !== null && `until \`${until}\` exits 0`,
      gate !== null && `gate \`${gate}\``,
      when !== null && `only when ${when}`,
    ];
    return [
      `${MARKS[state]} ${id}: ${parts.filter((part) => part !== false).join(', ')}`,
      ...subSteps.map((subStep) => {
        const after = subStep.gate === null ? '' : `, gate \`${subStep.gate}\``;
        return `    ${subStep.id}: ${conversationText(subStep)}${after}`;
      }),
    ];
  });
  return lines.map((line) => line.replace(/\S.*/s, sanitizeLine)).join('\n');
}

function conversationText(step: { session: Conversation; agent: string | null }): string {
  const { session, agent } = step;
  return `${SESSIONS[session]}${agent === null ? '' : ` as ${agent}`}`;
}
