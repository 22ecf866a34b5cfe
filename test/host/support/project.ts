import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  createFolder,
  type Files,
  removeFolder,
  writeFiles,
} from './folder.ts';

export interface Project {
  readonly root: string;
  path(...segments: string[]): string;
  /** A path next to the project, removed with it: the place for a worktree. */
  beside(name: string): string;
  write(files: Files): Promise<void>;
  git(...args: string[]): Promise<string>;
  remove(): Promise<void>;
}

const run = promisify(execFile);

/** A throw-away folder with these files; with `git`, a repository that has them committed. */
export async function createProject(
  files: Files = {},
  options: { readonly git?: boolean } = {},
): Promise<Project> {
  const folder = await createFolder('project');
  await refuseRepository(folder);
  const root = join(folder, 'shop');
  await mkdir(root);

  const project: Project = {
    root,
    path: (...segments) => join(root, ...segments),
    beside: (name) => join(folder, name),
    write: (more) => writeFiles(root, more),
    async git(...args) {
      const { stdout } = await run('git', [...IDENTITY, ...args], {
        cwd: root,
        env: gitEnvironment(),
      });
      return stdout.trim();
    },
    remove: () => removeFolder(folder),
  };

  await project.write(files);
  if (options.git === true) {
    await project.git('init', '--quiet', '--initial-branch=main');
    await project.git('add', '--all');
    await project.git('commit', '--quiet', '--allow-empty', '--message=start');
  }
  return project;
}

const IDENTITY = [
  '-c',
  'user.name=Test',
  '-c',
  'user.email=test@example.invalid',
  '-c',
  'commit.gpgsign=false',
];

/** A git hook that runs the tests sets GIT_DIR and its like, which would lead our git into the wrong repository. */
function gitEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')),
  );
}

/** The client takes in what the repository around it says: such a folder would test somebody else's project. */
async function refuseRepository(folder: string): Promise<void> {
  const around = await run('git', ['rev-parse', '--show-toplevel'], {
    cwd: folder,
    env: gitEnvironment(),
  }).then(
    ({ stdout }) => stdout.trim(),
    (error: { code?: unknown }) => {
      if (error.code === 128) return undefined;
      throw error;
    },
  );
  if (around === undefined) return;
  await removeFolder(folder);
  throw new Error(
    `${folder} lies inside the repository ${around}: set TMPDIR to a folder outside of it`,
  );
}
