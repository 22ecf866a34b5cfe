import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DoctorContext, Finding, Level } from '../../../src/doctor/types.ts';
import type { HookCommand } from '../../../src/install/plan/hook-command.ts';
import { hookEntries } from '../../../src/install/plan/hook-entry.ts';
import { loadSettings } from '../../../src/settings/settings.ts';
import { Store } from '../../../src/state/store/store.ts';
import { makeProject, type Project } from '../../support/project.ts';

export const LOCAL = '.claude/settings.local.json';

export interface DoctorProject extends Project {
  config: string;
  /** Everything the checks are given, as it is now. */
  doctorContext: (changes?: Partial<DoctorContext>) => DoctorContext;
  /** A file beside the project, from the folder that Claude Code keeps for the user. */
  configure: (path: string, content: string | object) => string;
}

/** A project with a user of its own, whom no file of this machine concerns. */
export function makeDoctorProject(tree: Record<string, string | object> = {}): DoctorProject {
  const texts = Object.entries(tree).map(([path, content]) => [path, asText(content)]);
  const project = makeProject(Object.fromEntries(texts));
  const config = join(project.outside, '.claude');
  mkdirSync(config);
  return {
    ...project,
    config,
    configure: (path, content) => {
      const full = join(config, path);
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, asText(content));
      return full;
    },
    doctorContext: (changes = {}) => {
      const now = new Date();
      return {
        root: project.root,
        cwd: project.root,
        config,
        hostFile: join(project.outside, '.claude.json'),
        environment: { PATH: process.env['PATH'], HOME: project.outside },
        settings: loadSettings(project.root),
        store: new Store({ root: project.root, now: () => now, waitMs: 3_000 }),
        version: '1.2.3',
        packageFolder: join(project.outside, 'package'),
        node: { version: process.version },
        hostname: 'this-machine',
        now,
        ...changes,
      };
    },
  };
}

function asText(content: string | object): string {
  return typeof content === 'string' ? content : JSON.stringify(content, null, 2);
}

/** Settings with our hooks in the form that `init` writes. */
export function settingsWith(
  command: HookCommand,
  { isBlocking = false, without = [] }: { isBlocking?: boolean; without?: string[] } = {},
): { hooks: Record<string, { matcher: string; hooks: object[] }[]> } {
  const entries = hookEntries(command, isBlocking).filter(({ event }) => !without.includes(event));
  return {
    hooks: Object.fromEntries(
      entries.map(({ event, matcher, hook }) => [event, [{ matcher, hooks: [hook] }]]),
    ),
  };
}

/** A holdfast of this doctorProject's own, of which the hooks are this code. */
export function packageWith({ outside }: DoctorProject, hooks: string): string {
  const folder = join(outside, 'package');
  for (const [name, content] of Object.entries({
    'bin/holdfast.cjs': '// the program\n',
    'bin/hook.sh': 'the script',
    'dist/cli.cjs': '// the commands\n',
    'dist/hook.cjs': hooks,
  })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

export function of(level: Level, findings: readonly Finding[]): Finding[] {
  return findings.filter((finding) => finding.level === level);
}

export function levels(findings: readonly Finding[]): Level[] {
  return findings.map(({ level }) => level);
}

export function age(path: string, seconds: number): void {
  const then = Date.now() / 1000 - seconds;
  utimesSync(path, then, then);
}
