import { join } from 'node:path';
import fse from 'fs-extra';
import { currentTime } from '../files/environment.ts';
import { openOperationContext } from '../sessions/open-project.ts';
import { listRuns } from '../state/store/run-files.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import type { Act } from '../ui/acts.ts';
import { knownProjects } from '../ui/known-projects.ts';
import type { PageProject } from '../ui/views.ts';
import { approve } from './approve.ts';
import { reject } from './reject.ts';
import { command, requirePerson } from './command.ts';
import type { PageDocument } from './json/documents.ts';
import { flag, parsedOption, type Bad } from './options.ts';
import { pause, release } from './pause.ts';
import { openInBrowser } from './ui/open-browser.ts';
import { keptPageToken } from './ui/page-token.ts';
import { packageFolder } from './view/installation.ts';
import { type CommandContext, makeOutput } from './view/output.ts';

export const ui = command({
  usage: 'ui',
  about:
    'show the runs of this project, or of all, on a local page, live, until you press Ctrl-C',
  examples: [
    'holdfast ui',
    'holdfast ui --everywhere --port 4600 --no-open',
    'holdfast ui --act',
  ],
  options: {
    everywhere: flag(
      'the runs of all projects that your sessions have worked in',
    ),
    port: parsedOption(
      'the port on 127.0.0.1 (default: any free one); the address then stays the same',
      'n',
      portFrom,
    ),
    act: flag(
      'approve, send back, pause and release runs on the page; it stays read-only without',
    ),
    noOpen: flag('print the address without opening a browser'),
  },
  isLook: true,
  run: async (
    cli,
    { everywhere: isEverywhere, port = 0, act: mayChangeRuns, noOpen },
  ): Promise<void> => {
    if (mayChangeRuns)
      requirePerson(
        cli,
        'act',
        'act on the page',
        () => '`holdfast ui --act` in a terminal of their own',
      );
    const [{ startPageServer }, { answerData }, { actor }, { overview }] =
      await Promise.all([
        import('../ui/server.ts'),
        import('../ui/answers.ts'),
        import('../ui/acts.ts'),
        import('../ui/views.ts'),
      ]);

    const { root, config } = cli;
    const here: PageProject = {
      key: ONLY_PROJECT,
      root,
      config,
      environment: process.env,
      mayChangeRuns,
    };
    const findProject = (key: string): PageProject | undefined => {
      if (!isEverywhere) return key === here.key ? here : undefined;
      const known = knownProjects(cli.registry, root);
      const found = known.find((project) => project.key === key);
      return found && { ...here, key, root: found.root };
    };
    // Fails with a sentence here if the project cannot be read, instead of on an empty page.
    if (!isEverywhere) overview(here, cli.now);

    const act = actor({
      now: currentTime,
      find: ({ project: key, id }) => {
        const project = findProject(key);
        if (project === undefined) return undefined;
        return listRuns(project.root).runs.find(({ runId }) => runId === id);
      },
      perform: (request, text) =>
        perform(cli, findProject(request.project)?.root ?? '', request, text),
    });
    // Whoever can read the token could act, an agent too.
    const isTokenKept = port !== 0 && !mayChangeRuns;
    const server = await startPageServer({
      html: readPage(),
      port,
      now: currentTime,
      ...(isTokenKept && { token: keptPageToken(config) }),
      answer: (request, now) =>
        answerData(request, { here, isEverywhere, find: findProject }, now),
      ...(mayChangeRuns && { act }),
    });
    const stopped = stopSignal();

    const { url } = server;
    const address: PageDocument = {
      url,
      port: server.port,
      project: isEverywhere ? null : root,
    };
    const whose = isEverywhere ? 'all your projects' : sanitizeLine(root);
    const lines = [
      `The runs of ${whose}:`,
      '',
      `  ${url}`,
      '',
      'Press Ctrl-C to stop.',
    ];
    cli.output.result(address, lines.join('\n'));
    // A browser is started with a file, which an agent could read.
    const opensBrowser = !noOpen && !mayChangeRuns;
    const removeLink = opensBrowser ? await open(cli, url) : null;
    await stopped;
    removeLink?.();
    await server.close();
  },
});

/** Stands for the project of a page that shows only one. */
const ONLY_PROJECT = 'runs';

/** Carries out an action of the page like the command of that name in a terminal, and returns what it says. */
async function perform(
  cli: CommandContext,
  root: string,
  { action, id: run, wait }: Act,
  text: string,
): Promise<string[]> {
  const warnings: string[] = [];
  const context: CommandContext = {
    ...cli,
    ...openOperationContext({
      cwd: root,
      isCwdGiven: true,
      entrance: { at: 'page' },
      environment: process.env,
      warn: (sentence) => warnings.push(sentence),
    }),
    output: makeOutput(true),
    command: 'ui --act',
  };
  const words = text === '' ? undefined : text;
  const answer = { for: wait, by: undefined };
  const calls = {
    approve: () => approve.run(context, { run, note: words, ...answer }),
    reject: () => reject.run(context, { run, feedback: text, ...answer }),
    pause: () => pause.run(context, { run, reason: words }),
    release: () => release.run(context, { run }),
  };
  const shown = await calls[action]();
  const [done = ''] = shown.text.split('\n', 1);
  return [done, ...warnings];
}

/** The page, as the build has made it. */
function readPage(): string {
  const path = join(packageFolder(), 'dist/ui.html');
  if (fse.existsSync(path)) return fse.readFileSync(path, 'utf8');
  throw new HoldfastError(
    'page_missing',
    `the page is missing: there is no file ${path}`,
    { hint: 'install holdfast again' },
  );
}

const MAX_PORT = 65_535;

function portFrom(input: string, bad: Bad): number {
  const isNumber = /^\d{1,5}$/.test(input.trim());
  const port = Number(input);
  if (!isNumber || port > MAX_PORT)
    throw bad('a whole number from 0 (any free port) to 65535');
  return port;
}

/** Returns what removes the file that the browser was given; null if there is none. */
async function open(
  cli: CommandContext,
  url: string,
): Promise<(() => void) | null> {
  const removeLink = await openInBrowser(url, process.env);
  if (removeLink === null)
    cli.output.warn(
      'no browser could be opened here. Open the address yourself.',
    );
  return removeLink;
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => resolve());
  });
}
