import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createFolder,
  type Files,
  removeFolder,
  writeFiles,
} from './folder.ts';

export const API_KEY = 'sk-ant-dummy-key-of-the-host-suite';

export interface Home {
  readonly path: string;
  remove(): Promise<void>;
}

/** A home folder in which the interactive client skips its first-run questions for trusted folders. */
export async function createHome(
  trusted: readonly string[],
  files: Files = {},
): Promise<Home> {
  const path = await createFolder('home');
  await mkdir(temporaryFolder(path));
  const trust = {
    hasTrustDialogAccepted: true,
    hasCompletedProjectOnboarding: true,
  };
  await writeFiles(path, {
    '.claude.json': {
      hasCompletedOnboarding: true,
      theme: 'dark',
      customApiKeyResponses: { approved: [API_KEY.slice(-20)], rejected: [] },
      projects: Object.fromEntries(trusted.map((folder) => [folder, trust])),
    },
    ...files,
  });
  return { path, remove: () => removeFolder(path) };
}

/** Where the client leaves its sockets and the output of tasks, which would otherwise stay behind. */
export function temporaryFolder(home: string): string {
  return join(home, 'tmp');
}
