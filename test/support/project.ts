import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface Project {
  root: string;
  /** A folder beside the project, which links in the project must not reach. */
  outside: string;
  at: (path: string) => string;
  write: (path: string, content: string | Uint8Array) => void;
  read: (path: string) => string;
  json: (path: string) => unknown;
  exists: (path: string) => boolean;
  /** The names in a folder, sorted. */
  names: (folder: string) => string[];
  link: (path: string, target: string) => void;
  fifo: (path: string) => void;
}

/** A temporary folder with real files, outside any repository, removed after the test. */
export function makeProject(tree: Record<string, string> = {}): Project {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-unit-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, 'project');
  const outside = join(base, 'outside');
  mkdirSync(root);
  mkdirSync(outside);
  const at = (path: string): string => join(root, path);
  const placeFor = (path: string): string => {
    mkdirSync(dirname(at(path)), { recursive: true });
    return at(path);
  };
  const write: Project['write'] = (path, content) =>
    writeFileSync(placeFor(path), content);
  const read: Project['read'] = (path) => readFileSync(at(path), 'utf8');
  for (const [path, content] of Object.entries(tree)) write(path, content);
  return {
    root,
    outside,
    at,
    write,
    read,
    json: (path) => JSON.parse(read(path)),
    exists: (path) => existsSync(at(path)),
    names: (folder) => readdirSync(at(folder)).toSorted(),
    link: (path, target) => symlinkSync(target, placeFor(path)),
    fifo: (path) => {
      execFileSync('mkfifo', [placeFor(path)]);
    },
  };
}
