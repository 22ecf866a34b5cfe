import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Result } from './cli.ts';
import type { Driven } from './driven.ts';
import { stateFiles } from './state.ts';

export const WORKFLOWS = '.claude/holdfast/workflows';

export const template = (steps: string, more = ''): Record<string, string> => ({
  [`${WORKFLOWS}/release.yaml`]: `name: Release\ndescription: Ships it\n${more}steps:\n${steps}`,
});

export const TWO_STEPS = template(`  - {id: plan, type: action, instructions: PLAN}
  - {id: ship, type: action, instructions: SHIP}
`);

export const GATED = template(
  `  - {id: build, type: action, gate: "test -f built", instructions: BUILD}
  - {id: ship, type: action, instructions: SHIP}
`,
  'max_retries: 2\n',
);

export const START = ['--template', 'release'];

/** The last event, which says why the driver has stopped. */
export const stopOf = (box: Driven, result: Pick<Result, 'stdout'>) =>
  box.events({ code: 0, stderr: '', ...result }).at(-1);

export const named = (box: Driven, result: Pick<Result, 'stdout'>, event: string) =>
  box.events({ code: 0, stderr: '', ...result }).filter((entry) => entry['event'] === event);

/** Of the only run there ever was. */
export const logFolder = (box: Driven): string => {
  const logs = join(box.root, 'untracked/workflow-logs');
  const name = readdirSync(logs).find((entry) => entry !== '.gitignore') ?? '';
  return join(logs, name);
};

export const runId = (box: Driven): string => basename(logFolder(box));

/** The steps of the prompts, and the beginning of other prompts. */
export const prompts = (box: Driven): string[] =>
  box
    .calls('prompt')
    .map(({ prompt = '' }) => / at step (\S+)\. /.exec(prompt)?.[1] ?? prompt.slice(0, 40));

/** What happened to the run, by its journal. */
export const journal = (box: Driven): { event: string; [key: string]: unknown }[] => {
  const folders = [
    join(box.root, 'untracked/workflow-archive'),
    ...stateFiles(box.root).map((path) => join(box.root, dirname(path))),
  ].filter((folder) => existsSync(folder));
  return folders
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((path) => path.endsWith('.jsonl'))
    .flatMap((path) => readFileSync(path, 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line): { event: string } => JSON.parse(line));
};

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
