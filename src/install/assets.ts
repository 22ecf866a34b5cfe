import { join } from 'node:path';
import fse from 'fs-extra';
import { texts } from './assets.generated.ts';
import {
  MODULE_FILE,
  programFile,
  runtimeFolder,
} from '../files/environment.ts';
import { nodeProgram } from '../files/is-executable.ts';
import { digestOf } from '../text/slug.ts';
import { version } from '../text/version.ts';
import type { Places } from './places.ts';

/** The slash commands and the skill: path → content. */
export function ownTexts(places: Places): Map<string, string> {
  const files = new Map<string, string>();
  for (const [name, text] of Object.entries(texts)) {
    // `commands/advance.md`, `skill/SKILL.md`
    const [kind = '', file = ''] = name.split('/');
    const folder = kind === 'commands' ? places.commands : places.skill;
    files.set(join(folder, file), sign(text));
  }
  return files;
}

/** `x-holdfast: 5f3a…` on a line of its own. */
const SEAL = /^x-holdfast: \S+\n/m;

/** A file of ours, sealed in its front matter, which no model reads: so we know it again, and whether it was changed. */
export function sign(text: string): string {
  const [first = '', ...rest] = text.split('\n');
  return [first, `x-holdfast: ${digestOf(text)}`, ...rest].join('\n');
}

/** Ours, of whatever version, and as it was written. */
export function isUnmodified(text: string): boolean {
  const plain = text.replaceAll('\r\n', '\n');
  return SEAL.test(plain) && sign(plain.replace(SEAL, '')) === plain;
}

/** Ours in the beginning, whatever was made of it. */
export const isSigned = (text: string): boolean =>
  SEAL.test(text.replaceAll('\r\n', '\n'));

/** How the module starts holdfast on this machine. */
export const PROGRAM_FILE = 'program.json';

/** These change with the version; `program.json` belongs to the machine. */
export function versionedModuleFiles(
  packageFolder: string,
  skill: string,
): Map<string, string> {
  const manifest = { name: 'holdfast', version };
  // The hooks themselves are registered in the settings, also for clients that load no folders as plugins.
  const hooks = { modules: ['./register.js'], hooks: {} };
  const code = fse.readFileSync(join(packageFolder, MODULE_FILE), 'utf8');
  return new Map([
    [join(skill, '.claude-plugin', 'plugin.json'), jsonText(manifest)],
    [join(skill, 'hooks', 'hooks.json'), jsonText(hooks)],
    [join(skill, 'hooks', 'register.js'), code],
  ]);
}

/** The files by which the client loads the folder of the skill as a plugin: path → content. */
export function moduleFiles(
  packageFolder: string,
  config: string,
  skill: string,
): Map<string, string> {
  const program = [nodeProgram(), programFile(runtimeFolder(config))];
  const files = versionedModuleFiles(packageFolder, skill);
  files.set(join(skill, PROGRAM_FILE), jsonText(program));
  return files;
}

const jsonText = (value: unknown): string =>
  `${JSON.stringify(value, null, 2)}\n`;
