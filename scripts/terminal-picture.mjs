const LOOKS = {
  typed: 'fill="#7ee787" font-weight="bold"',
  output: 'fill="#e6edf3"',
  comment: 'fill="#8b949e" font-style="italic"',
  given: 'fill="#a5d6ff"',
};
const FONT =
  'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13.5"';
const [LINE, CHARACTER, MARGIN, BAR] = [19, 8.1, 20, 34];

/** An SVG of a terminal with these lines, each `{ text, look }`. */
export function terminalPicture(lines, { title, columns }) {
  return svg(lines.length, { title, columns }, [
    `  <g ${FONT}>`,
    ...texts(lines),
    '  </g>',
  ]);
}

/**
 * An animated SVG of a terminal. Each frame is `{ caption, seconds, lines }`; where nothing moves, the last one is shown.
 */
export function terminalMovie(frames, { title, columns }) {
  const total = frames.reduce((sum, { seconds }) => sum + seconds, 0);
  const percent = (seconds) => Number(((100 * seconds) / total).toFixed(2));
  let start = 0;
  const groups = [];
  const rules = [];
  for (const [index, { caption, seconds, lines }] of frames.entries()) {
    const end = start + seconds;
    const [from, to] = [percent(start), percent(end)];
    const shown = 'visibility:visible';
    const hidden = 'visibility:hidden';
    const before = from > 0 ? `0%{${hidden}}` : '';
    const after = to < 100 ? `${to}%,100%{${hidden}}` : '';
    rules.push(
      `@keyframes f${index}{${before}${from}%{${shown}}${after}}`,
      `.f${index}{animation:f${index} ${total}s step-end infinite}`,
    );
    const isLast = index === frames.length - 1;
    groups.push(
      `  <g class="f${index}"${isLast ? '' : ' visibility="hidden"'} ${FONT}>`,
      `    <text x="${MARGIN + 74}" y="23" ${LOOKS.comment}>${escaped(caption)}</text>`,
      ...texts(lines),
      '  </g>',
    );
    start = end;
  }
  const style = `  <style>@media (prefers-reduced-motion:no-preference){${rules.join('')}}</style>`;
  const height = Math.max(...frames.map(({ lines }) => lines.length));
  return svg(height, { title, columns }, [style, ...groups]);
}

function svg(rows, { title, columns }, content) {
  const width = Math.ceil(columns * CHARACTER + 2 * MARGIN);
  const height = BAR + rows * LINE + MARGIN;
  const lights = ['#ff5f57', '#febc2e', '#28c840'].map(
    (colour, index) =>
      `  <circle cx="${MARGIN + 4 + index * 20}" cy="18" r="6" fill="${colour}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `  <title>${title}</title>`,
    `  <rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    ...lights,
    ...content,
    '</svg>',
    '',
  ].join('\n');
}

function texts(lines) {
  return lines.flatMap(({ text, look }, index) => {
    const y = BAR + (index + 1) * LINE;
    if (text.trim() === '') return [];
    return [
      `    <text x="${MARGIN}" y="${y}" ${LOOKS[look]}>${styled(text)}</text>`,
    ];
  });
}

/** The attributes for the codes by which a program sets colours. */
const STYLES = {
  1: 'font-weight="bold"',
  2: 'fill="#8b949e"',
  31: 'fill="#ff7b72"',
  32: 'fill="#7ee787"',
  33: 'fill="#e3b341"',
};

/** Text with codes for colours, as spans; each code ends before the next one begins. */
function styled(text) {
  const [start, ...parts] = text.split('\u001B[');
  const spans = parts.map((part) => {
    const [, code, words] = /^(\d+)m(.*)$/s.exec(part);
    const style = STYLES[code];
    if (words === '' || style === undefined) return escaped(words);
    return `<tspan ${style}>${escaped(words)}</tspan>`;
  });
  return [escaped(start), ...spans].join('');
}

/** Viewers collapse blanks, and few fonts have the client's corner sign. */
function escaped(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('⎿', '└')
    .replaceAll(/^ +| {2,}/g, (blanks) => '\u00A0'.repeat(blanks.length));
}
