import { spawn } from 'node:child_process';

type Environment = Readonly<Record<string, string | undefined>>;

/** The program that opens an address, with its first arguments; null where no browser can be seen. */
export function browserCommand(
  platform: NodeJS.Platform,
  environment: Environment,
): string[] | null {
  const { BROWSER: browser = '' } = environment;
  // Editors that run elsewhere set it to a program that opens the address in front of the user.
  if (/^[^\s%:]+$/.test(browser)) return [browser];
  if (environment['SSH_CONNECTION'] !== undefined) return null;
  switch (platform) {
    case 'darwin':
      return ['open'];
    case 'win32':
      return ['rundll32', 'url.dll,FileProtocolHandler'];
    default:
      if (environment['WSL_DISTRO_NAME'] !== undefined) return ['wslview'];
      return hasScreen(environment) ? ['xdg-open'] : null;
  }
}

function hasScreen(environment: Environment): boolean {
  return ['DISPLAY', 'WAYLAND_DISPLAY'].some((name) => (environment[name] ?? '') !== '');
}

/** A program that still runs after this long is a browser. */
const PATIENCE_MS = 3_000;

/** Starts the program; false if it is missing or fails at once. */
export function openBrowser(
  [program = '', ...words]: readonly string[],
  url: string,
): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, [...words, url], { detached: true, stdio: 'ignore' });
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
