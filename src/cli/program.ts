import type { Command } from 'commander';
import { defineCarrying } from './definitions/carrying.ts';
import { defineChecking } from './definitions/checking.ts';
import { defineEditing } from './definitions/editing.ts';
import { defineInspecting } from './definitions/inspecting.ts';
import { defineInstalling } from './definitions/installing.ts';
import { defineMoving } from './definitions/moving.ts';
import { defineStarting } from './definitions/starting.ts';
import { defineStatus } from './definitions/status.ts';
import { defineTemplates } from './definitions/templates.ts';
import { defineTodo } from './definitions/todo.ts';
import { defineWiring } from './definitions/wiring.ts';
import { programOf } from './program-of.ts';

/** All commands, in the order in which the help lists them. */
export function makeProgram(): Command {
  return programOf([
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
