import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRecord } from '../../install/record/record-file.ts';
import { runtimeFolder, installsFile, RUNTIME_FILES } from '../../io/runtime-paths.ts';
import { readTextFile } from '../../io/read-file.ts';
import { findingsFor } from '../findings.ts';
import { fixCommandFor } from '../fix-command.ts';
import { registrationsIn } from '../host/registrations.ts';
import type { DoctorContext, Finding } from '../types.ts';

const say = findingsFor('versions');
const MAX_BYTES = 5_000_000;

/** The copy of holdfast that the hooks run, and the record that was made of it. */
export function copyOfHooks(examined: DoctorContext): Finding[] {
  const path = installsFile(examined.config);
  const file = readTextFile(path, MAX_BYTES);
  if (file.kind === 'refused' && file.why !== 'binary')
    return [say.skipped(`${path} was not read: ${file.why}`)];
  const { installs, damaged } = readRecord(examined.config);
  if (damaged.includes(path)) return [damagedRecord(examined, damaged)];
  return [
    file.kind === 'absent'
      ? say.skipped('no copy of holdfast is installed for the hooks')
      : copied(examined, installs.runtime.version),
    ...(damaged.length === 0 ? [] : [damagedRecord(examined, damaged)]),
  ];
}

/** Which projects it names, nobody knows: only its owner can say that all of them were seen to. */
function damagedRecord(examined: DoctorContext, paths: readonly string[]): Finding {
  return say.warning('the record of what holdfast has installed was damaged', {
    evidence: [
      ...paths,
      'until it is gone, `uninstall` keeps the copy of holdfast and all backups',
    ],
    fix: `\`${fixCommandFor(registrationsIn(examined))}\` here, the same in other projects with holdfast, then delete the damaged file`,
  });
}

function copied(examined: DoctorContext, installed: string): Finding {
  const { config, version } = examined;
  if (installed !== version) {
    const what = installed === '' ? 'an unknown version of holdfast' : `holdfast ${installed}`;
    return say.warning(`the hooks run ${what}, this command is ${version}`, {
      evidence: [runtimeFolder(config)],
      fix: fixCommandFor(registrationsIn(examined)),
    });
  }
  const altered = alteredFiles(examined);
  return altered.length === 0
    ? say.ok(`the hooks run holdfast ${version}, as this command does`)
    : say.warning(`the hooks run holdfast ${version}, but from other files than this command`, {
        evidence: altered,
        fix: fixCommandFor(registrationsIn(examined)),
      });
}

function alteredFiles({ config, packageFolder }: DoctorContext): string[] {
  return RUNTIME_FILES.flatMap((name) => {
    const [own, copy] = [join(packageFolder, name), join(runtimeFolder(config), name)];
    if (!existsSync(own)) return [];
    if (!existsSync(copy)) return [`${copy}: not there`];
    return isSame(own, copy) ? [] : [`${copy}: not the same as ${own}`];
  });
}

function isSame(own: string, copy: string): boolean {
  const isText = readTextFile(copy, MAX_BYTES).kind === 'text';
  return isText && readFileSync(copy).equals(readFileSync(own));
}
