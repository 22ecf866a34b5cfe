import fse from 'fs-extra';
import { syncMark } from '../../files/environment.ts';
import { runGit } from '../../files/run-git.ts';
import { asWord } from '../../text/sanitize.ts';
import type { Facts } from '../facts.ts';
import { broken, ok, type Finding } from '../finding.ts';

/** Whether `holdfast sync` is on, with a remote that there is. */
export function checkSync({ root, environment, config }: Facts): Finding[] {
  const lines = (words: string[]): string[] => {
    const answer = runGit(root, words, environment);
    return answer.kind === 'ended'
      ? answer.stdout.split('\n').filter((line) => line !== '')
      : [];
  };
  // The configuration of an unpacked archive switches nothing on.
  const [cloneId = ''] = lines(['config', '--get', 'holdfast.cloneid']);
  const isOn = fse.existsSync(syncMark(config, cloneId));
  const entries = isOn
    ? lines(['config', '--get-regexp', '^holdfast\\..+\\.sync$'])
    : [];
  const names = new Set(
    entries.map((entry) => entry.slice(entry.indexOf(' ') + 1)),
  );
  if (names.size === 0) return [ok('sync is off')];
  const remotes = lines(['remote']);
  return [...names].map((name) =>
    remotes.includes(name)
      ? ok(`sync is on with ${asWord(name)}`)
      : broken(
          `sync is on with ${asWord(name)}, which is not a remote of this clone`,
          'holdfast sync on <remote>, or holdfast sync off',
        ),
  );
}
