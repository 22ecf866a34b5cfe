import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** The program that opens a file in a browser, with its first arguments; null where no browser of the user can. */
export function browserCommand(
  platform: NodeJS.Platform,
  environment: Environment,
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

export interface LinkFile {
  path: string;
  remove: () => void;
}

/** All users of a machine see the arguments of a program, so the browser gets a file that only this user can read. */
export function writeLinkFile(
  url: string,
  { XDG_RUNTIME_DIR: runtime = '' }: Environment,
): LinkFile {
  const html = `<!doctype html><meta http-equiv="refresh" content="0; url=${url}"><title>holdfast</title>\n`;
  // Nobody but the user can enter a folder that `mkdtemp` makes.
  const folder = mkdtempSync(join(runtime === '' ? tmpdir() : runtime, 'holdfast-'));
  const path = join(folder, 'open.html');
  writeFileSync(path, html, { mode: 0o600, flag: 'wx' });
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A program that still runs after this long is a browser. */
const PATIENCE_MS = 3_000;

/** Starts the program; false if it is missing or fails at once. */
export function openBrowser(
  [program = '', ...words]: readonly string[],
  path: string,
): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, [...words, path], { detached: true, stdio: 'ignore' });
    const timer = setTimeout(() => resolve(true), PATIENCE_MS);
    const end = (isOpened: boolean): void => {
      clearTimeout(timer);
      resolve(isOpened);
    };
    child.once('error', () => end(false));
    child.once('exit', (code) => end(code === 0));
    child.unref();
  });
}
