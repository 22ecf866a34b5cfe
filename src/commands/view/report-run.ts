import {
  failureText,
  pivotWarning,
  skippedText,
} from '../../guidance/frame.ts';
import {
  contextActionText,
  instructionsForPerson,
  requestElsewhereText,
  requestText,
  stepStatus,
} from '../../guidance/step.ts';
import {
  readingOf,
  recordedReadingOf,
  type ReadingEntry,
} from '../../guidance/reading/required-reading.ts';
import type { DueArtifacts } from '../../runs/due-artifacts.ts';
import type { Delivery, Moved } from '../../runs/move-run.ts';
import { sessionAtWork } from '../../headless/session-at-work.ts';
import { drivenClient, wasDriven } from '../../sessions/client-process.ts';
import { readerOf, type Reader } from '../../sessions/caller.ts';
import { holderOf } from '../../sessions/holder.ts';
import { isHeldByLiveSession } from '../../sessions/liveness.ts';
import type { OperationContext } from '../../sessions/open-project.ts';
import { isActive } from '../../state/run.ts';
import { isArchived } from '../../state/paths.ts';
import { isCounted, phaseWords } from '../../state/phase-words.ts';
import { nextPhase } from '../../state/phases.ts';
import type { Run } from '../../state/types.ts';
import { isWaitingPhase } from '../../state/waiting-phase.ts';
import type { Colors } from '../../text/colors.ts';
import { pluralize } from '../../text/relative-time.ts';
import { loopsOf } from '../../machine/position.ts';
import type { ContextCommand, Task } from '../../machine/machine-state.ts';
import type { Status } from '../../machine/status.ts';
import { contextActionOf } from '../../state/progress.ts';
import { waitIdOf } from '../../templates/waits.ts';
import {
  asWord,
  sanitizeLine,
  sanitizeLinesWithFeedback,
  shortId,
} from '../../text/sanitize.ts';
import type { Shown } from '../command.ts';
import type {
  ContextActionReply,
  PhaseRunReply,
  RunFacts,
  RunReply,
  TemplateRunReply,
} from '../json/tool-results.ts';
import type {
  EndDocument,
  MoveDocument,
  RunDocument,
} from '../json/documents.ts';
import {
  type CommandContext,
  foldAround,
  paragraphs,
  section,
} from './output.ts';
import { earlyText, statusReport } from './status-report.ts';
import { ownEntry } from '../../text/json.ts';
import { dueArtifacts } from '../../state/in-context.ts';
import {
  END_TURN,
  mustEndTurn,
  plainCourse,
  unusualNext,
} from '../../templates/what-to-type-next.ts';

/** For commands that a session would become the holder by. */
export const NO_SESSION =
  'No session holds it: this terminal is not a Claude Code session.';

export interface Change {
  /** What the command did, in sentences. */
  done: string;
  /** Whether the run is now in another phase or step, which is then named. */
  isMove?: boolean;
  /** The same where the text names that already. */
  isEntered?: boolean;
  /** The context action that this call requests. */
  action?: ContextCommand | null;
  /** What the user or the session needs besides: files to read, contents of artifacts. */
  details?: readonly string[];
  /** What to type next, where that does not follow from where the run stands. */
  next?: string;
}

/** What a command changed and what to type next; `status` has the full view. */
export function showChange(
  cli: CommandContext,
  run: Run,
  {
    done,
    isMove = false,
    isEntered = isMove,
    action = null,
    details = [],
    next,
  }: Change,
): Shown<RunDocument> {
  // The text of a change shows no reading, so it is not worth the time to read the transcript.
  const reading = cli.output.json
    ? readingOf(cli, run)
    : recordedReadingOf(cli, run);
  const report = statusReport(cli, run, [], action, reading);
  const isWaiting = isWaitingPhase(run.state);
  const lines = [done];
  if (isMove) {
    const phase = `phase ${phaseWords(run.state.phase)}`;
    const place = report.step?.progress.text ?? phase;
    lines.push(`Now: ${place}${isWaiting ? ', not begun' : ''}.`);
  }
  const isInstructed = isWaiting ? action !== null : isMove || action !== null;
  if (isInstructed && !mustEndTurn(cli.environment, run))
    lines.push(...instructionLines(cli, forReader(cli, run, report), action));
  lines.push(...report.warnings);
  lines.push(...nextLines(cli, run, { isEntered, action, next }));
  for (const part of details) if (part !== '') lines.push(`\n${part}`);
  return { data: report, text: lines.join('\n') };
}

