import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fse from 'fs-extra';

type Environment = Readonly<Record<string, string | undefined>>;

/** The program that opens a file in a browser, with its first arguments; null where no browser of the user can. */
export function browserCommand(platform: NodeJS.Platform, environment: Environment) {
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
export async function openBrowser(
  [program = '', ...words]: readonly string[],
  url: string,
  { XDG_RUNTIME_DIR: runtime = '' }: Environment,
): Promise<(() => void) | null> {
  const folder = fse.mkdtempSync(join(runtime === '' ? tmpdir() : runtime, 'holdfast-'));
  const remove = (): void => fse.removeSync(folder);
  const path = join(folder, 'open.html');
  const html = `<!doctype html><meta http-equiv="refresh" content="0; url=${url}"><title>holdfast</title>\n`;
  fse.writeFileSync(path, html, { mode: 0o600, flag: 'wx' });
  const isOpened = await new Promise<boolean>((resolve) => {
    const child = spawn(program, [...words, path], { detached: true, stdio: 'ignore' });
    setTimeout(() => resolve(true), PATIENCE_MS).unref();
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
    child.unref();
  });
  if (isOpened) setTimeout(remove, LINK_FOR_MS).unref();
  else remove();
  return isOpened ? remove : null;
}
