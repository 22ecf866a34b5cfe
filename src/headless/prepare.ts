import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { HoldfastError, type Failure } from '../errors/holdfast-error.ts';
import type { OperationContext } from '../operations/open-project.ts';
import { requireOutsideOwnGate } from '../operations/target-run.ts';
import { drivenClient } from '../sessions/driven-client.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { isTrusted, readTrust } from '../workflow/gates/trust.ts';
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
  if (driven !== null) throw new HoldfastError({ code: 'driver_in_driver', run: driven.runId });
}

/** The hooks give the agent its step after a clear or a compaction, so nothing is driven without them. */
function hooksOff({ environment }: Pick<OperationContext, 'environment'>): Failure | null {
  return environment['HOLDFAST'] === 'off' ? { code: 'hooks_off' } : null;
}

/** Throws for a run that cannot be driven, before anything is started or changed. */
export function requireDrivable(context: OperationContext, run: StoredRun): void {
  requireOpenTemplateRun(context, run);
  const [failure] = drivingRefusals(context, run);
  if (failure !== undefined) throw new HoldfastError(failure);
}

/** Throws for a run without steps that are still to be done. */
export function requireOpenTemplateRun(context: OperationContext, run: StoredRun): void {
  const { runId, state } = run;
  requireOutsideOwnGate(context, run);
  const status = state.status ?? 'in_progress';
  if (status === 'completed' || status === 'cancelled')
    throw new HoldfastError({ code: 'run_finished', run: runId, status });
  if (parseRun(state).kind !== 'template')
    throw new HoldfastError({ code: 'not_drivable', run: runId });
}

/** Why `run` would refuse this run now; its plan can still be shown. */
export function drivingRefusals(context: OperationContext, run: StoredRun): Failure[] {
  const { runId, state } = run;
  const status = state.status ?? 'in_progress';
  return [
    status === 'in_progress'
      ? null
      : ({ code: 'not_active', run: runId, status, command: 'run' } as const),
    untrustedGate(context, runId, state),
    heldBySession(context, run),
  ].filter((failure) => failure !== null);
}

/** Driven steps run their gates without a question, so they have to be trusted before the first one. */
export function untrustedGate(
  context: OperationContext,
  runId: string,
  state: RunState,
): Failure | null {
  const run = parseRun(state);
  if (run.kind !== 'template') return null;
  const [gate] = gatesOf(run.template);
  if (gate === undefined || isTrusted(context, run.template)) return null;
  const { problem } = readTrust(context);
  return {
    code: 'gate_untrusted',
    template: run.template.name,
    command: gate.command,
    run: runId,
    problem,
  };
}

/** The client on this machine. Throws if it is missing, too old, or would run what nobody has trusted. */
export function requireClient(
  context: OperationContext,
  { packageFolder, hostFile }: Pick<Installation, 'packageFolder' | 'hostFile'>,
): FoundClient {
  const { root, config, environment } = context;
  const off = hooksOff(context);
  if (off !== null) throw new HoldfastError(off);
  if (!isTrustedFolder(root, hostFile)) {
    const brings = foreignPrograms({ root, config, packageFolder });
    if (brings.length > 0) throw new HoldfastError({ code: 'project_not_trusted', root, brings });
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
