import { runGit } from '../../io/run-git.ts';
import { parseJsonObject, isObject } from '../../util/json.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import { findingsFor } from '../findings.ts';
import { quoteForShell } from '../quote-for-shell.ts';
import { terminalEnvironment } from '../trial/environment.ts';
import type { Check, DoctorContext, Finding } from '../types.ts';

const report = findingsFor('sync');
const RUNS = 'refs/holdfast/runs/';
/** What `sync` keeps, and what excludes it from a refspec. A fetch that prunes removes the second, too. */
const KEPT = [
  { folder: RUNS, exclusion: '^refs/holdfast/*' },
  { folder: 'refs/worktree/holdfast/', exclusion: '^refs/worktree/*' },
];
/** Each costs a call of git. */
const MAX_REFS = 20;

/** Whether `holdfast sync` is on, and whether an ordinary `git fetch` or `git push` could destroy what it keeps. */
export const checkSync: Check = {
  run: (context) => {
    const config = readConfig(context);
    if (config === null) return [report.ok('sync is off: this project is not in git')];
    const on = config.flatMap(([key, value]) => (/^holdfast\..+\.sync$/s.test(key) ? [value] : []));
    if (on.length === 0) return [report.ok('sync is off')];
    const troubles = [
      ...missingRemotes(config, on),
      ...refspecs(config),
      ...otherVersions(context),
    ];
    return troubles.length === 0
      ? [report.ok(`sync is on with ${[...new Set(on)].map(sanitizeLine).join(', ')}`)]
      : troubles;
  },
};

type Config = readonly (readonly [key: string, value: string])[];

/** Null if this is not a repository, or git does not answer. */
function readConfig(context: DoctorContext): Config | null {
  const text = asked(context, ['config', '-z', '--get-regexp', '^(holdfast|remote|fetch)\\.']);
  if (text === null) return asked(context, ['rev-parse', '--git-dir']) === null ? null : [];
  return text
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const at = entry.indexOf('\n');
      return at < 0 ? [entry, 'true'] : [entry.slice(0, at), entry.slice(at + 1)];
    });
}

function missingRemotes(config: Config, on: readonly string[]): Finding[] {
  const isThere = (name: string): boolean => config.some(([key]) => key === `remote.${name}.url`);
  return [...new Set(on)]
    .filter((name) => !isThere(name))
    .map((name) =>
      report.broken(`sync is on with ${sanitizeLine(name)}, which is not a remote of this clone`, {
        fix: 'holdfast sync on <remote>, or holdfast sync off',
      }),
    );
}

/** A refspec that writes to the refs of runs replaces or removes what was not sent yet. */
function refspecs(config: Config): Finding[] {
  const isExcluded = (name: string, exclusion: string): boolean =>
    config.some(
      ([key, value]) =>
        key === `remote.${name}.fetch` && (value === exclusion || value === '^refs/*'),
    );
  const fetched = config.flatMap(([key, value]) => {
    const name = /^remote\.(.+)\.fetch$/s.exec(key)?.[1];
    if (name === undefined || value.startsWith('^')) return [];
    const missing = KEPT.filter(
      ({ folder, exclusion }) => writesTo(folder, value) && !isExcluded(name, exclusion),
    ).map(({ exclusion }) => exclusion);
    return missing.length === 0 ? [] : [{ name, value, missing }];
  });
  const mirrored = config.flatMap(([key, value]) => {
    const name = /^remote\.(.+)\.mirror$/s.exec(key)?.[1];
    return name !== undefined && /^(?:true|yes|on|1)$/i.test(value) ? [name] : [];
  });
  const pushed = config.flatMap(([key, value]) => {
    const name = /^remote\.(.+)\.push$/s.exec(key)?.[1];
    return name !== undefined && value.startsWith('+') && writesTo(RUNS, value)
      ? [{ name, value }]
      : [];
  });
  return [
    ...fetched.map(({ name, value, missing }) =>
      report.warning(
        `\`git fetch ${sanitizeLine(name)}\` can replace runs here that were not sent yet`,
        {
          evidence: [`remote.${name}.fetch = ${value}`].map(sanitizeLine),
          fix: missing
            .map((exclusion) =>
              ['git config --add', ...[`remote.${name}.fetch`, exclusion].map(quoteForShell)].join(
                ' ',
              ),
            )
            .join(' && '),
        },
      ),
    ),
    ...pushed.map(({ name, value }) =>
      report.warning(
        `\`git push ${sanitizeLine(name)}\` can replace runs of other machines on the remote`,
        {
          evidence: [`remote.${name}.push = ${value}`].map(sanitizeLine),
          fix: `git config --unset ${quoteForShell(`remote.${name}.push`)}`,
        },
      ),
    ),
    ...mirrored.map((name) =>
      report.warning(
        `\`git push ${sanitizeLine(name)}\` makes the remote a mirror, so it removes runs of other machines`,
        {
          evidence: [`remote.${name}.mirror = true`].map(sanitizeLine),
          fix: `git config --unset ${quoteForShell(`remote.${name}.mirror`)}`,
        },
      ),
    ),
  ];
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

/** The versions of other machines are in what they sent. */
function otherVersions(context: DoctorContext): Finding[] {
  const listed = asked(context, [
    'for-each-ref',
    '--sort=-committerdate',
    `--count=${MAX_REFS}`,
    '--format=%(objectname)',
    RUNS.replace(/\/$/, ''),
  ]);
  const machines = new Map<string, { version: string; at: string }>();
  for (const commit of (listed ?? '').split('\n').filter((line) => line !== '')) {
    for (const [machine, entry] of machinesIn(asked(context, ['show', `${commit}:run.json`]))) {
      const known = machines.get(machine);
      if (known === undefined || known.at < entry.at) machines.set(machine, entry);
    }
  }
  const others = [...machines].filter(([, { version }]) => version !== context.version);
  if (others.length === 0) return [];
  return [
    report.note('machines that sync with this one run other versions of holdfast', {
      evidence: [
        `this one: ${context.version}`,
        ...others.map(([machine, { version, at }]) =>
          sanitizeLine(`${machine}: ${version}, last change ${at}`),
        ),
      ],
      fix: 'install the same version on all of them',
    }),
  ];
}

function machinesIn(text: string | null): [string, { version: string; at: string }][] {
  const { machines } = parseJsonObject(text ?? '');
  return Object.entries(isObject(machines) ? machines : {}).flatMap(([machine, entry]) => {
    if (!isObject(entry)) return [];
    const { version, at } = entry;
    return typeof version === 'string' && typeof at === 'string'
      ? [[machine, { version, at }]]
      : [];
  });
}

function asked({ root, environment }: DoctorContext, words: readonly string[]): string | null {
  const result = runGit(root, words, terminalEnvironment(environment));
  return result.kind === 'ended' && result.code === 0 ? result.stdout : null;
}
