import type { Command } from 'commander';
import { buildProgram } from './build-program.ts';
import { defineDrive } from './drive.ts';
import { defineInspect, defineTransfer, defineUi } from './inspect.ts';
import { defineCheck, defineInstall } from './install.ts';
import { defineInternal } from './internal.ts';
import { defineApproval, defineProgress } from './progress.ts';
import { defineEdit, defineStart } from './runs.ts';
import { defineStatus } from './status.ts';
import { defineSync } from './sync.ts';
import { defineTemplates } from './templates.ts';
import { defineTodo } from './todo.ts';

/** All commands, in the order in which the help lists them. */
export function makeProgram(): Command {
  const definitions = [
    defineInstall,
    defineStart,
    defineStatus,
    defineProgress,
    defineApproval,
    defineDrive,
    defineEdit,
    defineInspect,
    defineUi,
    defineTransfer,
    defineSync,
    defineTodo,
    defineTemplates,
    defineCheck,
    defineInternal,
  ];
  return buildProgram(definitions);
}
