import { clientOnPath, isAtLeast } from '../host/client.ts';
import { copyOfHooks } from './hook-copy.ts';
import { findingsFor } from '../findings.ts';
import { readVersion } from '../trial/environment.ts';
import type { Check, DoctorContext, Finding } from '../types.ts';

const report = findingsFor('versions');
const LEAST_NODE = '20';
/** The first client that starts hooks without a shell. */
const LEAST_CLIENT = '2.1.139';

/** Node, Claude Code, and the copy of holdfast that the hooks run. */
export const checkVersions: Check = {
  run: (context) => {
    return [...nodeOfHooks(context), ...client(context), ...copyOfHooks(context)];
  },
};

/** Hooks run the `node` on the PATH, which may differ from the one running doctor. */
function nodeOfHooks(context: DoctorContext): Finding[] {
  const version = nodeOnPath(context);
  if (version === null) {
    return [
      report.broken('`node` is not on the PATH, so no hook can start', {
        evidence: [`this command runs on Node ${context.node.version}`],
        fix: 'install Node 20 or newer, so that `node` is found',
      }),
    ];
  }
  return isAtLeast(version, LEAST_NODE)
    ? [report.ok(`Node ${version}`)]
    : [
        report.broken(`Node ${version} is too old for the hooks`, {
          fix: 'install Node 20 or newer',
        }),
      ];
}

function nodeOnPath(context: DoctorContext): string | null {
  const answer = readVersion('node', context);
  return answer.kind === 'ended' && answer.code === 0 ? answer.stdout.trim() : null;
}

function client(context: DoctorContext): Finding[] {
  const found = clientOnPath(context);
  if (found.version === null)
    return [report.skipped(`\`claude\` ${found.why}, so the client's version is not known`)];
  return isAtLeast(found.version, LEAST_CLIENT)
    ? [report.ok(`Claude Code ${found.version}`)]
    : [
        report.broken(`Claude Code ${found.version} cannot start the hooks`, {
          evidence: [`hooks with args need ${LEAST_CLIENT} or newer`],
          fix: 'claude update',
        }),
      ];
}
