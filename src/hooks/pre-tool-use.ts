import { homeFolder, configFolder } from '../io/user-folders.ts';
import { programFile, runtimeFolder } from '../io/runtime-paths.ts';
import type { HookContext } from './context.ts';
import { denyUntilRead } from './deny-until-read.ts';
import type { Reply } from './protocol.ts';

/** Most sessions have nothing left to read; they are answered from the hook state alone. */
export function preToolUse(context: HookContext): Reply {
  const { input, store, root, environment, packageFolder } = context;
  if (input.session === null || store.hookState().receipts[input.session] === undefined)
    return null;
  const home = homeFolder();
  const installed = runtimeFolder(configFolder(environment, home));
  const programs = [programFile(packageFolder), programFile(installed)];
  return denyUntilRead(context, { root, home, programs });
}
