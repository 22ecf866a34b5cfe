import type { Command } from 'commander';
import { defineTransfer } from './transfer.ts';
import { defineCheck } from './check.ts';
import { defineEdit } from './edit.ts';
import { defineInspect } from './inspect.ts';
import { defineInstall } from './install.ts';
import { defineProgress } from './progress.ts';
import { defineStart } from './start.ts';
import { defineStatus } from './status.ts';
import { defineTemplates } from './templates.ts';
import { defineTodo } from './todo.ts';
import { defineInternal } from './internal.ts';
import { buildProgram } from './build-program.ts';

/** All commands, in the order in which the help lists them. */
export function makeProgram(): Command {
  return buildProgram([
    defineInstall,
    defineStart,
    defineStatus,
    defineProgress,
    defineEdit,
    defineInspect,
    defineTransfer,
    defineTodo,
    defineTemplates,
    defineCheck,
    defineInternal,
  ]);
}
