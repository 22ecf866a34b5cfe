const WITH_VALUE = new Set(['--cwd', '--session']);

/** `holdfast` without a command is the dashboard; `--help` and `--version` stay what they are. */
export function withDefaultCommand(argv: readonly string[]): string[] {
  const words = argv.slice(2);
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (WITH_VALUE.has(word)) at += 1;
    else if (word !== '--json' && !/^--(?:cwd|session)=/.test(word)) return [...argv];
  }
  return [...argv, 'dashboard'];
}
