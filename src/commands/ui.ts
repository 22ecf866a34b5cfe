import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HoldfastError } from '../text/holdfast-error.ts';
import { errorCode } from '../files/read-file.ts';
import { currentTime, homeFolder } from '../files/environment.ts';
import type { PageServer } from '../ui/server.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { command } from './command.ts';
import { flag, parsedOption, type Bad } from './options.ts';
import { type CommandContext } from './view/output.ts';
import { packageFolder, userConfig } from './view/installation.ts';

export const ui = command({
  usage: 'ui',
  about: 'show the runs of this project on a local, read-only page, live, until you press Ctrl-C',
  examples: ['holdfast ui', 'holdfast ui --port 4600 --no-open'],
  agent: 'asked',
  options: {
    port: parsedOption('the port on 127.0.0.1 (default: any free one)', 'n', portFrom),
    noOpen: flag('print the address without opening a browser'),
  },
  isLook: true,
  run: async (cli, { port, noOpen }) => {
    const [{ startPageServer }, { answerData }, { fingerprintOf }, { overview }] =
      await Promise.all([
        import('../ui/server.ts'),
        import('../ui/answers.ts'),
        import('../ui/live.ts'),
        import('../ui/views.ts'),
      ]);
    const project = {
      root: cli.root,
      home: homeFolder(),
      config: userConfig(),
      environment: process.env,
    };
    const html = readPage();
    // Fails with a sentence here if the project cannot be read, instead of on an empty page.
    overview(project, cli.now);
    const server = await startPageServer({
      html,
      port: port ?? 0,
      now: currentTime,
      answer: (request) => answerData(request, project, currentTime()),
      fingerprint: (shown) => fingerprintOf(project.root, shown),
    });
    const stopped = stopSignal();
    const { url } = server;
    cli.output.result(
      { url, port: server.port, project: cli.root },
      [`The runs of ${sanitizeLine(cli.root)}:`, '', `  ${url}`, '', 'Press Ctrl-C to stop.'].join(
        '\n',
      ),
    );
    const removeLink = noOpen ? null : await open(cli, server);
    await stopped;
    removeLink?.();
    await server.close();
  },
});

function portFrom(given: string, bad: Bad): number {
  const port = /^\d{1,5}$/.test(given.trim()) ? Number(given) : -1;
  if (port < 0 || port > 65_535) throw bad('a whole number from 0 (any free port) to 65535');
  return port;
}

function readPage(): string {
  const path = join(packageFolder(), 'dist/ui.html');
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new HoldfastError('page_missing', `the page is missing: there is no file ${path}`, {
      hint: 'install holdfast again',
    });
  }
}

/** Returns what removes the file that the browser was given; it is also removed when the browser has followed it. */
async function open(cli: CommandContext, server: PageServer): Promise<(() => void) | null> {
  const { browserCommand, openBrowser, writeLinkFile } = await import('../ui/open-browser.ts');
  const browser = browserCommand(process.platform, process.env);
  if (browser !== null) {
    const file = writeLinkFile(
      server.openingLink(() => file.remove()),
      process.env,
    );
    if (await openBrowser(browser, file.path)) return file.remove;
    file.remove();
  }
  cli.output.warn('no browser could be opened here. Open the address yourself.');
  return null;
}

/** Ctrl-C, a closed terminal, or a process manager. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => resolve());
  });
}
