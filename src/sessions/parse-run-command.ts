/** A call of holdfast that names the run which it changes or starts. */
export interface RunCommand {
  command: string;
  /** As the user gave it: a name, an id, or the name of a template. */
  run: string;
  cwd: string | null;
}

/** Commands that change a run. Those that only show, release, pause or cancel one say nothing about the work. */
const NAMED_FIRST = /^(?:advance|skip|fail|update|resume|takeover|reopen|approve|reject)$/;
const NAMED_BY_OPTION = /^(?:note|tasks|pivot)$/;
const FLAG = /^--(?:json|force|switch|yes|done|no-color|help)$/;
const LAUNCHERS = /^(?:node|npx|bunx|pnpx|exec|env|command|time|-y|--yes|\w+=.*)$/;

/** Null for the words of any other program, and for a call that names no run. */
export function parseRunCommand(words: readonly string[]): RunCommand | null {
  const at = words.findIndex(isHoldfastProgram);
  if (at < 0 || !words.slice(0, at).every((word) => LAUNCHERS.test(baseName(word)))) return null;
  const options = new Map<string, string>();
  const positional: string[] = [];
  const rest = words.slice(at + 1);
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [, name = '', value] = /^(--[^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === '') positional.push(word);
    else if (value !== undefined) options.set(name, value);
    else if (!FLAG.test(name)) options.set(name, rest.shift() ?? '');
  }
  const [command = '', first] = positional;
  const run = NAMED_FIRST.test(command)
    ? first
    : NAMED_BY_OPTION.test(command)
      ? options.get('--run')
      : command === 'start'
        ? (first ?? options.get('--template')?.replaceAll(/^.*[\\/]|\.(?:ya?ml|json)$/g, ''))
        : undefined;
  return run === undefined ? null : { command, run, cwd: options.get('--cwd') ?? null };
}

/** Some file systems take capital letters for small ones. */
export function isHoldfastProgram(word: string): boolean {
  return /(?:^|[\\/])holdfast(?:\.(?:c?js|cmd|exe))?(?:@[\w.^~-]+)?$/i.test(word);
}

/** Of a path as either system writes it. */
export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}
