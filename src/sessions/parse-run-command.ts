/** A call of holdfast that names the run which it changes or starts. */
export interface RunCommand {
  command: string;
  /** As the user gave it: a name, an id, or the name of a template. */
  run: string;
  cwd: string | null;
}

/** Commands that change a run. Those that only show, release, pause or cancel one say nothing about the work. */
const NAMED_FIRST = /^(?:advance|skip|fail|update|resume|takeover|reopen|approve|reject)$/;
const NAMED_BY_OPTION = /^(?:tasks|pivot)$/;
const FLAG = /^--(?:json|force|switch|yes|done|no-color|help)$/;
const LAUNCHERS = /^(?:node|npx|bunx|pnpx|exec|env|command|time|-y|--yes|\w+=.*)$/;

/** Null for the words of any other program, and for a call that names no run. */
export function parseRunCommand(words: readonly string[]): RunCommand | null {
  const at = words.findIndex(isHoldfastProgram);
  if (at < 0 || !words.slice(0, at).every((word) => LAUNCHERS.test(baseName(word)))) return null;
  const { options, positional } = parseWords(words.slice(at + 1));
  const [command = '', first] = positional;
  const run = runNamed(command, first, options);
  return run === null ? null : { command, run, cwd: options.get('--cwd') ?? null };
}

/** Some file systems take capital letters for small ones. */
export function isHoldfastProgram(word: string): boolean {
  return /(?:^|[\\/])holdfast(?:\.(?:c?js|cmd|exe))?(?:@[\w.^~-]+)?$/i.test(word);
}

function runNamed(
  command: string,
  first: string | undefined,
  options: ReadonlyMap<string, string>,
): string | null {
  if (NAMED_FIRST.test(command)) return first ?? null;
  if (NAMED_BY_OPTION.test(command)) return options.get('--run') ?? null;
  if (command !== 'start') return null;
  const template = options.get('--template');
  return first ?? (template === undefined ? null : templateName(template));
}

function templateName(template: string): string {
  return baseName(template).replace(/\.(?:ya?ml|json)$/, '');
}

/** Of a path as either system writes it. */
export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

function parseWords(words: readonly string[]): {
  options: ReadonlyMap<string, string>;
  positional: readonly string[];
} {
  const options = new Map<string, string>();
  const positional: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (!word.startsWith('--')) {
      positional.push(word);
      continue;
    }
    const equals = word.indexOf('=');
    if (equals > 0) options.set(word.slice(0, equals), word.slice(equals + 1));
    else if (!FLAG.test(word)) {
      at += 1;
      options.set(word, words[at] ?? '');
    }
  }
  return { options, positional };
}
