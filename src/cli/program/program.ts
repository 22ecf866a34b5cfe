import type { Command } from 'commander';
import { defineCarrying } from './transfer.ts';
import { defineChecking } from './check.ts';
import { defineEditing } from './edit.ts';
import { defineInspecting } from './inspect.ts';
import { defineInstalling } from './install.ts';
import { defineMoving } from './progress.ts';
import { defineStarting } from './start.ts';
import { defineStatus } from './status.ts';
import { defineTemplates } from './templates.ts';
import { defineTodo } from './todo.ts';
import { defineWiring } from './internal.ts';
import { buildProgram } from './build-program.ts';

/** All commands, in the order in which the help lists them. */
export function makeProgram(): Command {
  return buildProgram([
    defineInstalling,
    defineStarting,
    defineStatus,
    defineMoving,
    defineEditing,
    defineInspecting,
    defineCarrying,
    defineTodo,
    defineTemplates,
    defineChecking,
    defineWiring,
  ]);
}
