import { existsSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { withholder } from '../files/context-files.ts';
import { configFolder, homeFolder } from '../files/environment.ts';
import { locate } from '../files/read-file.ts';
import { unreadableInput } from '../text/holdfast-error.ts';
import { isRunByAgent, type OperationContext } from './open-project.ts';

/** A path relative to the project root. The given one may be relative to the root or to the working directory. */
export function projectPath({ root, cwd }: OperationContext, given: string): string {
  const inRoot = /^\{project_root\}\/+(.+)$/.exec(given)?.[1];
  const fromHere = inRoot === undefined ? resolve(cwd, given) : join(root, inRoot);
  const fromRoot = join(root, given);
  const full = !existsSync(fromHere) && existsSync(fromRoot) ? fromRoot : fromHere;
  return relative(root, full).split(sep).join('/');
}

/**
 * The client lets an agent name files to holdfast without asking, so they must not show it what it may not read. The
 * plans that the client itself has stored are the agent's own.
 */
export function requireReadable(context: OperationContext, given: string): void {
  if (!isRunByAgent(context)) return;
  const { root, cwd, environment } = context;
  const plans = join(configFolder(environment, homeFolder()), 'plans');
  const isWithheld = withholder(root);
  for (const full of [resolve(cwd, given), resolve(root, given)]) {
    const isOutside =
      locate(root, full) === 'outside the project' && locate(plans, full) !== 'inside';
    if (isOutside || isWithheld(full))
      throw unreadableInput(
        given,
        `it is ${isOutside ? 'outside the project' : 'withheld from agents'}, and this is an agent's session`,
        'pipe the text in where the command takes `-`, or name a file in the project; nothing was changed',
      );
  }
}
