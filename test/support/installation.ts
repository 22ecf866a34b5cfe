import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  applyInit,
  applyUninstall,
  exclusively,
  readInstalls,
  removeFolders,
} from '../../src/install/apply.ts';
import { disk } from '../../src/install/disk.ts';
import { commandFor, portableCommand } from '../../src/install/hook-entry.ts';
import { planInit, planUninstall } from '../../src/install/plan.ts';
import { homeOf, hookFile, RUNTIME_FILES } from '../../src/install/runtime-places.ts';
import type { Scope } from '../../src/install/scopes.ts';
import type { Plan } from '../../src/install/types.ts';
import type { Project } from './project.ts';

/** A holdfast of some version, installed into a project for a user that is no real one. */
export function installer(project: Project, scope: Scope) {
  const config = join(project.outside, 'home/.claude');
  const request = { scope, root: project.root, config, disk };
  return {
    config,
    init: (version = '1.0.0', isBlocking = false): Plan =>
      exclusively(config, (made) => {
        const file = version === '1.0.0' ? hookFile(homeOf(config)) : `${version}/hook.cjs`;
        const plan = planInit({
          ...request,
          made,
          installs: readInstalls(config),
          command: scope === 'project' ? portableCommand() : commandFor(file),
          isBlocking,
          invocation: version === '1.0.0' ? 'holdfast' : `holdfast-${version}`,
        });
        applyInit(config, plan, { folder: aPackage(project, version), version });
        return plan;
      }),
    uninstall: (): Plan => {
      const plan = exclusively(config, () => {
        const ready = planUninstall({ ...request, installs: readInstalls(config) });
        applyUninstall(config, ready);
        return ready;
      });
      removeFolders(plan);
      return plan;
    },
  };
}

function aPackage({ outside }: Project, version: string): string {
  const folder = join(outside, `package-${version}`);
  for (const name of RUNTIME_FILES) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), `// ${version}\n`);
  }
  return folder;
}
