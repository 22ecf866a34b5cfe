import { HoldfastError } from '../errors/holdfast-error.ts';
import type { Tool } from './tool.ts';
import { workflowAdvance } from './tools/advance.ts';
import { workflowContext } from './tools/context.ts';
import { workflowFail } from './tools/fail.ts';
import { primeContext } from './tools/prime.ts';
import { workflowSetTasks } from './tools/set-tasks.ts';
import { workflowStart } from './tools/start.ts';
import { updateTodoList } from './tools/todo.ts';
import { workflowStatus } from './tools/status.ts';

export const TOOLS: readonly Tool[] = [
  workflowStart,
  workflowStatus,
  workflowSetTasks,
  workflowAdvance,
  workflowFail,
  workflowContext,
  primeContext,
  updateTodoList,
];

export function toolNamed(name: string): Tool {
  const tool = TOOLS.find((candidate) => candidate.name === name);
  if (tool !== undefined) return tool;
  const tools = TOOLS.map((candidate) => candidate.name);
  throw new HoldfastError({ code: 'unknown_tool', given: name, tools });
}
