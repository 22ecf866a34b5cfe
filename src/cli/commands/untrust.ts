import { resolve } from 'node:path';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { describeTrustProblem } from '../../errors/templates.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import { isInside } from '../../io/read-file.ts';
import { slugOf } from '../../util/slug.ts';
import { findTemplate } from '../../workflow/template/find-template.ts';
import { isBuiltIn, isPath, stemOf } from '../../workflow/template/locations.ts';
import {
  hashOf,
  readTrust,
  untrust as forget,
  type TrustedTemplate,
} from '../../workflow/gates/trust.ts';
import type { CommandContext } from '../context.ts';
import { templateOfRun } from '../template-of-run.ts';

/** Revokes trust, including for content that the template had before it was changed or deleted. */
export function untrust(cli: CommandContext, given: string): void {
  const { problem, trusted } = readTrust(cli);
  if (problem !== null) cli.output.warn(describeTrustProblem(problem));
  const current = currentHash(cli, given);
  const matches = (entry: TrustedTemplate): boolean =>
    entry.hash === current || isNamed(cli, entry, given);
  const revoked = forget(cli, cli.now, matches);
  if (revoked.length === 0 && current === undefined) {
    const names = [...new Set(trusted.map(({ name }) => name))];
    throw new HoldfastError({ code: 'never_trusted', template: given, trusted: names });
  }
  const text =
    revoked.length === 0
      ? `${sanitizeLine(given)} is not trusted; nothing to revoke.`
      : `${sanitizeLine(given)} is no longer trusted; its gates will not run.`;
  cli.output.result({ untrusted: revoked }, text);
}

/** Undefined if the template is missing or broken; it can still be matched by name or path. */
function currentHash(cli: CommandContext, given: string): string | undefined {
  try {
    const { template } = templateOfRun(cli, given) ?? findTemplate(cli.root, cli.cwd, given);
    return hashOf(template);
  } catch (error) {
    if (error instanceof HoldfastError) return undefined;
    throw error;
  }
}

function isNamed(cli: CommandContext, { name, file }: TrustedTemplate, given: string): boolean {
  if (isPath(given)) return file === resolve(cli.cwd, given) || file === resolve(cli.root, given);
  const isHere = isBuiltIn(file) || isInside(cli.root, file);
  return isHere && [name, stemOf(file)].map(slugOf).includes(slugOf(given));
}
