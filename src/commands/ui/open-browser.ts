import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fse from 'fs-extra';

type Environment = NodeJS.ProcessEnv;

/** A program that still runs after this long is a browser. */
const BROWSER_AFTER_MS = 3_000;
/** By then the browser has read the file. */
const LINK_KEPT_FOR_MS = 30_000;

/**
 * Opens an address in the user's browser. All users of the machine see the arguments of a program, so the browser gets a
 * private file that leads to the address. Returns what removes that file; null if no browser could be opened.
 */
export async function openInBrowser(
  url: string,
  environment: Environment,
): Promise<(() => void) | null> {
  const command = browserCommand(process.platform, environment);
  if (command === null) return null;

  const { XDG_RUNTIME_DIR: runtime = '' } = environment;
  const parent = runtime === '' ? tmpdir() : runtime;
  const folder = fse.mkdtempSync(join(parent, 'holdfast-'));
  const removeLink = (): void => fse.removeSync(folder);
  const path = join(folder, 'open.html');
  const html = `<!doctype html><meta http-equiv="refresh" content="0; url=${url}"><title>holdfast</title>\n`;
  fse.writeFileSync(path, html, { mode: 0o600, flag: 'wx' });

  if (!(await isStarted([...command, path]))) {
    removeLink();
    return null;
  }
  setTimeout(removeLink, LINK_KEPT_FOR_MS).unref();
  return removeLink;
}

/** The program that opens a file in a browser, with its first arguments; null where no browser of the user can. */
export function browserCommand(
  platform: NodeJS.Platform,
  environment: Environment,
): string[] | null {
  const isSet = (name: string): boolean => (environment[name] ?? '') !== '';
  // The browser of the user runs on another machine. Editors make a link of the address and forward the port.
  if (isSet('SSH_CONNECTION') || isSet('VSCODE_IPC_HOOK_CLI')) return null;

  // It may also be a list of programs, or have a `%s` for the address: those are left to the defaults.
  const { BROWSER: browser = '' } = environment;
  if (/^[^\s%:]+$/.test(browser)) return [browser];
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  if (isSet('WSL_DISTRO_NAME')) return ['wslview'];
  const hasScreen = isSet('DISPLAY') || isSet('WAYLAND_DISPLAY');
  return hasScreen ? ['xdg-open'] : null;
}

/** Whether a program does not fail at once: one that hands the file to a running browser ends with 0. */
function isStarted([
  program = '',
  ...words
]: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, words, { detached: true, stdio: 'ignore' });
    setTimeout(() => resolve(true), BROWSER_AFTER_MS).unref();
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
    child.unref();
  });
}
