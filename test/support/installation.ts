import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { disk } from '../../src/install/disk.ts';
import { commandFor, portableCommand } from '../../src/install/plan/hook-command.ts';
import { install } from '../../src/install/install.ts';
import { planInit, planUninstall } from '../../src/install/plan/plan.ts';
import {
  runtimeFolder,
  programFile,
  RUNTIME_FILES,
  scriptFile,
} from '../../src/io/runtime-paths.ts';
import type { Scope } from '../../src/install/plan/scopes.ts';
import { portableServer, serverFor } from '../../src/install/plan/server-entry.ts';
import { portableProgram, programOf } from '../../src/install/plan/status-line.ts';
import type { Plan } from '../../src/install/types.ts';
import { uninstall } from '../../src/install/uninstall.ts';
import type { Project } from './project.ts';

interface Installer {
  config: string;
  hostFile: string;
  init: (version?: string, isBlocking?: boolean, more?: Extras) => Plan;
  uninstall: () => Plan;
}

interface Extras {
  hasPlugin?: boolean;
  withServer?: boolean;
  withStatusLine?: boolean;
  invocation?: string;
}

/**
 * A holdfast of some version, installed into a project for a user that is no real one. `meanwhile` happens each
 * time that a plan has been made.
 */
export function installer(
  project: Pick<Project, 'root' | 'outside'>,
  scope: Scope,
  meanwhile: () => void = () => {},
): Installer {
  const config = join(project.outside, 'home/.claude');
  const hostFile = join(project.outside, 'home/.claude.json');
  const module = {
    version: '1.0.0',
    code: '// 1.0.0\n',
    program: ['node', programFile(runtimeFolder(config))],
  };
  const request = { scope, root: project.root, config, hostFile, disk, module };
  const planned = (plan: Plan): Plan => {
    meanwhile();
    return plan;
  };
  return {
    config,
    hostFile,
    init: (version = '1.0.0', isBlocking = false, more = {}) => {
      const file =
        version === '1.0.0' ? scriptFile(runtimeFolder(config)) : `/${version}/bin/hook.sh`;
      const runtime = { folder: aPackage(project.outside, version), version };
      const { plan } = install(config, runtime, (known) =>
        planned(
          planInit({
            ...known,
            ...request,
            module: { ...module, version, code: `// ${version}\n` },
            command: scope === 'project' ? portableCommand() : commandFor(file),
            isBlocking,
            hasPlugin: more.hasPlugin ?? false,
            withServer: more.withServer ?? false,
            server:
              scope === 'project'
                ? portableServer()
                : serverFor(programFile(runtimeFolder(config))),
            withStatusLine: more.withStatusLine ?? false,
            statusLine:
              scope === 'project'
                ? portableProgram()
                : programOf('node', programFile(runtimeFolder(config))),
            invocation:
              more.invocation ?? (version === '1.0.0' ? 'holdfast' : `holdfast-${version}`),
          }),
        ),
      );
      return plan;
    },
    uninstall: () => uninstall(config, (known) => planned(planUninstall({ ...known, ...request }))),
  };
}

function aPackage(outside: string, version: string): string {
  const folder = join(outside, `package-${version}`);
  for (const name of RUNTIME_FILES) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), `// ${version}\n`);
  }
  return folder;
}
