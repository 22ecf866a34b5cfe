import { isObject } from '../../util/json.ts';
import { NEWER_CLIENT } from './client.ts';
import { findingsFor } from '../findings.ts';
import { byWeight, type SettingsFile } from './settings-files.ts';
import type { Finding } from '../types.ts';

const report = findingsFor('settings');

/** Settings that switch hooks off. Of several files with the key, the one with the highest precedence decides. */
export function switchedOff(files: readonly SettingsFile[]): Finding[] {
  const policies = files.filter(({ scope }) => scope === 'policy');
  return [
    ...off('disableAllHooks', files, ({ shown }) => `take "disableAllHooks" out of ${shown}`),
    ...off(
      'allowManagedHooksOnly',
      policies,
      () => 'ask the administrator of this machine to allow the hooks',
    ),
  ];
}

function off(
  key: string,
  files: readonly SettingsFile[],
  fixOf: (file: SettingsFile) => string,
): Finding[] {
  const decisive = byWeight(files).findLast((file) => typeof valueOf(file, key) === 'boolean');
  if (decisive === undefined || valueOf(decisive, key) === false) return [];
  const { shown, elsewhere } = decisive;
  const readers =
    elsewhere === null ? [] : [`read by Claude Code ${NEWER_CLIENT} and newer in this project too`];
  return [
    report.broken(`${shown} switches hooks off`, {
      evidence: [`"${key}": true`, ...readers],
      fix: fixOf(decisive),
    }),
  ];
}

function valueOf({ reading }: SettingsFile, key: string): unknown {
  return reading.kind === 'json' && isObject(reading.json) ? reading.json[key] : undefined;
}
