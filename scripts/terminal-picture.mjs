const LOOKS = {
  typed: 'fill="#7ee787" font-weight="bold"',
  output: 'fill="#e6edf3"',
  comment: 'fill="#8b949e" font-style="italic"',
  given: 'fill="#a5d6ff"',
};

/** An SVG of a terminal with these lines, each `{ text, look }`. */
export function terminalPicture(lines, { title, columns }) {
  const [line, character, margin, bar] = [19, 8.1, 20, 34];
  const width = Math.ceil(columns * character + 2 * margin);
  const height = bar + lines.length * line + margin;
  const texts = lines.map(({ text, look }, index) => {
    const y = bar + (index + 1) * line;
    return `    <text x="${margin}" y="${y}" ${LOOKS[look]}>${escaped(text)}</text>`;
  });
  const lights = ['#ff5f57', '#febc2e', '#28c840'].map(
    (colour, index) => `  <circle cx="${margin + 4 + index * 20}" cy="18" r="6" fill="${colour}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `  <title>${title}</title>`,
    `  <rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    ...lights,
    '  <g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13.5" xml:space="preserve">',
    ...texts.filter((text) => !text.endsWith('></text>')),
    '  </g>',
    '</svg>',
    '',
  ].join('\n');
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
