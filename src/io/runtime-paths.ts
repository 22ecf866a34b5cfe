import { join } from 'node:path';

/** What hooks and slash commands of this user run: a copy of its own, so that it outlives the package it came from. */
export function runtimeFolder(config: string): string {
  return join(config, 'holdfast');
}

export function hookFile(home: string): string {
  return join(home, 'dist', 'hook.cjs');
}

export function programFile(home: string): string {
  return join(home, 'bin', 'holdfast.cjs');
}

export function installsFile(config: string): string {
  return join(runtimeFolder(config), 'installs.json');
}

export function backupFolder(config: string): string {
  return join(runtimeFolder(config), 'backups');
}

/** The files of a package, or of the copy, from its folder. */
export const RUNTIME_FILES = [
  'bin/holdfast.cjs',
  'dist/cli.cjs',
  'dist/cli-status.cjs',
  'dist/hook.cjs',
  'dist/mcp.cjs',
];
