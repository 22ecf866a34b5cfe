import { revokeTrust } from '../../operations/trust.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import type { CommandContext } from '../context.ts';

export function untrust(cli: CommandContext, given: string): void {
  const revoked = revokeTrust(cli, given);
  const text =
    revoked.length === 0
      ? `${sanitizeLine(given)} is not trusted; nothing to revoke.`
      : `${sanitizeLine(given)} is no longer trusted; its gates will not run.`;
  cli.output.result({ untrusted: revoked }, text);
}