/** What comes next, where that is not the plain course; that is said once, when a phase or step is entered. */
function nextLines(
  cli: CommandContext,
  run: Run,
  {
    isEntered,
    action,
    next,
  }: {
    isEntered: boolean;
    action: ContextCommand | null;
    next: string | undefined;
  },
): string[] {
  const other = next ?? unusualNext(cli, run, action);
  if (other !== null) return [`Next: ${other}`];
  if (!isEntered) return [];
  const what = run.kind === 'template' ? 'step' : 'phase';
  const isForModel = readerOf(cli.caller) === 'model';
  const wait = isForModel && !isLastPhase(run) ? WAIT_OPTION : '';
  return [`When this ${what} is done: ${plainCourse(cli, run)}${wait}`];
}

const WAIT_OPTION =
  '; with --wait if the user wants to see it before the next one begins';

function isLastPhase({ state }: Run): boolean {
  return isCounted(state.phase) && nextPhase(state) === null;
}

/** What is printed with --json beside the run that was changed. */
export function withData<Data extends object, More extends object>(
  shown: Shown<Data>,
  more: More,
): Shown<Data & More> {
  return { data: { ...shown.data, ...more }, text: shown.text };
}

/** A command that has moved a run, or ended it by that. */
export function showMove(
  cli: CommandContext,
  moved: Moved,
  change: Change,
): Shown<MoveDocument | EndDocument> {
  const { run } = moved;
  return run.state.status === 'completed'
    ? showEnd(cli, run, change.done)
    : showMoved(cli, moved, change, {});
}

/** A command that has moved a run without ending it; `more` is printed beside the run with --json. */
export function showMoved<More extends object>(
  cli: CommandContext,
  { run, action, artifacts }: Moved,
  { details = [], ...change }: Change,
  more: More,
): Shown<MoveDocument & More> {
  const shown = showChange(cli, run, {
    isMove: true,
    action,
    ...change,
    details: [...details, artifacts.text],
  });
  return withData(shown, { ...more, artifacts: artifacts.due });
}

/** A sentence about a step that was left; for the last one it says so. */
export const leftText = ({ run }: Moved, text: string): string =>
  run.state.status === 'completed' ? `${text}, the last one.` : `${text}.`;

/** A command that has ended a run; `done` says what it did before that. */
export function showEnd(
  cli: CommandContext,
  run: Run,
  done = '',
): Shown<EndDocument> {
  const archived = isArchived(run) ? run.path : null;
  const lines = done === '' ? [] : [done];
  lines.push(endSentence(run));
  const skipped = skippedText(run.state);
  if (skipped !== '') lines.push(`Skipped: ${skipped}.`);
  const next = nextAfterEnd(cli);
  if (archived === null) lines.push('No record was kept.', `Next: ${next}`);
  else
    lines.push(
      `Its record is in ${archived}.`,
      `Next: ${next}; or holdfast reopen ${run.runId}`,
    );
  const data = { ...statusReport(cli, run, []), archived };
  return { data, text: lines.join('\n') };
}

const MAX_REASON_CHARS = 300;

function endSentence({ runId, state }: Run): string {
  const { status, workflow, ended_early: early } = state;
  const { status_reason: reason = '' } = state;
  const ended = `${asWord(workflow)} (${runId})`;
  if (status === 'cancelled') {
    const why = reason === '' ? '.' : `: ${asWord(reason, MAX_REASON_CHARS)}`;
    return `Cancelled ${ended}${why}`;
  }
  return early === undefined
    ? `Completed ${ended}.`
    : `Ended ${ended} early at ${earlyText(early)}.`;
}

/** A session that has ended another run than its own goes on with that one; `start` would be refused. */
function nextAfterEnd(cli: CommandContext): string {
  const start = 'holdfast start "<name>" --phases "<A,B,C>"';
  if (cli.session === null) return start;
  const own = cli.store
    .list()
    .runs.find(
      (each) => isActive(each) && holderOf(each.state) === cli.session,
    );
  return own === undefined
    ? start
    : `holdfast status ${own.runId}, which this session works on`;
}

/** Of files that a command has just added to the required reading. */
export function warnAboutReading(
  cli: CommandContext,
  entries: readonly ReadingEntry[],
): void {
  for (const { path, state } of entries) {
    if (state === 'missing')
      cli.output.warn(`${asWord(path)} does not exist yet`);
    if (state === 'outside')
      cli.output.warn(
        `${asWord(path)} is outside the project: it is listed, but never loaded`,
      );
    if (state === 'denied')
      cli.output.warn(
        `a deny rule keeps ${asWord(path)} from agents: it is listed, but never loaded`,
      );
  }
}

