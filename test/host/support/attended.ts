import type { TestContext } from 'vitest';
import type { ClientVersion } from './client.ts';
import { holdfastSettings, openHost } from './holdfast.ts';
import type { HostOptions } from './host.ts';
import { createRecorder } from './recorder.ts';
import type { ModelRequest } from './request.ts';

/** The interactive client; a turn is over when its Stop hook runs. */
export async function openAttendedHost(
  version: ClientVersion,
  context: TestContext,
  options: HostOptions = {},
) {
  const recorder = await createRecorder();
  context.onTestFinished(() => recorder.remove());
  const hooks = {
    ...holdfastSettings().hooks,
    ...recorder.hooks({ Stop: null }),
  };
  const host = await openHost(version, context, {
    ...options,
    files: { '.claude/settings.json': { hooks }, ...options.files },
  });

  async function sitDown() {
    const terminal = await host.terminal();
    const turnsOver = async () => (await recorder.calls('Stop')).length;
    /** Sends a line, waits for the end of the turn, and returns the first request that it led to. */
    const ask = async (line: string): Promise<ModelRequest> => {
      const [over, asked] = [await turnsOver(), host.model.turns().length];
      await terminal.say(line);
      await terminal.until(
        'the end of the turn',
        async () => (await turnsOver()) > over,
      );
      const request = host.model.turns()[asked];
      if (request === undefined)
        throw new Error(`the model was not asked: ${line}`);
      return request;
    };
    return { terminal, ask };
  }
  return { host, sitDown };
}
