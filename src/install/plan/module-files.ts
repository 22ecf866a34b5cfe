import { join } from 'node:path';
import type { Places } from './scopes.ts';

/** What the files of the module are made from. */
export interface ModuleSource {
  version: string;
  /** The bundled module. */
  code: string;
  /** The program and its first words, by which the module starts holdfast on this machine. */
  program: readonly string[];
}

/** How the module starts holdfast on this machine. */
export const PROGRAM_FILE = 'program.json';

/** These change with the version; `program.json` belongs to the machine. */
export function versionedModuleFiles(
  skill: string,
  { version, code }: Omit<ModuleSource, 'program'>,
): Map<string, string> {
  return new Map([
    [join(skill, '.claude-plugin', 'plugin.json'), json({ name: 'holdfast', version })],
    // The hooks themselves are registered in the settings, also for clients that load no folders as plugins.
    [join(skill, 'hooks', 'hooks.json'), json({ modules: ['./register.js'], hooks: {} })],
    [join(skill, 'hooks', 'register.js'), code],
  ]);
}

/** The files by which the client loads the folder of the skill as a plugin: path → content. */
export function moduleFiles(skill: string, source: ModuleSource): Map<string, string> {
  return new Map([
    ...versionedModuleFiles(skill, source),
    [join(skill, PROGRAM_FILE), programText(source.program)],
  ]);
}

/** The content of `program.json`. */
export function programText(program: readonly string[]): string {
  return json(program);
}

/** The folders inside the skill's folder that only the module needs. */
export function moduleFolders({ skill }: Places): string[] {
  return [join(skill, '.claude-plugin'), join(skill, 'hooks')];
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
