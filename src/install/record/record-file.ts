import { HoldfastError } from '../../errors/holdfast-error.ts';
import { installsFile } from '../../io/runtime-paths.ts';
import { replaceText } from '../../io/replace-text.ts';
import { isObject, parseJson } from '../../util/json.ts';
import type { Scope } from '../plan/scopes.ts';
import { readWhole } from '../read-whole-file.ts';
import { findInstall, type Install, type Installs } from './record.ts';

/** null if the record is damaged. */
export function readRecord(config: string): Installs | null {
  const text = textOf(installsFile(config));
  if (text === null) return { runtime: { version: '' }, folders: [], installs: [] };
  const json = parseJson(text);
  return isRecord(json) ? json : null;
}

export function requireRecord(config: string): Installs {
  const installs = readRecord(config);
  if (installs !== null) return installs;
  throw new HoldfastError(
    'record_damaged',
    `${installsFile(config)} is damaged: it recorded what is installed where`,
    {
      hint: 'delete it and try again, then run `holdfast init` in your other projects; nothing was changed',
    },
  );
}

/** undefined also if the record is damaged, which `doctor` reports once. */
export function recordedInstall(config: string, scope: Scope, root: string): Install | undefined {
  const installs = readRecord(config);
  return installs === null ? undefined : findInstall(installs, scope, root);
}

export function writeRecord(config: string, installs: Installs): void {
  const text = `${JSON.stringify(installs, null, 2)}\n`;
  if (readWhole(installsFile(config)) !== text) replaceText(installsFile(config), text);
}

/** null if there is no file. */
function textOf(path: string): string | null {
  try {
    return readWhole(path);
  } catch (error) {
    if (error instanceof HoldfastError && error.code === 'not_text') return '';
    throw error;
  }
}

function isRecord(json: unknown): json is Installs {
  return (
    isObject(json) &&
    isObject(json['runtime']) &&
    Array.isArray(json['folders']) &&
    Array.isArray(json['installs']) &&
    json['installs'].every(isInstall)
  );
}

/** Only `init` writes it, as a whole. */
function isInstall(value: unknown): boolean {
  return (
    isObject(value) &&
    ['edited', 'files', 'module', 'excludes'].every((key) => Array.isArray(value[key]))
  );
}
