import { readProjectFile } from '../io/read-file.ts';
import { DEFAULTS, readSettings, SETTINGS_FILE, type Settings } from './settings.ts';

const MAX_BYTES = 1_000_000;

export interface LoadedSettings {
  settings: Settings;
  /** What is wrong with the file, as sentences that name it. */
  problems: string[];
}

export function loadSettings(root: string): LoadedSettings {
  const file = readProjectFile(root, SETTINGS_FILE, MAX_BYTES);
  if (file.kind === 'absent') return { settings: DEFAULTS, problems: [] };
  if (file.kind === 'refused') {
    return {
      settings: DEFAULTS,
      problems: [`${SETTINGS_FILE} was not read: ${file.why}; the defaults are used`],
    };
  }
  const { settings, problems } = readSettings(file.text);
  return { settings, problems: problems.map((problem) => `${SETTINGS_FILE}: ${problem}`) };
}
