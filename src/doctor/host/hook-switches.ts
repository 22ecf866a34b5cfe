import { isObject } from '../../util/json.ts';
import { NEWER_CLIENT } from './client.ts';
import { findingsFor } from '../findings.ts';
import { byWeight, type SettingsFile } from './settings-files.ts';
import type { Finding } from '../types.ts';

const report = findingsFor('settings');

const KEY = 'disableAllHooks';

/** The setting that switches hooks off. Of several files with the key, the one with the highest precedence decides. */
export function switchedOff(files: readonly SettingsFile[]): Finding[] {
  const decisive = byWeight(files).findLast((file) => typeof valueOf(file) === 'boolean');
  if (decisive === undefined || valueOf(decisive) === false) return [];
  const { shown, elsewhere } = decisive;
  const readers =
    elsewhere === null ? [] : [`read by Claude Code ${NEWER_CLIENT} and newer in this project too`];
  return [
    report.broken(`${shown} switches hooks off`, {
      evidence: [`"${KEY}": true`, ...readers],
      fix: `take "${KEY}" out of ${shown}`,
    }),
  ];
}

function valueOf({ reading }: SettingsFile): unknown {
  return reading.kind === 'json' && isObject(reading.json) ? reading.json[KEY] : undefined;
}
