const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A time relative to now: `5 minutes ago`, `yesterday`, `on 2025-12-09`. */
export function timeAgo(time: number | string, now: Date): string {
  const at = typeof time === 'number' ? time : Date.parse(time);
  if (Number.isNaN(at)) return 'at an unknown time';
  const age = now.getTime() - at;
  if (age < MINUTE) return 'just now';
  if (age < HOUR) return `${pluralize(Math.floor(age / MINUTE), 'minute')} ago`;
  if (age < DAY) return `${pluralize(Math.floor(age / HOUR), 'hour')} ago`;
  if (age < 2 * DAY) return 'yesterday';
  if (age < 30 * DAY) return `${Math.floor(age / DAY)} days ago`;
  return `on ${new Date(at).toISOString().slice(0, 10)}`;
}

export const pluralize = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;

export const humanizeStatus = (status: string): string =>
  status.replaceAll('_', ' ');

/** `812 bytes`, `12 KB`, `5.2 MB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1_000) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  return bytes < 999_500
    ? `${Math.round(bytes / 1_000)} KB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** `40s`, `15m`, `2h`, in milliseconds; null for anything else. */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,6}(?:\.\d{1,3})?)([smh])$/.exec(
    text.trim().toLowerCase(),
  );
  const [, amount = '', unit = ''] = match ?? [];
  const milliseconds = Number(amount) * (UNITS[unit] ?? 0);
  return milliseconds > 0 ? milliseconds : null;
}

/** `40 s`, `15 min`, `2 h 5 min`, for people. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const minutes = Math.floor(seconds / 60);
  const parts =
    minutes < 60
      ? [`${minutes} min`, `${seconds % 60} s`]
      : [`${Math.floor(minutes / 60)} h`, `${minutes % 60} min`];
  return parts.filter((part) => !part.startsWith('0 ')).join(' ') || '0 s';
}
