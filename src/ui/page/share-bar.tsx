import type { JSX } from 'preact';

export interface Share {
  key: number;
  name: string;
  characters: number;
}

const COLOURS = 10;

export function shareClass(key: number): string {
  return `share-${key % COLOURS}`;
}

export function percentOf(characters: number, total: number): string {
  if (total <= 0) return '0 %';
  const percent = (100 * characters) / total;
  return percent > 0 && percent < 1 ? '< 1 %' : `${Math.round(percent)} %`;
}

/** One bar, divided by what each section takes. `total` is the whole of the bar. */
export function ShareBar({ shares, total }: { shares: Share[]; total: number }): JSX.Element {
  const label = shares
    .map(({ name, characters }) => `${name} ${percentOf(characters, total)}`)
    .join(', ');
  return (
    <div class="share-bar" role="img" aria-label={label}>
      {shares.map(({ key, name, characters }) => (
        <span
          key={key}
          class={shareClass(key)}
          title={`${name}: ${percentOf(characters, total)}`}
          style={{ width: `${total <= 0 ? 0 : (100 * characters) / total}%` }}
        />
      ))}
    </div>
  );
}

export function ShareLegend({ shares, total }: { shares: Share[]; total: number }): JSX.Element {
  return (
    <ul class="share-legend">
      {shares.map(({ key, name, characters }) => (
        <li key={key}>
          <span class={`swatch ${shareClass(key)}`} />
          <span>
            {name}{' '}
            <span class="muted">
              {characters.toLocaleString('en')} characters, {percentOf(characters, total)}
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}
