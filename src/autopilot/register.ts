import { createAutopilot, type Autopilot } from './autopilot.ts';
import { clientOf, type Client, type On } from './client.ts';

/** The client calls this once, when it loads the module. Sub-agents have turns of their own, which are not ours. */
export function register(on: On): void {
  const autopilot = createAutopilot();
  on('session.start', async ($, e, next) => {
    if (e.isInteractive) await autopilot.clientStarted(clientOf($));
    const result = await next(e);
    if (e.isInteractive) autopilot.sessionStarted(clientOf($));
    return result;
  });
  on('session.end', async (_, e, next) => {
    autopilot.sessionEnded();
    return next(e);
  });
  on('turn.start', async (_, e, next) => {
    if (e.agentId === undefined) await autopilot.turnStarted();
    return next(e);
  });
  on('command.run', async ($, e, next) => {
    // A scheduled prompt, a program and another module look the same otherwise: only a person has typed it.
    if (e.origin?.kind !== 'composer') return next(e);
    const client = clientOf($);
    const words = (e.args ?? '').trim();
    const text = await carryOut(autopilot, client, e.command, words);
    return text === null ? next(e) : { text };
  });
  on('prompt.submit', async (_, e, next) => {
    if (e.turnId !== undefined) autopilot.promptQueued();
    return next(e);
  });
  on('turn.complete', async ($, e, next) => {
    const result = await next(e);
    if (e.agentId === undefined)
      autopilot.turnCompleted(clientOf($), e.reason === 'answer');
    return result;
  });
  on('session.compact', async ($, e, next) => {
    const isOwn = e.agentId === undefined && e.trigger !== 'precompute';
    const text = isOwn ? await autopilot.summary(clientOf($)) : '';
    if (text === '') return next(e);
    return next({
      ...e,
      instructions: [e.instructions ?? '', text].join('\n\n').trim(),
    });
  });
  on('session.measure', async ($, e, next) => {
    autopilot.measured(clientOf($), e.context);
    return next(e);
  });
}

/** What to show after a slash command of the user; null for one that the module leaves to the client and its hooks. */
async function carryOut(
  autopilot: Autopilot,
  client: Client,
  command: string,
  words: string,
): Promise<string | null> {
  // `/holdfast:approve`; the client may leave the slash out.
  switch (command.replace(/^\//, '')) {
    case 'holdfast:approve':
      return autopilot.answer(client, 'approve', words);
    case 'holdfast:reject':
      return autopilot.answer(client, 'reject', words);
    case 'holdfast:trust':
      return autopilot.trust(client, words);
    default:
      return null;
  }
}
