import { createAutopilot } from './autopilot.ts';
import { clientOf, type On } from './client.ts';

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
    const [, verb] =
      /^\/?holdfast:(approve|reject|trust)$/.exec(e.command) ?? [];
    // A scheduled prompt, a program and another module look the same otherwise: only a person has typed it.
    if (verb === undefined || e.origin?.kind !== 'composer') return next(e);
    const client = clientOf($);
    const words = (e.args ?? '').trim();
    const text =
      verb === 'trust'
        ? await autopilot.trust(client, words)
        : await autopilot.answer(client, verb, words);
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
