import { resolve } from 'node:path';
import { HoldfastError } from '../../text/holdfast-error.ts';
import { isInside } from '../../files/environment.ts';
import { shellQuote } from '../../text/shell-commands.ts';
import { slugOf } from '../../text/slug.ts';
import {
  hashOf,
  isTrusted,
  readTrust,
  requireOutsideProject,
  trust,
  untrust,
  type TrustedTemplate,
} from '../../templates/gates/trust.ts';
import { gatesOf, type Gate } from '../../templates/machine/gates.ts';
import { parseRun } from '../../templates/run-view.ts';
import { findTemplate, type FoundTemplate } from '../../templates/find-template.ts';
import { isBuiltIn, isPath, stemOf } from '../../templates/locations.ts';
import { type OperationContext, isRunByAgent } from '../../sessions/open-project.ts';

export interface TrustRequest {
  found: FoundTemplate;
  gates: Gate[];
  state: 'no_gates' | 'trusted' | 'untrusted';
}

/** The template that a user is asked to trust, with the commands it would run. Only a person is ever asked. */
export function findTrustRequest(context: OperationContext, given: string): TrustRequest {
  const found = findTemplateOrRun(context, given);
  const gates = gatesOf(found.template);
  if (gates.length === 0) return { found, gates, state: 'no_gates' };
  if (isRunByAgent(context)) {
    throw new HoldfastError(
      'trust_from_agent',
      `"${found.template.name}" runs commands; only a person can trust it, not an agent's session`,
      {
        hint: `ask the user to run \`holdfast trust ${shellQuote(given)}\` in a terminal of their own`,
      },
    );
  }
  requireOutsideProject(context);
  warnOfTrustProblem(context);
  return { found, gates, state: isTrusted(context, found.template) ? 'trusted' : 'untrusted' };
}

/** Lets exactly this content run its commands. */
export function grantTrust(
  context: OperationContext,
  { found: { template, file, origin } }: TrustRequest,
): TrustedTemplate {
  const place = origin === 'built-in' ? file : resolve(context.root, file);
  return trust(context, template, place, context.now);
}

/** Revokes trust, including for content that the template had before it was changed or deleted. */
export function revokeTrust(context: OperationContext, given: string): TrustedTemplate[] {
  const trusted = warnOfTrustProblem(context);
  const current = currentHash(context, given);
  const matches = (entry: TrustedTemplate): boolean =>
    entry.hash === current || isNamed(context, entry, given);
  const revoked = untrust(context, context.now, matches);
  if (revoked.length === 0 && current === undefined) {
    const names = [...new Set(trusted.map(({ name }) => name))];
    throw new HoldfastError('never_trusted', `"${given}" was never trusted`, {
      hint: names.length === 0 ? 'no template is trusted' : `trusted: ${names.join(', ')}`,
    });
  }
  return revoked;
}

function warnOfTrustProblem(context: OperationContext): TrustedTemplate[] {
  const { problem, trusted } = readTrust(context);
  if (problem !== null) context.warn(problem);
  return trusted;
}

/** A run may hold a template that differs from the file it came from. */
function findTemplateOrRun(context: OperationContext, given: string): FoundTemplate {
  const stored = context.store.list().runs.find((candidate) => candidate.runId === given);
  const run = stored && parseRun(stored.state);
  return stored !== undefined && run?.kind === 'template'
    ? { template: run.template, file: stored.path, origin: 'path' }
    : findTemplate(context.root, context.cwd, given);
}

/** Undefined if the template is missing or broken; it can still be matched by name or path. */
function currentHash(context: OperationContext, given: string): string | undefined {
  try {
    return hashOf(findTemplateOrRun(context, given).template);
  } catch (error) {
    if (error instanceof HoldfastError) return undefined;
    throw error;
  }
}

function isNamed(
  { root, cwd }: OperationContext,
  { name, file }: TrustedTemplate,
  given: string,
): boolean {
  if (isPath(given)) return file === resolve(cwd, given) || file === resolve(root, given);
  const isHere = isBuiltIn(file) || isInside(root, file);
  return isHere && [name, stemOf(file)].map(slugOf).includes(slugOf(given));
}
