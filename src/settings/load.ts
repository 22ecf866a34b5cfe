import type { SettingsProblem } from '../errors/settings.ts';
import { readProjectFile } from '../io/read-file.ts';
import { DEFAULTS, readSettings, SETTINGS_FILE, type Settings } from './settings.ts';

const MAX_BYTES = 1_000_000;

export interface LoadedSettings {
  settings: Settings;
  problems: SettingsProblem[];
}

export function loadSettings(root: string): LoadedSettings {
  const file = readProjectFile(root, SETTINGS_FILE, MAX_BYTES);
  if (file.kind === 'absent') return { settings: DEFAULTS, problems: [] };
  if (file.kind === 'refused') {
    return { settings: DEFAULTS, problems: [{ kind: 'refused', why: file.why }] };
  }
  return readSettings(file.text);
}
