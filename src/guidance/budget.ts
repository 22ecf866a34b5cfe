/** One part of the guidance, as it is given. */
export interface Section {
  name: string;
  text: string;
  /** What was left out of it, if anything. */
  cut: string | null;
}

/** As many whole lines as fit, with a last one that says how many were left out and what shows them. */
export function fitLines(
  name: string,
  title: string,
  lines: string[],
  cap: number,
  shownBy: string,
): Section {
  const whole = [title, ...lines].join('\n');
  if (whole.length <= cap) return { name, text: whole, cut: null };
  const notice = (left: number): string => `… ${left} more: \`${shownBy}\``;
  const room = cap - notice(lines.length).length - 1;
  const kept: string[] = [];
  let length = title.length;
  for (const line of lines) {
    length += line.length + 1;
    if (length > room) break;
    kept.push(line);
  }
  const left = lines.length - kept.length;
  return {
    name,
    text: [title, ...kept, notice(left)].join('\n'),
    cut: `${left} of ${lines.length} entries; \`${shownBy}\` shows them`,
  };
}

export function joined(sections: readonly Section[]): string {
  return sections.map(({ text }) => text).join('\n\n');
}

/** Four characters a token is the usual rule of thumb for English and code. */
export function estimatedTokens(characters: number): number {
  return Math.ceil(characters / 4);
}
