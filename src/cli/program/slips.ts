/** Words that people try first, and what they mean: a command or an option. */
const SLIPS: Readonly<Record<string, string>> = {
  install: 'init',
  setup: 'init',
  finish: 'complete',
  done: 'complete',
  end: 'complete',
  next: 'advance',
  continue: 'resume',
  unpause: 'resume',
  new: 'start',
  begin: 'start',
  create: 'start',
  template: 'templates',
  workflow: 'templates',
  delete: 'cancel',
  remove: 'cancel',
  abort: 'cancel',
  web: 'ui',
  gui: 'ui',
  page: 'ui',
  browser: 'ui',
  stop: 'pause',
  back: 'pivot',
  check: 'doctor',
  log: 'history',
  ls: 'list',
  runs: 'list',
  st: 'status',
  version: '--version',
};

/** The command that a word means which is spelt unlike it; null if the word is not known. */
export function commandMeant(word: string): string | null {
  return Object.hasOwn(SLIPS, word) ? (SLIPS[word] ?? null) : null;
}
