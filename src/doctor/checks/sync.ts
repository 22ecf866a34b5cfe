import fse from 'fs-extra';
import { syncMark } from '../../files/environment.ts';
import { runGit } from '../../files/run-git.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import type { Facts } from '../facts.ts';
import { broken, ok, type Finding } from '../finding.ts';

/** Whether `holdfast sync` is on, with a remote that there is. */
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
  if (remotes.size === 0 || !fse.existsSync(syncMark(folder, id))) return [ok('sync is off')];
  return [...remotes].map((name) =>
    config.some(({ key }) => key === `remote.${name}.url`)
      ? ok(`sync is on with ${sanitizeLine(name)}`)
      : broken(
          `sync is on with ${sanitizeLine(name)}, which is not a remote of this clone`,
          'holdfast sync on <remote>, or holdfast sync off',
        ),
  );
}
