import { existsSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { hookFile, homeOf, installsFile } from '../install/runtime-places.ts';
import { installsFrom } from '../install/record.ts';
import { readTextFile } from '../io/read-file.ts';
import { findingsOf } from './findings.ts';
import { ask } from './program.ts';
import type { Check, Examined, Finding } from './types.ts';

const say = findingsOf('versions');
const MAX_BYTES = 5_000_000;
const LEAST_NODE = [20];
/** The first client that starts hooks without a shell. */
const LEAST_CLIENT = [2, 1, 139];

/** Node, Claude Code, and the copy of holdfast that the hooks run. */
export const checkVersions: Check = {
  examine: (examined) => {
    const node = nodeOnPath(examined);
    return [
      ...nodeOfHooks(examined, node),
      ...client(examined),
      ...runtime(examined),
      ...codeCache(examined, node),
    ];
  },
};

/** Hooks run the `node` of the PATH, which need not be the one that runs this. */
function nodeOfHooks({ node }: Examined, version: string | null): Finding[] {
  if (version === null) {
    return [
      say.broken('`node` is not on the PATH, so no hook can start', {
        evidence: [`this command runs on Node ${node.version}`],
        fix: 'install Node 20 or newer, so that `node` is found',
      }),
    ];
  }
  return isAtLeast(version, LEAST_NODE)
    ? [say.ok(`Node ${version}`)]
    : [say.broken(`Node ${version} is too old for the hooks`, { fix: 'install Node 20 or newer' })];
}

function nodeOnPath(examined: Examined): string | null {
  const answer = ask('node', ['--version'], examined);
  return answer.kind === 'ended' && answer.code === 0 ? answer.stdout.trim() : null;
}

function client(examined: Examined): Finding[] {
  const answer = ask('claude', ['--version'], examined);
  const version = answer.kind === 'ended' ? /\d+\.\d+\.\d+/.exec(answer.stdout)?.[0] : undefined;
  if (version === undefined) {
    const why = answer.kind === 'not there' ? 'is not on the PATH' : 'did not tell its version';
    return [say.skipped(`\`claude\` ${why}, so the client's version is not known`)];
  }
  return isAtLeast(version, LEAST_CLIENT)
    ? [say.ok(`Claude Code ${version}`)]
    : [
        say.broken(`Claude Code ${version} cannot start our hooks`, {
          evidence: [`hooks with args need ${LEAST_CLIENT.join('.')} or newer`],
          fix: 'claude update',
        }),
      ];
}

function runtime({ config, version }: Examined): Finding[] {
  const file = readTextFile(installsFile(config), MAX_BYTES);
  if (file.kind === 'absent')
    return [say.skipped('no copy of holdfast is installed for the hooks')];
  if (file.kind === 'refused')
    return [say.skipped(`${installsFile(config)} was not read: ${file.why}`)];
  const installed = installsFrom(parsed(file.text)).runtime.version;
  if (installed === version)
    return [say.ok(`the hooks run holdfast ${version}, as this command does`)];
  return [
    say.warning(
      `the hooks run ${installed === '' ? 'an unknown version of holdfast' : `holdfast ${installed}`}, this command is ${version}`,
      { evidence: [homeOf(config)], fix: 'holdfast init' },
    ),
  ];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Then no version is known, which is what the finding says.
    return undefined;
  }
}

function codeCache({ config, node }: Examined, version: string | null): Finding[] {
  const file = hookFile(homeOf(config));
  if (version === null || !existsSync(file)) return [];
  const folder = dirname(file);
  const wanted = `-${version}-${node.arch}.cache`;
  return readdirSync(folder).some((name) => name.startsWith('hook-') && name.endsWith(wanted))
    ? [say.ok(`the hooks have a code cache for Node ${version}`)]
    : [
        say.note(
          `the hooks have no code cache for Node ${version}, so each starts a little slower`,
          {
            evidence: [folder],
            fix: 'holdfast init',
          },
        ),
      ];
}

function isAtLeast(version: string, least: readonly number[]): boolean {
  const numbers = (version.match(/\d+/g) ?? []).map(Number);
  const at = least.findIndex((number, index) => (numbers[index] ?? 0) !== number);
  return at < 0 || (numbers[at] ?? 0) > (least[at] ?? 0);
}
