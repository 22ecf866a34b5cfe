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
export const ownTexts = (places: Places): Map<string, string> =>
  new Map(
    Object.entries(texts).map(([name, text]) => {
      const [kind = '', file = ''] = name.split('/');
      return [
        join(kind === 'commands' ? places.commands : places.skill, file),
        sign(text),
      ];
    }),
  );

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
  const code = fse.readFileSync(join(packageFolder, MODULE_FILE), 'utf8');
  return new Map([
    [
      join(skill, '.claude-plugin', 'plugin.json'),
      json({ name: 'holdfast', version }),
    ],
    // The hooks themselves are registered in the settings, also for clients that load no folders as plugins.
    [
      join(skill, 'hooks', 'hooks.json'),
      json({ modules: ['./register.js'], hooks: {} }),
    ],
    [join(skill, 'hooks', 'register.js'), code],
  ]);
}

/** The files by which the client loads the folder of the skill as a plugin: path → content. */
export const moduleFiles = (
  packageFolder: string,
  config: string,
  skill: string,
) =>
  new Map([
    ...versionedModuleFiles(packageFolder, skill),
    [
      join(skill, PROGRAM_FILE),
      json([nodeProgram(), programFile(runtimeFolder(config))]),
    ],
  ]);

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
