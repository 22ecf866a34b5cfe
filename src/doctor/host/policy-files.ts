import { existsSync } from 'node:fs';
import { namesIn } from '../../io/list-folder.ts';
import { join, posix, win32 } from 'node:path';

/** Where the client reads administrator policies. */
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

/** The policy file and its additions; later files take precedence. */
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

/** Policies that only the client can read. */
export function unseenPoliciesOf(platform: NodeJS.Platform, config: string): string[] {
  return [
    ...(platform === 'darwin' ? ['device management profiles'] : []),
    ...(platform === 'win32' ? ['policies in the registry'] : []),
    ...(existsSync(join(config, 'remote-settings.json'))
      ? ['settings that Claude Code received from a server']
      : []),
  ];
}
