import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Paths relative to a root; an object is written as JSON. */
export type Files = Readonly<Record<string, string | object>>;

/** A new folder of our own. The client reports real paths, and the system's temp folder may be a link. */
export async function createFolder(purpose: string): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), `holdfast-${purpose}-`)));
}

export async function writeFiles(root: string, files: Files): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const file = join(root, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(
      file,
      typeof content === 'string'
        ? content
        : `${JSON.stringify(content, null, 2)}\n`,
    );
  }
}

/** A client that has just been killed may still be writing: hence the retries. */
export function removeFolder(folder: string): Promise<void> {
  return rm(folder, {
    recursive: true,
    force: true,
    maxRetries: 5,
    retryDelay: 100,
  });
}
