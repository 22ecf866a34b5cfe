import { chainedIn, isOurStatusLine, ownCommandIn } from '../../install/plan/status-line.ts';
import { isObject } from '../../util/json.ts';
import { byWeight, type SettingsFile } from './settings-files.ts';

/** A status line in a settings file. */
export interface StatusLine {
  file: SettingsFile;
  value: unknown;
}

/** In order of precedence, the lowest first; the client shows only the last. */
export function statusLinesIn(files: readonly SettingsFile[]): StatusLine[] {
  return byWeight(files).flatMap((file) => {
    const { reading } = file;
    const value =
      reading.kind === 'json' && isObject(reading.json) ? reading.json['statusLine'] : undefined;
    return value === undefined ? [] : [{ file, value }];
  });
}

/** The user's own line that the client would show if it were not for ours, unless ours runs it first. */
export function hiddenOwnLine(lines: readonly StatusLine[]): StatusLine | null {
  const shown = lines.at(-1);
  if (!isOurStatusLine(shown?.value)) return null;
  const chained = chainedIn(shown.value.command);
  if (chained?.isInherited === false) return null;
  const own = lines.slice(0, -1).findLast(({ value }) => ownCommandIn(value) !== null);
  return own === undefined || ownCommandIn(own.value)?.['command'] === chained?.command
    ? null
    : own;
}

/** Whether the client would show less without the line of ours in this file. */
export function isNeeded(path: string, lines: readonly StatusLine[]): boolean {
  const line = lines.find(({ file }) => file.path === path);
  if (!isOurStatusLine(line?.value)) return false;
  const next = lines.findLast((other) => other !== line);
  return (
    !isOurStatusLine(next?.value) ||
    chainedIn(next.value.command)?.command !== chainedIn(line.value.command)?.command
  );
}
