import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fse from 'fs-extra';
import { currentTime, sessionsFolder } from '../files/environment.ts';
import { openOperationContext } from '../sessions/open-project.ts';
import { listRuns } from '../state/store/run-files.ts';
import type { Act } from '../ui/acts.ts';
import { knownProjects } from '../ui/known-projects.ts';
import type { PageProject } from '../ui/views.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { approve, reject } from './approve.ts';
import { command, requirePerson } from './command.ts';
import type { PageDocument } from './json/documents.ts';
import { flag, parsedOption, type Bad } from './options.ts';
import { pause, release } from './pause.ts';
import { type CommandContext, makeOutput } from './view/output.ts';
import { packageFolder } from './view/installation.ts';

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
    { everywhere: isEverywhere, port = 0, act: acts, noOpen },
  ) => {
    const typed = '`holdfast ui --act` in a terminal of their own';
    if (acts) requirePerson(cli, 'act', 'act on the page', () => typed);
    const [{ startPageServer }, { answerData }, { actor }, { overview }] =
      await Promise.all([
        import('../ui/server.ts'),
        import('../ui/answers.ts'),
        import('../ui/acts.ts'),
        import('../ui/views.ts'),
      ]);
    const { root, config } = cli;
    const here = { key: ONLY, root, config, environment: process.env, acts };
    const projects = () =>
      isEverywhere ? knownProjects(cli.registry, root) : [here];
    const find = (key: string): PageProject | undefined => {
      const project = projects().find((each) => each.key === key);
      return project && { ...here, ...project };
    };
    // Fails with a sentence here if the project cannot be read, instead of on an empty page.
    if (!isEverywhere) overview(here, cli.now);
    const act = actor({
      now: currentTime,
      find: ({ project, id }) => {
        const found = find(project);
        return (
          found && listRuns(found.root).runs.find(({ runId }) => runId === id)
        );
      },
      perform: (asked, text) =>
        perform(cli, find(asked.project)?.root ?? '', asked, text),
    });
    const page = join(packageFolder(), 'dist/ui.html');
    if (!fse.existsSync(page))
      throw new HoldfastError(
        'page_missing',
        `the page is missing: there is no file ${page}`,
        {
          hint: 'install holdfast again',
        },
      );
    const server = await startPageServer({
      html: fse.readFileSync(page, 'utf8'),
      port,
      now: currentTime,
      // Whoever can read the token could act, an agent too.
      ...(port === 0 || acts ? {} : { token: keptToken(config) }),
      answer: (request, now) =>
        answerData(request, { here, isEverywhere, find }, now),
      ...(acts ? { act } : {}),
    });
    const stopped = stopSignal();
    const { url } = server;
    const whose = isEverywhere ? 'all your projects' : sanitizeLine(root);
    const project = isEverywhere ? null : root;
    const address: PageDocument = { url, port: server.port, project };
    const lines = [
      `The runs of ${whose}:`,
      '',
      `  ${url}`,
      '',
      'Press Ctrl-C to stop.',
    ];
    cli.output.result(address, lines.join('\n'));
    // A browser is started with a file, which an agent could read.
    const removeLink = noOpen || acts ? null : await open(cli, url);
    await stopped;
    removeLink?.();
    await server.close();
  },
});

/** Stands for the project of a page that shows only one. */
const ONLY = 'runs';

/** Carries out an action of the page like the command of that name in a terminal, and returns what it says. */
async function perform(
  cli: CommandContext,
  root: string,
  act: Act,
  text: string,
) {
  const { action, id: run, wait } = act;
  const said: string[] = [];
  const context: CommandContext = {
    ...cli,
    ...openOperationContext({
      cwd: root,
      isCwdGiven: true,
      entrance: { at: 'page' },
      environment: process.env,
      warn: (sentence) => said.push(sentence),
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
  return [shown.text.split('\n', 1)[0] ?? '', ...said];
}

/** The same at every start, so that the address is; in a file that only the user can read. */
function keptToken(config: string): string {
  const path = join(sessionsFolder(config), 'page-token');
  const stat = fse.lstatSync(path, { throwIfNoEntry: false });
  if (
    stat?.isFile() === true &&
    (process.platform === 'win32' || (stat.mode & 0o077) === 0)
  ) {
    const token = fse.readFileSync(path, 'utf8');
    if (/^[\w-]{32}$/.test(token)) return token;
  }
  const token = randomBytes(24).toString('base64url');
  fse.ensureDirSync(dirname(path), 0o700);
  fse.removeSync(path);
  fse.writeFileSync(path, token, { mode: 0o600, flag: 'wx' });
  return token;
}

function portFrom(input: string, bad: Bad): number {
  const port = /^\d{1,5}$/.test(input.trim()) ? Number(input) : -1;
  if (port < 0 || port > 65_535)
    throw bad('a whole number from 0 (any free port) to 65535');
  return port;
}

/** Returns what removes the file that the browser was given. */
async function open(
  cli: CommandContext,
  url: string,
): Promise<(() => void) | null> {
  const browser = browserCommand(process.platform, process.env);
  const remove =
    browser === null ? null : await openBrowser(browser, url, process.env);
  if (remove === null)
    cli.output.warn(
      'no browser could be opened here. Open the address yourself.',
    );
  return remove;
}

/** The program that opens a file in a browser, with its first arguments; null where no browser of the user can. */
export function browserCommand(
  platform: NodeJS.Platform,
  environment: NodeJS.ProcessEnv,
): string[] | null {
  const isSet = (name: string): boolean => (environment[name] ?? '') !== '';
  // The browser of the user runs on another machine. Editors make a link of the address and forward the port.
  if (isSet('SSH_CONNECTION') || isSet('VSCODE_IPC_HOOK_CLI')) return null;
  const { BROWSER: browser = '' } = environment;
  if (/^[^\s%:]+$/.test(browser)) return [browser];
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  if (isSet('WSL_DISTRO_NAME')) return ['wslview'];
  return isSet('DISPLAY') || isSet('WAYLAND_DISPLAY') ? ['xdg-open'] : null;
}

/** A program that still runs after this long is a browser. */
const PATIENCE_MS = 3_000;
/** By then the browser has read the file. */
const LINK_FOR_MS = 30_000;

/** All users see the arguments of a program, so the address is in a private file. Null if it fails; else what removes that. */
async function openBrowser(
  [program = '', ...words]: readonly string[],
  url: string,
  { XDG_RUNTIME_DIR: runtime = '' }: NodeJS.ProcessEnv,
): Promise<(() => void) | null> {
  const folder = fse.mkdtempSync(
    join(runtime === '' ? tmpdir() : runtime, 'holdfast-'),
  );
  const remove = (): void => fse.removeSync(folder);
  const path = join(folder, 'open.html');
  const html = `<!doctype html><meta http-equiv="refresh" content="0; url=${url}"><title>holdfast</title>\n`;
  fse.writeFileSync(path, html, { mode: 0o600, flag: 'wx' });
  const isOpened = await new Promise<boolean>((resolve) => {
    const child = spawn(program, [...words, path], {
      detached: true,
      stdio: 'ignore',
    });
    setTimeout(() => resolve(true), PATIENCE_MS).unref();
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
    child.unref();
  });
  if (isOpened) setTimeout(remove, LINK_FOR_MS).unref();
  else remove();
  return isOpened ? remove : null;
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => resolve());
  });
}
