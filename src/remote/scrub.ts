import { isObject } from '../util/json.ts';
import type { LocalRun, Place } from './local-run.ts';
import { shortSession } from './session-records.ts';

/** Stands for the path of the project. */
export const PROJECT_ROOT = '{project_root}';

export type Scrub = (value: unknown) => unknown;

/** Replaces what identifies this machine in any text: session ids by their beginning, paths by what stands for them. */
export function scrubber({ state, journal }: LocalRun, { paths }: Place): Scrub {
  const sessions = new Set([
    ...(state.sessions?.session_history ?? []).flatMap((record) => [
      record.session_id,
      record.handed_to ?? '',
    ]),
    state.sessions?.current_session_id ?? '',
    ...journal.flatMap(({ session_id: id, from }) =>
      [id, from].filter((value) => typeof value === 'string'),
    ),
  ]);
  const long = [...sessions]
    .map((id) => ({ id, short: shortSession(id) }))
    .filter(({ id, short }) => short !== id && /^[\w-]+$/.test(id));
  const replaceText = (text: string): string => {
    const withoutPaths = paths.reduce(replacePath, text);
    return long.reduce((result, { id, short }) => result.replaceAll(id, short), withoutPaths);
  };
  const replace = (value: unknown): unknown => {
    if (typeof value === 'string') return replaceText(value);
    if (Array.isArray(value)) return value.map(replace);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, replace(member)]));
  };
  return replace;
}

/** Only whole folders: `/home/ann` is not part of `/home/anna`. */
function replacePath(text: string, [path, placeholder]: readonly [string, string]): string {
  if (!text.includes(path)) return text;
  const parts = text.split(path);
  return parts.reduce((result, part) => {
    return `${result}${isWholeFolder(part) ? placeholder : path}${part}`;
  });
}

/** Whether a path ends where this text begins, or goes on with a folder below it. */
export function isWholeFolder(after: string): boolean {
  return /^(?:$|[^\w.-]|\.(?:$|\s))/.test(after);
}
