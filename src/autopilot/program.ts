import type { Client } from './client.ts';

/** Written by `init` beside the module, whose bytes are the same everywhere: how to start holdfast on this machine. */
const PROGRAM_FILE = 'program.json';

/** In the plugin, holdfast is part of the same folder. */
export async function holdfastProgram(client: Client): Promise<readonly string[]> {
  const file = `${client.pluginRoot}/${PROGRAM_FILE}`;
  if (!(await client.exists(file))) return ['node', `${client.pluginRoot}/bin/holdfast.cjs`];
  const program: unknown = JSON.parse(await client.read(file));
  if (!Array.isArray(program) || !program.every((word) => typeof word === 'string'))
    throw new Error(`${PROGRAM_FILE} is not a list of words`);
  return program;
}

/** Most turns end in projects without a run: they should not start a process. */
export async function hasStateFolder(client: Client, folder: string): Promise<boolean> {
  for (const candidate of withParents(folder))
    if (await client.exists(`${candidate}/untracked/workflow-state`)) return true;
  return false;
}

function withParents(folder: string): string[] {
  const parts = folder.split(/[\\/]/);
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('/'));
}
