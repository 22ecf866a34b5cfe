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

export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export function humanizeStatus(status: string): string {
  return status.replaceAll('_', ' ');
}
