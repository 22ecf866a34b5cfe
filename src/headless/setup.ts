import { dirname, join } from 'node:path';
import fse from 'fs-extra';
import { readClientSettings } from '../doctor/client-settings.ts';
import { LEAST_CLIENT, versionFrom } from '../doctor/facts.ts';
import { isAtLeast } from '../text/version.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { hookEntries, isSameHook, withHooks } from '../install/hooks.ts';
import { findOnPath } from '../files/is-executable.ts';
import { programFile } from '../files/environment.ts';
import type { OperationContext, Project } from '../sessions/open-project.ts';
import { gateUntrusted } from '../runs/pass-gates.ts';
import {
  findRunAnywhere,
  findTargetRun,
  notActive,
  previewTarget,
  requireOutsideOwnGate,
} from '../runs/which-run.ts';
import { drivenClient } from '../sessions/client-process.ts';
import type { Run } from '../state/types.ts';
import { shellQuote } from '../text/shell-commands.ts';
import { isTrusted } from '../templates/gates/trust.ts';
import { gatesOf } from '../machine/gates.ts';
import type { RunEvent } from './event-types.generated.ts';
import type { DriverRecord } from './record.ts';
import type { RunLog } from './run-log.ts';
import { sessionAtWork } from './session-at-work.ts';
import { requireTrustedProject, type ProjectPlaces } from './trust.ts';
import { asWord } from '../text/sanitize.ts';
import { requireUsable } from '../state/run.ts';

/** What the user allows this call of `run`; times are in milliseconds, costs in dollars. */
export interface RunOptions {
  template: string | undefined;
  set: [string, string][];
  maxCost: number | undefined;
  maxTime: number | undefined;
  stepTime: number | undefined;
  model: string | undefined;
  permissionMode: string | undefined;
  allow: string[];
  waitLimits: boolean;
  onStop: string | undefined;
  step: boolean;
  dryRun: boolean;
}

/** Everything that the parts of the driver share. */
export interface DriveContext {
  runId: string;
  /** Of its state file when the driver began. */
  path: string;
  root: string;
  options: RunOptions;
  /** The command that continues the run in the same way. */
  next: string;
  setup: DriverSetup;
  record: DriverRecord;
  log: RunLog;
  /** A context of now; the session is that of the client which works on the run. */
  open: (session: string | null) => OperationContext;
  emit: (event: DriverEvent) => void;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  /** The first wait after a failed request, and how long a client may be silent. */
  timing: { firstWaitMs: number | undefined; silenceMs: number };
}

/** An event before it is printed and logged with its time and its run. */
type Unstamped<Event> = Event extends RunEvent
  ? Omit<Event, 'at' | 'run'>
  : never;
export type DriverEvent = Unstamped<RunEvent>;

/** The installation that drives. */
export type Installation = Omit<ProjectPlaces, 'root' | 'config'>;

/** Throws in a session that is driven itself: it would wait for its own end. */
export function requireNotDriven({
  environment,
}: Pick<Project, 'environment'>): void {
  const driven = drivenClient(environment);
  if (driven === null) return;
  throw new HoldfastError(
    'driver_in_driver',
    `this command runs inside a session that \`holdfast run\` drives for ${driven.runId}`,
    {
      hint: 'finish the step with `holdfast advance`; the driver continues the run',
    },
  );
}

/** The run to drive. Throws if its steps are not there or not to be done any more. */
export function runToDrive(
  context: OperationContext,
  name: string | undefined,
): Run {
  const run = findRun(context, name);
  const { runId, state } = run;
  requireOutsideOwnGate(context, run);
  const { status = 'in_progress' } = state;
  if (status === 'completed' || status === 'cancelled')
    throw new HoldfastError('run_finished', `${runId} is ${status}`, {
      hint: `bring it back with \`holdfast reopen ${runId}\`, or start another with \`holdfast run --template <template>\``,
    });
  if (requireUsable(run).kind !== 'template')
    throw notDrivable(
      `${runId} has no template, so there are no steps to drive`,
    );
  return run;
}

/** A finished one is found as well if it is named. One that is only declared is not stored: it has no steps to drive. */
function findRun(context: OperationContext, name: string | undefined): Run {
  const run = previewTarget(context, name);
  if (run !== null) return run;
  if (name !== undefined) return findRunAnywhere(context, name);
  const { runs, unreadable } = context.store.list();
  // Where there is nothing, a run without steps would not help.
  if (runs.length + unreadable.length === 0)
    throw notDrivable('no run here can be driven');
  return findTargetRun(context, name);
}

export const notDrivable = (sentence: string): HoldfastError =>
  new HoldfastError('not_drivable', sentence, {
    hint: 'start one with `holdfast run --template <template>`; `holdfast templates` lists them',
  });

/** Why `run` would refuse this run now; its plan can still be shown. */
export function drivingRefusals(
  context: OperationContext,
  run: Run,
): HoldfastError[] {
  const { runId } = run;
  const refusals: HoldfastError[] = [];
  const inactive = notActive(run, 'run');
  if (inactive !== null) refusals.push(inactive);
  refusals.push(...untrustedGates(context, run));
  const busy = sessionAtWork(context, run);
  if (busy !== null)
    refusals.push(heldByLiveSession(runId, busy.session, busy.seen));
  return refusals;
}

