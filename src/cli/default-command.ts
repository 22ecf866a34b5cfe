const WITH_VALUE = new Set(['--cwd', '--session']);

/** `holdfast` without a command is the dashboard; `--help` and `--version` stay what they are. */
export function withDefaultCommand(argv: readonly string[]): string[] {
  const words = argv.slice(2);
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (WITH_VALUE.has(word)) {
      // Without its value the parser has something better to say.
      if (at === words.length - 1) return [...argv];
      at += 1;
    } else if (word !== '--json' && !/^--(?:cwd|session)=/.test(word)) return [...argv];
  }
  return [...argv, 'dashboard'];
}

/** Both spellings are accepted: `--artefact` is the same option as `--artifact`. */
export function withOneSpelling(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  return argv.map((word, at) =>
    end >= 0 && at > end ? word : word.replace(/^--artefact(?=s?(?:=|$))/, '--artifact'),
  );
}
