import { readFileSync } from 'node:fs';
import {
  runOther,
  type CallOptions,
  type Result,
  type Sandbox,
} from './cli.ts';

/** A payload recorded from the real client, with some fields replaced. */
export function recorded(
  name: string,
  changes: object,
  version = '2.1.325',
): string {
  const path = new URL(
    `../fixtures/host-recordings/claude-code-${version}/${name}.json`,
    import.meta.url,
  );
  return JSON.stringify({
    ...JSON.parse(readFileSync(path, 'utf8')),
    ...changes,
  });
}

let prompts = 0;

export function hook(
  box: Sandbox,
  name: string,
  changes: object = {},
  options: CallOptions = {},
): Result {
  prompts += 1;
  const prompt = { prompt_id: `prompt-${prompts}` };
  return box.run(['hook'], {
    ...options,
    input: recorded(name, { cwd: box.root, ...prompt, ...changes }),
  });
}

/** The line that a settings file registers for an event. */
export function registered(path: string, event: string): string {
  return JSON.parse(readFileSync(path, 'utf8')).hooks[event][0].hooks[0]
    .command;
}

/** As the client does it: a shell runs the line, with the payload on standard input. */
export function fire(
  box: Sandbox,
  line: string,
  payload: string,
  env: Record<string, string> = {},
): Result {
  const own = { PATH: process.env['PATH'], HOME: box.home };
  return runOther('sh', ['-c', line], {
    cwd: box.root,
    input: payload,
    env: { ...own, ...env },
  });
}

export function preCompact(
  box: Sandbox,
  session: string,
  options: CallOptions = {},
): Result {
  return hook(box, 'precompact-auto', { session_id: session }, options);
}

export interface Started extends Result {
  context: string;
  userLine: string;
}

/** Sends SessionStart as the client does, and returns what reaches the model and the user. */
export function sessionStart(
  box: Sandbox,
  session: string,
  source: string,
  { fields, ...options }: CallOptions & { fields?: object } = {},
): Started {
  const payload = { session_id: session, ...fields };
  const result = hook(box, `sessionstart-${source}`, payload, options);
  if (result.stdout === '') return { ...result, context: '', userLine: '' };
  const reply = JSON.parse(result.stdout);
  const { hookSpecificOutput: output } = reply;
  if (output !== undefined && output.hookEventName !== 'SessionStart')
    throw new Error(result.stdout);
  return {
    ...result,
    context: output?.additionalContext ?? '',
    userLine: reply.systemMessage,
  };
}
