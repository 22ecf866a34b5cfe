import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { HoldfastError } from '../errors/holdfast-error.ts';
import type { OperationContext } from '../operations/open-project.ts';
import { gateUntrusted } from '../operations/pass-gates.ts';
import { notActive, requireOutsideOwnGate } from '../operations/target-run.ts';
import { drivenClient } from '../sessions/driven-client.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { isTrusted } from '../workflow/gates/trust.ts';
import { gatesOf } from '../workflow/machine/gates.ts';
import { parseRun } from '../workflow/run.ts';
import { findClient, type FoundClient } from './client/find-client.ts';
import type { ClientSetup } from './drive-context.ts';
import { heldBySession } from './record/held-by-session.ts';
import { hookSettings } from './client/hook-settings.ts';
import { makeProgramFolder } from './client/program-folder.ts';
import { foreignPrograms, isTrustedFolder } from './trust/project-trust.ts';

/** The installation that drives. */
export interface Installation {
  packageFolder: string;
  program: string;
  node: string;
  /** The client's own file about the user and the projects. */
  hostFile: string;
}

/** Throws in a session that is driven itself: it would wait for its own end. */
export function requireNotDriven({ environment }: Pick<OperationContext, 'environment'>): void {
  const driven = drivenClient(environment);
  if (driven === null) return;
  throw new HoldfastError(
    'driver_in_driver',
    `this command runs inside a session that \`holdfast run\` drives for ${driven.runId}`,
    { hint: 'finish the step with `holdfast advance`; the driver continues the run' },
  );
}

/** Throws for a run that cannot be driven, before anything is started or changed. */
export function requireDrivable(context: OperationContext, run: StoredRun): void {
  requireOpenTemplateRun(context, run);
  const [failure] = drivingRefusals(context, run);
  if (failure !== undefined) throw failure;
}

/** Throws for a run without steps that are still to be done. */
export function requireOpenTemplateRun(context: OperationContext, run: StoredRun): void {
  const { runId, state } = run;
  requireOutsideOwnGate(context, run);
  const status = state.status ?? 'in_progress';
  if (status === 'completed' || status === 'cancelled')
    throw new HoldfastError('run_finished', `${runId} is ${status}`, {
      hint: `bring it back with \`holdfast reopen ${runId}\`, or start another with \`holdfast run --template <template>\``,
    });
  if (parseRun(state).kind !== 'template') throw notDrivable(runId);
}

/** What to do where nothing can be driven. */
export const START_ONE =
  'start one with `holdfast run --template <template>`; `holdfast templates` lists them';

export function notDrivable(run: string): HoldfastError {
  return new HoldfastError(
    'not_drivable',
    `${run} has no template, so there are no steps to drive`,
    { hint: START_ONE },
  );
}

/** Why `run` would refuse this run now; its plan can still be shown. */
export function drivingRefusals(context: OperationContext, run: StoredRun): HoldfastError[] {
  const { runId, state } = run;
  return [
    notActive(run, 'run'),
    untrustedGate(context, runId, state),
    heldBySession(context, run),
  ].filter((failure) => failure !== null);
}

/** Driven steps run their gates without a question, so they have to be trusted before the first one. */
export function untrustedGate(
  context: OperationContext,
  runId: string,
  state: RunState,
): HoldfastError | null {
  const run = parseRun(state);
  if (run.kind !== 'template') return null;
  const [gate] = gatesOf(run.template);
  if (gate === undefined || isTrusted(context, run.template)) return null;
  return gateUntrusted(context, runId, run.template, gate.command);
}

/** The client on this machine. Throws if it is missing, too old, or would run what nobody has trusted. */
export function requireClient(
  context: OperationContext,
  { packageFolder, hostFile }: Pick<Installation, 'packageFolder' | 'hostFile'>,
): FoundClient {
  const { root, config, environment } = context;
  // The hooks give the agent its step after a clear or a compaction, so nothing is driven without them.
  if (environment['HOLDFAST'] === 'off')
    throw new HoldfastError(
      'hooks_off',
      'HOLDFAST=off is set, so no hook would do anything, and a driven run depends on them',
      { hint: 'unset HOLDFAST and repeat the command; nothing was started' },
    );
  if (!isTrustedFolder(root, hostFile)) {
    const brings = foreignPrograms({ root, config, packageFolder });
    if (brings.length > 0)
      throw new HoldfastError(
        'project_not_trusted',
        `${root} is not trusted in Claude Code, and it brings ${brings.join(', ')}`,
        {
          hint: 'read them, then start `claude` there once and accept its question; driven sessions would run them without asking',
        },
      );
  }
  return findClient(environment);
}

/** How the client is started for this project. Throws if it cannot be. */
export function prepareSetup(context: OperationContext, installation: Installation): ClientSetup {
  const { root, config, environment, settings } = context;
  const { packageFolder, program, node } = installation;
  const client = requireClient(context, installation);
  return {
    client,
    environment,
    settings: hookSettings({
      root,
      config,
      packageFolder,
      node,
      environment,
      isBlocking: settings.reading.enforce === 'block',
    }),
    programFolder: makeProgramFolder(config, { node, program }),
    hasAgentFile: (agent) =>
      /^[\p{L}\p{N}._-]+$/u.test(agent) &&
      [join(root, '.claude'), config].some((folder) =>
        existsSync(join(folder, 'agents', `${agent}.md`)),
      ),
  };
}
