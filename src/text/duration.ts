const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** `40s`, `15m`, `2h`, in milliseconds; null for anything else. */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,6}(?:\.\d{1,3})?)([smh])$/.exec(text.trim().toLowerCase());
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
