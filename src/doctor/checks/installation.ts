import { join } from 'node:path';
import fse from 'fs-extra';
import { readRecord } from '../../install/record.ts';
import { installsFile, RUNTIME_FILES, runtimeFolder } from '../../files/environment.ts';
import { fixCommandFor } from '../client-settings.ts';
import { isAtLeast, type Facts } from '../facts.ts';
import { broken, INSTALL_NODE, ok, skipped, warning, type Finding } from '../finding.ts';

/** Older clients are not tested. */
const LEAST_CLIENT = '2.1.139';

/** Hooks run the `node` on the PATH, which may differ from the one that runs doctor. */
export function checkPrograms({ node, client }: Facts): Finding[] {
  return [
    node === null
      ? broken('`node` is not on the PATH, so no hook can start', INSTALL_NODE, [
          `this command runs on Node ${process.version}`,
        ])
      : isAtLeast(node, '20')
        ? ok(`Node ${node}`)
        : broken(`Node ${node} is too old for the hooks`, 'install Node 20 or newer'),
    client === null
      ? skipped('`claude` is not on the PATH, or reports no version')
      : isAtLeast(client, LEAST_CLIENT)
        ? ok(`Claude Code ${client}`)
        : broken(`Claude Code ${client} is too old: ${LEAST_CLIENT} is needed`, 'claude update'),
  ];
}

/** The copy of holdfast that the hooks run, and the record of installations. */
export function checkCopy({ config, version, packageFolder, registrations }: Facts): Finding[] {
  const record = installsFile(config);
  if (!fse.existsSync(record)) return [skipped('no copy of holdfast is installed for the hooks')];
  const installs = readRecord(config);
  if (installs === 'newer')
    return [
      warning('a newer holdfast wrote the record of installations', 'update holdfast', [record]),
    ];
  if (installs === 'damaged') {
    const fix = `delete ${record}, then \`holdfast init\` here and in other projects with holdfast`;
    return [warning('the record of installations is damaged', fix, [record])];
  }
  const installed = installs.runtime.version;
  const folder = runtimeFolder(config);
  const fix = fixCommandFor(registrations);
  if (installed !== version)
    return [
      warning(`the hooks run holdfast ${installed}, this command is ${version}`, fix, [folder]),
    ];
  const altered = RUNTIME_FILES.flatMap((name) => {
    const [own, copy] = [join(packageFolder, name), join(folder, name)];
    if (!fse.existsSync(own)) return [];
    if (!fse.existsSync(copy)) return [`${copy}: missing`];
    return fse.readFileSync(copy).equals(fse.readFileSync(own))
      ? []
      : [`${copy}: differs from ${own}`];
  });
  return [
    altered.length === 0
      ? ok(`the hooks run holdfast ${version}, as this command does`)
      : warning(
          `the hooks run holdfast ${version}, but its files differ from this command's`,
          fix,
          altered,
        ),
  ];
}
