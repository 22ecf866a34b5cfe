import { hostname } from 'node:os';
import { isAbsolute, relative, sep } from 'node:path';
import { digestOf } from '../io/digest.ts';
import { checkedOutCommit } from '../io/git.ts';
import type { Environment } from '../state/types.ts';

/** `claudePid` is the host's process, where it tells: it stays the same across /clear. */
export function environmentOf(
  root: string,
  cwd: string,
  claudePid: string | undefined,
): Environment {
  const commit = checkedOutCommit(root);
  return {
    hostname: hostname(),
    platform: process.platform,
    cwd: withProjectRoot(root, cwd),
    checkout: checkoutOf(root),
    ...(commit === undefined ? {} : { git_commit: commit }),
    ...(claudePid === undefined || claudePid === '' ? {} : { claude_pid: claudePid }),
  };
}

/** Which checkout this is: a state folder that was copied to another one brings along sessions that live elsewhere. */
export function checkoutOf(root: string): string {
  return digestOf(root);
}

/** A path inside the project in a form that is true on another machine too. */
export function withProjectRoot(root: string, path: string): string {
  const inside = relative(root, path);
  if (inside === '') return '{project_root}';
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return path;
  return `{project_root}/${inside.split(sep).join('/')}`;
}
