import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { moveIfThere } from '../../io/remove.ts';
import { replaceText } from '../../io/replace-text.ts';
import { readWhole } from '../read-whole-file.ts';
import { installsFrom, isWholeRecord, type Installs } from './record.ts';
import { installsFile } from '../../io/runtime-paths.ts';

export interface RecordReading {
  installs: Installs;
  /** The record, if it could not be parsed completely, and damaged ones that were set aside before. */
  damaged: string[];
}

export function readRecord(config: string): RecordReading {
  const path = installsFile(config);
  const json = jsonIn(path);
  const isDamaged = json !== null && !isWholeRecord(json);
  return {
    installs: installsFrom(json),
    damaged: [...(isDamaged ? [path] : []), ...setAside(path)],
  };
}

export function writeRecord(config: string, installs: Installs): void {
  const text = `${JSON.stringify(installs, null, 2)}\n`;
  if (readWhole(installsFile(config)) !== text) replaceText(installsFile(config), text);
}

/** A damaged record is never overwritten: nothing else names its backups and projects. */
export function setAsideIfDamaged(config: string): void {
  const path = installsFile(config);
  if (!readRecord(config).damaged.includes(path)) return;
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  moveIfThere(path, `${path}${SET_ASIDE}${time}`);
}

const SET_ASIDE = '.damaged-';

function setAside(path: string): string[] {
  const folder = dirname(path);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.startsWith(`${basename(path)}${SET_ASIDE}`))
    .map((name) => join(folder, name));
}

/** null if there is no file, undefined if it is not JSON. */
function jsonIn(path: string): unknown {
  try {
    const text = readWhole(path);
    return text === null ? null : JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    if (error instanceof HoldfastError && error.code === 'not_text') return undefined;
    throw error;
  }
}