export function heldByLiveSession(
  run: string,
  session: string,
  seen: string,
): HoldfastError {
  return new HoldfastError(
    'held_by_session',
    `${run} belongs to the live session ${asWord(session)}, seen ${seen}`,
    {
      hint: `end that session, or let go of the run there with \`holdfast release ${run}\``,
    },
  );
}

/** Driven steps run their gates without a question, so they have to be trusted before the first one. */
export function untrustedGates(
  context: Project,
  run: Run,
  /** What is trusted by `holdfast trust`: the run, or the template that it is started from. */
  name = run.runId,
): HoldfastError[] {
  const usable = requireUsable(run);
  if (usable.kind === 'phases') return [];
  const { template } = usable;
  const [gate] = gatesOf(template);
  if (gate === undefined || isTrusted(context, template)) return [];
  return [gateUntrusted(context, name, template, gate.command)];
}

/** On a busy machine the client takes long to start for the first time. */
const VERSION_TIMEOUT_MS = 60_000;

/**
 * The client on this machine, and its version. Throws if it is missing, too old, or would run what nobody has trusted.
 */
export function requireClient(
  { root, config, environment }: Project,
  installation: Installation,
): { program: string; version: string } {
  // The hooks give the agent its step after a clear or a compaction, so nothing is driven without them.
  if (environment['HOLDFAST'] === 'off') throw hooksOff();
  requireTrustedProject({ ...installation, root, config });

  const program = findOnPath('claude', environment['PATH']);
  if (program === null) throw noClient('is not on the PATH');
  const version = versionFrom(
    program,
    ['--version'],
    environment,
    VERSION_TIMEOUT_MS,
  );
  if (version === null)
    throw noClient(`(${program}) does not start, or reports no version`);
  if (!isAtLeast(version, LEAST_CLIENT)) throw clientTooOld(version);
  return { program, version };
}

function hooksOff(): HoldfastError {
  return new HoldfastError(
    'hooks_off',
    'HOLDFAST=off is set, so no hook would do anything, and a driven run depends on them',
    { hint: 'unset HOLDFAST and repeat the command; nothing was started' },
  );
}

function noClient(why: string): HoldfastError {
  return new HoldfastError(
    'no_client',
    `Claude Code was not found: \`claude\` ${why}`,
    {
      hint: 'install it (npm install -g @anthropic-ai/claude-code), or add its folder to the PATH',
    },
  );
}

function clientTooOld(version: string): HoldfastError {
  return new HoldfastError(
    'client_too_old',
    `Claude Code ${version} cannot be driven: it has no hooks that start without a shell, and no --max-budget-usd that counts a whole session`,
    {
      hint: `update it with \`claude update\`; ${LEAST_CLIENT} or newer is needed`,
    },
  );
}

/** How the client is started for this project. */
export interface DriverSetup {
  client: { program: string; version: string };
  environment: Project['environment'];
  /** They load the hooks of holdfast; null where these are installed. */
  settings: string | null;
  /** Its `holdfast` is the one that drives the run: the agent's shell finds it first. */
  programFolder: string;
  /** Whether the client knows an agent from a file. */
  hasAgentFile: (agent: string) => boolean;
}

/** Throws if the client cannot be started. */
export function prepareSetup(
  context: OperationContext,
  installation: Installation,
): DriverSetup {
  const { root, config, environment } = context;
  const program = programFile(installation.packageFolder);
  const agentFolders = [
    join(root, '.claude', 'agents'),
    join(config, 'agents'),
  ];
  return {
    client: requireClient(context, installation),
    environment,
    settings: hookSettings(context, program),
    programFolder: dirname(program),
    hasAgentFile: (agent) => hasAgentFile(agentFolders, agent),
  };
}

/** The name of an agent comes from a template: it must not lead out of the folder. */
const AGENT_FILE_NAME = /^[\p{L}\p{N}._-]+$/u;

function hasAgentFile(folders: readonly string[], agent: string): boolean {
  if (!AGENT_FILE_NAME.test(agent)) return false;
  return folders.some((folder) => fse.existsSync(join(folder, `${agent}.md`)));
}

/**
 * Settings with the hooks that are not installed for this project; null if all are, so that none runs twice. They name
 * their Node, because the first one on the PATH may be any.
 */
function hookSettings(context: Project, program: string): string | null {
  // Only newer clients read the settings of another folder of the project.
  const installed = readClientSettings(context).registrations.filter(
    ({ elsewhere }) => elsewhere === null,
  );
  const command = [process.execPath, program, 'hook'].map(shellQuote).join(' ');
  const isBlocking = context.settings.reading.enforce === 'block';
  const missing = hookEntries(() => command, isBlocking).filter(
    (entry) => !installed.some((hook) => isSameHook(hook, entry)),
  );
  if (missing.length === 0) return null;
  // On one line, because it becomes a word of the command.
  return JSON.stringify(JSON.parse(withHooks('{}', missing)));
}
