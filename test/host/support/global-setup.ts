import { CLIENT_VERSIONS, installClient } from './client.ts';

/** Once before all workers, so that they don't fetch the same client twice; a failure here fails the whole run. */
export default async function setup(): Promise<void> {
  for (const version of CLIENT_VERSIONS) await installClient(version);
}