/** The report for a text. What the model is told of the user is not for a person; documents have the step as it is. */
export function forReader<Report extends RunDocument>(
  { caller }: CommandContext,
  run: Run,
  report: Report,
): Report {
  const { step } = report;
  const isShownAsIs = readerOf(caller) === 'model' || step === null;
  if (isShownAsIs || run.kind !== 'template' || step.instructions === '')
    return report;
  const instructions = instructionsForPerson(run);
  return { ...report, step: { ...step, instructions } };
}

function instructionLines(
  cli: CommandContext,
  { run, step, context_action: pending }: RunDocument,
  requested: ContextCommand | null,
): string[] {
  const { root, session } = cli;
  // A person who answers in a terminal requests nothing, and what is due is left to the session, or done by `holdfast run`.
  const isLeft =
    session === null &&
    pending?.state === 'due' &&
    !wasDriven(root, run?.run_id ?? '');
  const action = requested ?? (isLeft ? pending.command : null);
  if (action !== null && session === null)
    return [requestElsewhereText(action)];
  if (action !== null && run !== null && isWaitingPhase(run))
    return [requestText(action)];
  if (action !== null)
    return [`${requestText(action)} If no user is there, continue without it.`];

  if (step === null || step.instructions === '') return [];
  const agent = agentLine(step, cli);
  const lines = agent === '' ? [] : [`Agent: ${agent}`];
  const instructions = sanitizeLinesWithFeedback(step.instructions);
  if (instructions.length === 1)
    return [...lines, `Instructions: ${instructions[0]}`];
  const quoted = instructions.map((line) => `  ${asQuotation(line)}`);
  return [...lines, 'Instructions:', ...quoted];
}

/** A line of a template, so that none passes for one of holdfast. */
const asQuotation = (line: string): string => `> ${line}`.trimEnd();

/** What continues a run after a person has decided about it in a terminal. */
export function continuation(cli: CommandContext, run: Run): string {
  if (sessionAtWork(cli, run) !== null)
    return 'tell the session that works on the run to continue; it runs holdfast status';
  return wasDriven(cli.root, run.runId)
    ? `holdfast run ${run.runId}`
    : resumeText(cli, run.runId);
}

/** What continues a run that is active and that no live session holds: a terminal cannot take one. */
export function resumeText(cli: CommandContext, runId: string): string {
  if (cli.session !== null) return `\`holdfast resume ${runId}\``;
  const typed = `\`/holdfast:resume ${runId}\` in Claude Code`;
  return cli.hasHooks() ? typed : `\`holdfast init\`, then ${typed}`;
}

export function agentLine(
  step: Status | null,
  { environment, caller }: Pick<CommandContext, 'environment' | 'caller'>,
): string {
  if (step === null || step.agent === null) return '';
  if (readerOf(caller) === 'person') return sanitizeLine(step.agent);
  const isOwn = step.agent === drivenClient(environment)?.agent;
  return `${sanitizeLine(step.agent)} (${isOwn ? 'this session' : 'delegate it'})`;
}

export function stepText(
  { bold }: Colors,
  reader: Reader,
  {
    step,
    context_action: pending,
  }: Pick<RunDocument, 'step' | 'context_action'>,
  action: ContextCommand | null,
): string {
  if (step === null) return '';
  if (action !== null) {
    return section(bold('First'), [
      `${requestText(action)} Then run \`holdfast status\` for the instructions. If no user is there to do it, run it anyway.`,
    ]);
  }
  return paragraphs([
    pending === null
      ? ''
      : section(bold('Before this step'), [contextActionText(pending, reader)]),
    section(
      bold('Instructions'),
      step.instructions === ''
        ? []
        : sanitizeLinesWithFeedback(step.instructions).map(asQuotation),
    ),
  ]);
}

export function taskSection(run: Run, colors: Colors): string {
  if (run.kind !== 'template') return '';
  const { template, machine, status } = run;
  const loop = loopsOf(template).get(status.step);
  const tasks =
    loop === undefined ? [] : (ownEntry(machine.tasks, loop.key) ?? []);
  return taskList(tasks, status.task?.id ?? null, colors);
}

export function taskList(
  tasks: readonly Task[],
  current: string | null,
  colors: Colors,
): string {
  const done = tasks.filter(({ status }) => status === 'done').length;
  const lines = foldAround(
    tasks,
    tasks.findIndex(({ id }) => id === current),
    (task) => taskLine(task, task.id === current, colors),
    ({ length }, side) =>
      side === 'before' ? pluralize(length, 'earlier task') : `${length} more`,
  );
  return section(colors.bold(`Tasks (${done} of ${tasks.length} done)`), lines);
}

