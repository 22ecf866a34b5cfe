import { join } from 'node:path';
import fse from 'fs-extra';
import { planInit } from '../../install/plan.ts';
import type { Scope } from '../../install/places.ts';
import { requireRecord, type InstallRecord } from '../../install/record.ts';
import { outdatedFiles } from '../../install/runtime.ts';
import { installsFile, runtimeFolder } from '../../files/environment.ts';
import { coveringPlugin, fixCommandFor } from '../client-settings.ts';
import { isAtLeast } from '../../text/version.ts';
import { LEAST_CLIENT, type Facts } from '../facts.ts';
import {
  broken,
  INSTALL_NODE,
  ok,
  skipped,
  warning,
  type Finding,
} from '../finding.ts';

const LEAST_NODE = '20';

/** Hooks run the `node` on the PATH, which may differ from the one that runs doctor. */
export function checkPrograms({ node, client }: Facts): Finding[] {
  return [checkNode(node), checkClient(client)];
}

function checkNode(version: string | null): Finding {
  if (version === null)
    return broken(
      '`node` is not on the PATH, so no hook can start',
      INSTALL_NODE,
      [`this command runs on Node ${process.version}`],
    );
  if (isAtLeast(version, LEAST_NODE)) return ok(`Node ${version}`);
  return broken(
    `Node ${version} is too old for the hooks`,
    'install Node 20 or newer',
  );
}

function checkClient(version: string | null): Finding {
  if (version === null)
    return skipped('`claude` is not on the PATH, or reports no version');
  if (isAtLeast(version, LEAST_CLIENT)) return ok(`Claude Code ${version}`);
  return broken(
    `Claude Code ${version} is too old: ${LEAST_CLIENT} is needed`,
    'claude update',
  );
}

/** Whether `init` would change something: in the copy that the hooks run, or in a scope that has our hooks. */
export function checkInstalled(facts: Facts): Finding[] {
  const record = requireRecord(facts.config);
  const here = facts.registrations.filter(
    (hook) => !hook.isPlugin && hook.elsewhere === null,
  );
  // Hooks that a plugin brings as well are reported as registered twice.
  const scopes = new Set(here.map(({ scope }) => scope));
  for (const { scope } of here)
    if (coveringPlugin(facts.plugins, scope)) scopes.delete(scope);
  return [
    checkCopy(facts, record),
    ...[...scopes].map((scope) => checkScope(facts, record, scope)),
  ];
}

function checkCopy(facts: Facts, { runtime }: InstallRecord): Finding {
  const { config, version, packageFolder, registrations } = facts;
  if (!fse.existsSync(installsFile(config)))
    return skipped('no copy of holdfast is installed for the hooks');
  const home = runtimeFolder(config);
  const paths = outdatedFiles(packageFolder, home).map(({ name }) =>
    join(home, name),
  );
  if (paths.length === 0)
    return ok(`the hooks run holdfast ${version}, as this command does`);
  const own =
    runtime.version === version
      ? 'with other files than this command'
      : `this command is ${version}`;
  const message = `the hooks run holdfast ${runtime.version}, ${own}`;
  return warning(message, fixCommandFor(registrations), paths);
}

function checkScope(
  facts: Facts,
  record: InstallRecord,
  scope: Scope,
): Finding {
  const { changes } = planInit({
    ...facts,
    record,
    made: [],
    scope,
    isBlocking: facts.settings.settings.reading.enforce === 'block',
    hasPlugin: coveringPlugin(facts.plugins, scope) !== undefined,
    withServer: false,
    withStatusLine: false,
  });
  if (changes.length === 0)
    return ok(`scope ${scope} is as this version installs it`);
  const init = `holdfast init --scope ${scope}`;
  return warning(
    `scope ${scope} is not as this version installs it`,
    `${init}; \`${init} --dry-run --verbose\` shows what it changes`,
    changes.map(({ path, before }) =>
      before === null ? `${path} (missing)` : path,
    ),
  );
}
