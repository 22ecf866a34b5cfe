import {
  keepSecret,
  secretFromStdin,
  startingClient,
} from '../sessions/client-secret.ts';
import { mayBringSecret } from '../sessions/rights.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { command } from './command.ts';

/** Called by the module when its client starts, with the secret by which its answers are known. */
export const registerClient = command({
  usage: 'register-client',
  about: 'called by the module with the secret of its client on standard input',
  examples: [],
  isHidden: true,
  isLook: true,
  run: ({ caller, config, now }) => {
    const secret = secretFromStdin();
    const client = startingClient();
    const isKept =
      mayBringSecret(caller) &&
      secret !== null &&
      client !== null &&
      keepSecret(config, client, secret, now);
    if (isKept) return;
    const message =
      "the secret was not kept: only that of a client's own module counts, before the first turn";
    const hint =
      'until the client is started again, approve and trust in a terminal';
    throw new HoldfastError('client_not_registered', message, { hint });
  },
});
