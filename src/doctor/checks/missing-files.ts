import { existsSync } from 'node:fs';
import { SCOPES } from '../../install/plan/scopes.ts';
import { recordedInstall } from '../../install/record/record-file.ts';
import { findingsFor } from '../findings.ts';
import type { Registration } from '../host/registrations.ts';
import type { DoctorContext, Finding } from '../types.ts';

const report = findingsFor('registration');

/** Slash commands and skills that `init` has written and that are gone, where its hooks are still registered. */
export function missingFiles(
  { config, root }: Pick<DoctorContext, 'config' | 'root'>,
  found: readonly Registration[],
): Finding[] {
  return SCOPES.flatMap((scope) => {
    const isHere = found.some(
      (hook) => hook.scope === scope && !hook.isPlugin && hook.elsewhere === null,
    );
    const files = recordedInstall(config, scope, root)?.files ?? [];
    const gone = files.filter((path) => !existsSync(path));
    if (!isHere || gone.length === 0) return [];
    return [
      report.warning('slash commands or the skill that init has written are gone', {
        evidence: gone.map((path) => `missing: ${path}`),
        fix: `holdfast init --scope ${scope}`,
      }),
    ];
  });
}
