import type { JSX } from 'preact';

/** Drawn on a grid of 16, with the colour of the text around them. */
const PATHS = {
  check: 'M3.5 8.5l3 3 6-7',
  play: 'M5.5 3.8v8.4l6.5-4.2z',
  skip: 'M3 4l5 4-5 4zM9 4l5 4-5 4z',
  dash: 'M4 8h8',
  cross: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
  pause: 'M5.5 4v8M10.5 4v8',
  block: 'M8 2.5a5.5 5.5 0 110 11 5.5 5.5 0 010-11zM4.2 4.2l7.6 7.6',
  person: 'M8 8a2.6 2.6 0 100-5.2A2.6 2.6 0 008 8zM3 13.5c.5-2.6 2.5-4 5-4s4.5 1.4 5 4',
  loop: 'M12.5 6.5A5 5 0 003.4 6M3.5 9.5A5 5 0 0012.6 10M12.6 3v3.5H9.1M3.4 13V9.5h3.5',
  gate: 'M8 2l6 6-6 6-6-6z',
  compress: 'M3 6l5-3 5 3M3 10l5 3 5-3M4 8h8',
  restore: 'M3 8a5 5 0 105-5M3 3v3.5h3.5M8 5.5V8l2 1.5',
  book: 'M8 4.5C6.5 3.3 4.5 3 2.5 3v9.5c2 0 4 .3 5.5 1.5 1.5-1.2 3.5-1.5 5.5-1.5V3c-2 0-4 .3-5.5 1.5zM8 4.5V14',
  back: 'M6.5 4L3 7.5 6.5 11M3.5 7.5H10a3 3 0 013 3V12',
  alert: 'M8 2.5l6 10.5H2zM8 6.5v3M8 11.2v.1',
  plug: 'M5.5 2.5v3M10.5 2.5v3M3.5 5.5h9v2a4.5 4.5 0 01-9 0zM8 12v2',
  coin: 'M8 2.5a5.5 5.5 0 110 11 5.5 5.5 0 010-11zM9.8 6.2C9.4 5.5 8.8 5.3 8 5.3c-1 0-1.8.5-1.8 1.3 0 2 3.7.9 3.7 2.8 0 .8-.8 1.3-1.9 1.3-.9 0-1.6-.3-2-1M8 4.3v1M8 10.7v1',
  dot: 'M8 6.4a1.6 1.6 0 110 3.2 1.6 1.6 0 010-3.2z',
  right: 'M6 3.5L10.5 8 6 12.5',
  copy: 'M5.5 5.5V3.3c0-.4.4-.8.8-.8h6.4c.4 0 .8.4.8.8v6.4c0 .4-.4.8-.8.8h-2.2M3.3 5.5h6.4c.4 0 .8.4.8.8v6.4c0 .4-.4.8-.8.8H3.3c-.4 0-.8-.4-.8-.8V6.3c0-.4.4-.8.8-.8z',
  search: 'M7 2.5a4.5 4.5 0 110 9 4.5 4.5 0 010-9zM10.4 10.4l3.1 3.1',
  left: 'M9.5 3.5L5 8l4.5 4.5',
  file: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3',
  flag: 'M4 14V2.5M4 3h8l-2 2.8L12 8.5H4',
  agent: 'M4 6h8v6.5H4zM8 3v3M6.5 8.5v1.5M9.5 8.5v1.5',
} as const;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name }: { name: IconName }): JSX.Element => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <path d={PATHS[name]} />
  </svg>
);

export const Logo = (): JSX.Element => (
  <svg class="logo" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <rect width="24" height="24" rx="6.5" />
    <path d="M12 5v14M6.5 12.5c0 4 2.2 6.5 5.5 6.5s5.5-2.5 5.5-6.5M9 8.5h6" />
  </svg>
);
