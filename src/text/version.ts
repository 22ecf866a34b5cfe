import manifest from '../../package.json' with { type: 'json' };

export const { version } = manifest;

/** Compares the numbers in two versions. */
export function isAtLeast(candidate: string, least: string): boolean {
  const numbersIn = (text: string): number[] =>
    (text.match(/\d+/g) ?? []).map(Number);
  const [numbers, wanted] = [numbersIn(candidate), numbersIn(least)];
  const at = wanted.findIndex(
    (number, index) => (numbers[index] ?? 0) !== number,
  );
  return at < 0 || (numbers[at] ?? 0) > (wanted[at] ?? 0);
}
