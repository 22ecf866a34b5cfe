import { existsSync } from 'node:fs';
import { syncMark } from '../../files/environment.ts';
import { runGit } from '../../files/run-git.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import type { Facts } from '../facts.ts';
import { broken, ok, quoteForShell, warning, type Finding } from '../finding.ts';

const RUNS = 'refs/holdfast/runs/';
/** What `sync` keeps, and what excludes it from a refspec. A fetch that prunes removes the second, too. */
const KEPT = [
  { folder: RUNS, exclusion: '^refs/holdfast/*' },
  { folder: 'refs/worktree/holdfast/', exclusion: '^refs/worktree/*' },
];

/** Whether `holdfast sync` is on, and whether an ordinary `git fetch` or `git push` could destroy what it keeps. */
export function checkSync({ root, environment, config: folder }: Facts): Finding[] {
  const words = ['config', '-z', '--get-regexp', '^(holdfast|remote)\\.'];
  const answer = runGit(root, words, environment);
  const text = answer.kind === 'ended' && answer.code === 0 ? answer.stdout : '';
  const config = text
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => ({
      key: entry.split('\n', 1)[0] ?? '',
      value: entry.includes('\n') ? entry.slice(entry.indexOf('\n') + 1) : 'true',
    }));
  const remotes = new Set(
    config.flatMap(({ key, value }) => (/^holdfast\..+\.sync$/s.test(key) ? [value] : [])),
  );
  // The configuration of an unpacked archive switches nothing on.
  const id = config.find(({ key }) => key === 'holdfast.cloneid')?.value ?? '';
  if (remotes.size === 0 || !existsSync(syncMark(folder, id))) return [ok('sync is off')];
  const found = config.flatMap((entry) => danger(entry, config));
  for (const name of remotes)
    if (config.every(({ key }) => key !== `remote.${name}.url`)) {
      const message = `sync is on with ${sanitizeLine(name)}, which is not a remote of this clone`;
      found.push(broken(message, 'holdfast sync on <remote>, or holdfast sync off'));
    }
  const names = [...remotes].map(sanitizeLine).join(', ');
  return found.length > 0 ? found : [ok(`sync is on with ${names}`)];
}

interface ConfigEntry {
  key: string;
  value: string;
}

/** An entry by which git replaces or removes runs that were not sent yet, or those of other machines. */
function danger({ key, value }: ConfigEntry, config: readonly ConfigEntry[]): Finding[] {
  const [, name = '', setting] = /^remote\.(.+)\.(fetch|push|mirror)$/s.exec(key) ?? [];
  const remote = sanitizeLine(name);
  const evidence = [sanitizeLine(`${key} = ${value}`)];
  const unset = `git config --unset ${quoteForShell(key)}`;
  if (setting === 'fetch' && !value.startsWith('^')) {
    const values = new Set(config.flatMap((other) => (other.key === key ? [other.value] : [])));
    const fix = KEPT.filter(({ folder }) => writesTo(folder, value) && !values.has('^refs/*'))
      .filter(({ exclusion }) => !values.has(exclusion))
      .map(({ exclusion }) => `git config --add ${quoteForShell(key)} ${quoteForShell(exclusion)}`);
    const message = `\`git fetch ${remote}\` can replace runs here that were not sent yet`;
    return fix.length === 0 ? [] : [warning(message, fix.join(' && '), evidence)];
  }
  const push = `\`git push ${remote}\``;
  if (setting === 'push' && value.startsWith('+') && writesTo(RUNS, value))
    return [warning(`${push} can replace runs of other machines on the remote`, unset, evidence)];
  if (setting === 'mirror' && /^(?:true|yes|on|1)$/i.test(value))
    return [warning(`${push} mirrors, so it removes runs of other machines`, unset, evidence)];
  return [];
}

/** Whether the right-hand side, with or without a wildcard, is a ref in that folder. */
function writesTo(folder: string, refspec: string): boolean {
  const [, to] = refspec.replace(/^\+/, '').split(':');
  if (to === undefined) return false;
  const [start = '', end] = to.split('*');
  return end === undefined
    ? start.startsWith(folder)
    : folder.startsWith(start) || start.startsWith(folder);
}
