import { existsSync, readdirSync } from 'node:fs';
import { join, posix, win32 } from 'node:path';
import { errorCode } from '../../io/read-file.ts';

/** Where the host looks for what an administrator has decided. */
export function policyFolderOf(platform: NodeJS.Platform): string {
  switch (platform) {
    case 'darwin':
      return '/Library/Application Support/ClaudeCode';
    case 'win32':
      return 'C:\\Program Files\\ClaudeCode';
    default:
      return '/etc/claude-code';
  }
}

/** The file itself, and those beside it that add to it; a later one overrules those before it. */
export function policyFilesIn(folder: string): string[] {
  const path = folder.includes('\\') ? win32 : posix;
  const added = path.join(folder, 'managed-settings.d');
  return [
    path.join(folder, 'managed-settings.json'),
    ...namesIn(added)
      .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
      .toSorted()
      .map((name) => path.join(added, name)),
  ];
}

/** Policies that are kept where only the host knows to read them. */
export function unseenPoliciesOf(platform: NodeJS.Platform, config: string): string[] {
  return [
    ...(platform === 'darwin' ? ['the profiles of a device management'] : []),
    ...(platform === 'win32' ? ['the policies in the registry'] : []),
    ...(existsSync(join(config, 'remote-settings.json'))
      ? ['the settings that Claude Code was given by a server']
      : []),
  ];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}
