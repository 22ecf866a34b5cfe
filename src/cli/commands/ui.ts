import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { currentTime } from '../../io/clock.ts';
import { homeFolder } from '../../io/user-folders.ts';
import { errorCode } from '../../io/read-file.ts';
import { loadOverview } from '../../ui/load/load-overview.ts';
import type { PageProject } from '../../ui/load/open-for-page.ts';
import { browserCommand, openBrowser } from '../../ui/open-browser.ts';
import { startPageServer } from '../../ui/server/server.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import type { CommandContext } from '../context.ts';
import { packageFolder, userConfig } from '../installation.ts';

export interface UiOptions {
  port?: string;
  open: boolean;
}

/** Serves a page that shows the runs of this project, until it is stopped. */
export async function ui(cli: CommandContext, options: UiOptions): Promise<void> {
  const port = options.port === undefined ? 0 : portNumber(options.port);
  const project: PageProject = {
    root: cli.root,
    home: homeFolder(),
    config: userConfig(),
    environment: process.env,
  };
  const html = readPage();
  // Fails with a sentence here if the project cannot be read, instead of on an empty page.
  loadOverview(project, cli.now);
  const server = await startPageServer({ project, html, port, now: currentTime });
  const stopped = stopSignal();
  const { url } = server;
  cli.output.result(
    { url, port: server.port, project: cli.root },
    [`The runs of ${sanitizeLine(cli.root)}:`, '', `  ${url}`, '', 'Press Ctrl-C to stop.'].join(
      '\n',
    ),
  );
  if (options.open) await open(cli, server.openingUrl());
  await stopped;
  await server.close();
}

function portNumber(given: string): number {
  const port = /^\d{1,5}$/.test(given.trim()) ? Number(given) : -1;
  if (port >= 1 && port <= 65_535) return port;
  throw new HoldfastError({
    code: 'bad_value',
    option: '--port',
    given,
    expected: { kind: 'whole_number', min: 1, max: 65_535 },
  });
}

function readPage(): string {
  const path = join(packageFolder(), 'dist/ui.html');
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new HoldfastError({ code: 'page_missing', path });
  }
}

async function open(cli: CommandContext, url: string): Promise<void> {
  const command = browserCommand(process.platform, process.env);
  if (command !== null && (await openBrowser(command, url))) return;
  cli.output.warn('no browser could be opened here. Open the address yourself.');
}

/** Ctrl-C, a closed terminal, or a process manager. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => resolve());
  });
}
