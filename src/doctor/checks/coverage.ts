import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Scope } from '../../install/plan/scopes.ts';
import { NEWER_CLIENT, OLDER_CLIENT } from '../host/client.ts';
import { findingsFor } from '../findings.ts';
import { registrationsIn, type Registration } from '../host/registrations.ts';
import { repositoryAround } from '../host/repository.ts';
import type { Check, DoctorContext, Finding } from '../types.ts';

const report = findingsFor('coverage');

const VERSIONS = [OLDER_CLIENT, NEWER_CLIENT] as const;
type Version = (typeof VERSIONS)[number];

/** Which scopes fire where, as observed in these versions. */
const LAUNCHES: { place: string; scopes: Record<Version, readonly Scope[]> }[] = [
  {
    place: 'the project root',
    scopes: { '2.1.197': ['local', 'project', 'user'], '2.1.325': ['local', 'project', 'user'] },
  },
  {
    place: 'a sub-directory of a git repository',
    scopes: { '2.1.197': ['user'], '2.1.325': ['local', 'user'] },
  },
  { place: 'a sub-directory outside git', scopes: { '2.1.197': ['user'], '2.1.325': ['user'] } },
  {
    place: 'a git worktree',
    scopes: { '2.1.197': ['project', 'user'], '2.1.325': ['local', 'project', 'user'] },
  },
];

/** Launch locations in which our hooks do not fire. */
export const checkCoverage: Check = {
  run: (context) => {
    const found = registrationsIn(context);
    const scopes = new Set(found.map(({ scope }) => scope));
    if (scopes.size === 0) return [report.skipped('no scope registers the hooks')];
    const names = [...scopes].join(', ');
    const gaps = LAUNCHES.flatMap(({ place, scopes: firing }) => {
      const versions = VERSIONS.filter((version) =>
        readBy(version, found).every(
          ({ scope }) => !firing[version].some((fires) => fires === scope),
        ),
      );
      return versions.length === 0 ? [] : [`launched in ${place}: not in ${versions.join(', ')}`];
    });
    return gaps.length === 0
      ? [
          report.ok(
            `wherever Claude Code is launched, the hooks fire (scope ${names})`,
            here(context),
          ),
        ]
      : [gap(context, names, gaps)];
  },
};

function readBy(version: Version, found: readonly Registration[]): Registration[] {
  return found.filter(({ elsewhere }) => elsewhere === null || version === NEWER_CLIENT);
}

function gap(context: DoctorContext, names: string, gaps: string[]): Finding {
  return report.note(`hooks do not fire for every launch with scope ${names}`, {
    evidence: [...gaps, ...here(context).evidence],
    fix: 'launch Claude Code in the project root, or cover every launch with `holdfast init --scope user`',
  });
}

/** Which kind of location this project is. */
function here({ root, cwd }: DoctorContext): { evidence: string[] } {
  const dotGit = lstatSync(join(root, '.git'), { throwIfNoEntry: false });
  const above = repositoryAround(root);
  return {
    evidence: [
      dotGit?.isFile() === true
        ? 'this project is a git worktree'
        : dotGit !== undefined
          ? 'this project is a git repository'
          : above === null
            ? 'this project is not in git'
            : `this project is a sub-directory of the repository ${above}`,
      ...(cwd === root ? [] : [`you are in a sub-directory of it: ${cwd}`]),
    ],
  };
}
