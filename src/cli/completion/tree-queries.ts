import { everyCommand, type CommandShape, type Offer } from './command-tree.ts';

/** The words that lead from one command to another below it, as `holdfast todo add`. */
export function steps(shape: CommandShape): string[] {
  return everyCommand(shape)
    .slice(1)
    .map(({ path }) => path);
}

/** Each option that takes a value, after the command it is typed behind: the next word is no command. */
export function valued(shape: CommandShape): { place: string; offer: Offer }[] {
  return everyCommand(shape).flatMap(({ path, options }) =>
    options.flatMap(({ names, value }) =>
      value === null ? [] : names.map((name) => ({ place: `${path} ${name}`, offer: value })),
    ),
  );
}

/** The same offer is written once, for all the places that have it. */
export function byOffer(
  places: readonly { place: string; offer: Offer }[],
): { places: string[]; offer: Offer }[] {
  const groups = new Map<string, { places: string[]; offer: Offer }>();
  for (const { place, offer } of places) {
    const key = JSON.stringify(offer);
    const group = groups.get(key) ?? { places: [], offer };
    group.places.push(place);
    groups.set(key, group);
  }
  return [...groups.values()];
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

export function quotedList(texts: readonly string[], between: string): string {
  return texts.map(quoted).join(between);
}
