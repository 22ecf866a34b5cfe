export type Colors = Record<
  'bold' | 'dim' | 'green' | 'yellow' | 'red',
  (text: string) => string
>;

export function makeColors(
  isTerminal: boolean,
  noColor: string | undefined,
): Colors {
  const enabled = isTerminal && (noColor === undefined || noColor === '');
  const style =
    (open: number, close: number) =>
    (text: string): string =>
      enabled ? `\u001B[${open}m${text}\u001B[${close}m` : text;
  return {
    bold: style(1, 22),
    dim: style(2, 22),
    green: style(32, 39),
    yellow: style(33, 39),
    red: style(31, 39),
  };
}
