/** Words that people try first, and the commands that they mean. */
const SLIPS: Readonly<Record<string, string>> = {
  install: 'init',
  setup: 'init',
  finish: 'complete',
  done: 'complete',
  end: 'complete',
  next: 'advance',
  continue: 'resume',
  new: 'start',
  begin: 'start',
  template: 'templates',
  delete: 'cancel',
  remove: 'cancel',
  abort: 'cancel',
  web: 'ui',
  gui: 'ui',
  page: 'ui',
  browser: 'ui',
};

/** The parser suggests what is spelt alike; for these words another command is meant. */
export function suggestCommand(error: string): string {
  const word = /unknown command '([^']*)'/.exec(error)?.[1] ?? '';
  if (!Object.hasOwn(SLIPS, word)) return error;
  const [first = ''] = error.split('\n');
  return `${first}\n(Did you mean ${SLIPS[word]}?)\n`;
}