function taskLine(
  { title, status, reason }: Task,
  isCurrent: boolean,
  colors: Colors,
): string {
  const text = `${isCurrent ? '▸' : ' '} [${BOXES[status]}] ${sanitizeLine(title)}`;
  const why = reason === undefined ? '' : `: ${sanitizeLine(reason)}`;
  if (status === 'done') return colors.green(text);
  if (status === 'failed') return colors.red(`${text} (failed${why})`);
  return isCurrent ? colors.bold(text) : text;
}

const BOXES: Record<Task['status'], string> = {
  done: 'x',
  failed: '!',
  pending: ' ',
  in_progress: ' ',
};

/** To a tool: the run after a change, which `lead` describes; or the context action that the user has to type first. */
export function runReply(
  context: OperationContext,
  {
    run,
    action,
    artifacts = null,
  }: Delivery & { artifacts?: DueArtifacts | null },
  lead: string,
): RunReply {
  const text = artifacts?.text ?? '';
  const due = text === '' ? {} : { artifacts: text };
  if (mustEndTurn(context.environment, run))
    return { message: `${lead} ${END_TURN}`, ...due };
  if (action !== null) return { ...contextReply(action), ...due };
  const message = `${lead}${endText(run)}`;
  return { message, ...whereItStands(context, run), ...due };
}

/** Follows a sentence about the last move of a run; empty if the run goes on. */
function endText({ state, path }: Run): string {
  if (state.status !== 'completed') return '';
  const whose =
    state.ended_early === undefined ? 'The workflow is complete; its' : 'Its';
  return ` ${whose} record is in ${path}.`;
}

/** The run as shown to a session that may not be its holder. */
export function statusReply(
  context: OperationContext,
  { run, action }: Delivery,
  others: readonly Run[],
): RunReply {
  if (mustEndTurn(context.environment, run)) return { message: END_TURN };
  if (action !== null) return contextReply(action);
  const reply = whereItStands(context, run);
  const holder = holderOf(run.state);
  if (context.session === null || holder === context.session) return reply;
  const holds = isHeldByLiveSession(run, context)
    ? `session ${shortId(holder ?? '')} does. Start another with workflow_start.`
    : `nobody does. Continue it with \`holdfast resume ${run.runId}\`, or start another with workflow_start.`;
  const message = `This session does not hold this run, ${holds}`;
  const ids = others.map(({ runId }) => runId);
  return ids.length === 0
    ? { message, ...reply }
    : { message, ...reply, others: ids };
}

const contextReply = (command: ContextCommand): ContextActionReply => ({
  contextAction: command,
  message:
    `Please run \`${command}\` first, then call workflow_status again. Only the user can type it: ask for it and ` +
    'end your turn. This is requested only once: if no user answers, call workflow_status, which then returns the instructions.',
});

function whereItStands(
  context: OperationContext,
  run: Run,
): TemplateRunReply | PhaseRunReply {
  const { state } = run;
  const facts = runFacts(context, run);
  const step = stepStatus(run);
  if (step !== null) return { ...step, ...facts };
  const { status = 'in_progress', status_reason: reason } = state;
  const { phase, phases } = state;
  return {
    status,
    ...(reason === undefined ? {} : { reason }),
    phase,
    ...(phases === undefined ? {} : { phases }),
    ...facts,
  };
}

/** What a session needs to know of any run, whether a template drives it or not. */
function runFacts(context: OperationContext, run: Run): RunFacts {
  const { runId, state } = run;
  const { workflow, phase, status_reason: reason } = state;
  const facts: RunFacts = { run: runId, workflow };

  const failure = failureText(run);
  if (failure !== null) facts.failure = failure;
  if (phase.status === 'blocked' && reason !== undefined)
    facts.blocked = reason;
  const skipped = skippedText(state);
  if (skipped !== '') facts.skipped = skipped;

  const action = contextActionOf(run);
  if (action !== null) facts.context = contextActionText(action);
  const wait = waitIdOf(run);
  if (wait !== null) facts.wait = wait;
  const warning = pivotWarning(run, 'model');
  if (warning !== null) facts.warning = warning;

  // What the session was not given, because it has not moved the run here itself.
  const due = dueArtifacts(state);
  if (due.length > 0)
    facts.artifacts = `Due at this step, to be loaded with prime_context: ${due.join(', ')}`;
  const reading = readingOf(context, run);
  if (reading.length > 0) facts.requiredReading = reading;
  const reminders = state.key_reminders ?? [];
  if (reminders.length > 0) facts.keyReminders = reminders;
  return facts;
}
