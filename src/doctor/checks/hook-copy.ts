import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRecord } from '../../install/record/record-file.ts';
import { runtimeFolder, installsFile, RUNTIME_FILES } from '../../io/runtime-paths.ts';
import { readTextFile } from '../../io/read-file.ts';
import { findingsFor } from '../findings.ts';
import { fixCommandFor } from '../fix-command.ts';
import { registrationsIn } from '../host/registrations.ts';
import type { DoctorContext, Finding } from '../types.ts';

const report = findingsFor('versions');
const MAX_BYTES = 5_000_000;

/** The copy of holdfast that the hooks run, and the record of installations. */
export function copyOfHooks(context: DoctorContext): Finding[] {
  const path = installsFile(context.config);
  const file = readTextFile(path, MAX_BYTES);
  if (file.kind === 'refused' && file.why !== 'binary')
    return [report.skipped(`${path} was not read: ${file.why}`)];
  if (file.kind === 'absent')
    return [report.skipped('no copy of holdfast is installed for the hooks')];
  const installs = readRecord(context.config);
  return [installs === null ? damaged(path) : copied(context, installs.runtime.version)];
}

function damaged(path: string): Finding {
  return report.warning('the record of installations is damaged', {
    evidence: [path],
    fix: `delete ${path}, then \`holdfast init\` here and in other projects with holdfast`,
  });
}

function copied(context: DoctorContext, installed: string): Finding {
  const { config, version } = context;
  if (installed !== version) {
    const what = installed === '' ? 'an unknown version of holdfast' : `holdfast ${installed}`;
    return report.warning(`the hooks run ${what}, this command is ${version}`, {
      evidence: [runtimeFolder(config)],
      fix: fixCommandFor(registrationsIn(context)),
    });
  }
  const altered = alteredFiles(context);
  return altered.length === 0
    ? report.ok(`the hooks run holdfast ${version}, as this command does`)
    : report.warning(
        `the hooks run holdfast ${version}, but its files differ from this command's`,
        {
          evidence: altered,
          fix: fixCommandFor(registrationsIn(context)),
        },
      );
}

function alteredFiles({ config, packageFolder }: DoctorContext): string[] {
  return RUNTIME_FILES.flatMap((name) => {
    const [own, copy] = [join(packageFolder, name), join(runtimeFolder(config), name)];
    if (!existsSync(own)) return [];
    if (!existsSync(copy)) return [`${copy}: missing`];
    return isSame(own, copy) ? [] : [`${copy}: differs from ${own}`];
  });
}

function isSame(own: string, copy: string): boolean {
  const isText = readTextFile(copy, MAX_BYTES).kind === 'text';
  return isText && readFileSync(copy).equals(readFileSync(own));
}
