// cspell:words Taskfile CLAUDETODO cursorrules clinerules windsurfrules llms chatmode chatmodes bmad
import { describe, expect, test } from 'vitest';
import { todoNameProblem } from '../../../../src/guidance/todo/name.ts';

const LISTS = [
  ...[
    'TODO.md',
    'todo.md',
    'Todo.txt',
    'todos.md',
    'TODO.markdown.md',
    '.todo.md',
    'my-todo.md',
  ],
  ...[
    'docs/TODO.md',
    'docs/release/todo-2.0.md',
    './notes/TODO.md',
    'CLAUDE/TODO.md',
    'a b/todo.md',
  ],
  ...[
    'tasks.md',
    'TASKS.md',
    'task.txt',
    'task_plan.md',
    'docs/open-tasks.md',
    'subtasks.md',
  ],
  ...[
    'specs/001-login/tasks.md',
    'openspec/changes/login/tasks.md',
    'packages/api/Tasks.md',
  ],
  ...[
    'backlog.md',
    'BACKLOG.txt',
    'product-backlog.md',
    'backlog/next-tasks.md',
    'docs/Backlog.md',
  ],
  ...[
    'checklist.md',
    'release-checklist.md',
    'CHECKLIST.txt',
    'docs/security-checklist.md',
  ],
  ...[
    'requirements-todo.md',
    'requirements/todo.md',
    'untracked/todo.md',
    'personal-tasks.md',
  ],
];

/** Refused before as well, because a program or an agent obeys them or because they are no text. */
const OBEYED = [
  ...[
    '.git/config',
    '.git/todo.md',
    '.claude/settings.local.json',
    '.claude/commands/todo.md',
  ],
  ...[
    '.mcp.json',
    '.Claude/settings.json',
    '.claude/notes.md',
    '.claude/rules/tasks.md',
  ],
  ...[
    '.husky/pre-commit',
    '..x/todo.md',
    '.envrc',
    '.md',
    '.github/copilot-instructions.md',
    '.cursor/rules/todo.md',
  ],
  ...[
    '.codex/prompts/todo.md',
    '.windsurf/rules/todo.md',
    '.kiro/steering/tasks.md',
    '.vscode/tasks.json',
  ],
  ...[
    'package.json',
    'Makefile',
    'src/main.ts',
    'todo',
    'todo.yaml',
    'Taskfile.yml',
    'tasks.py',
  ],
  ...[
    'AGENTS.md',
    'CLAUDE.md',
    'docs/Claude.local.md',
    'GEMINI.md',
    'QWEN.md',
    'CMakeLists.txt',
  ],
  ...['requirements-dev.txt', 'requirements-tasks.txt', 'constraints-todo.txt'],
  ...[
    'node_modules/x/notes.md',
    'node_modules/x/todo.md',
    'untracked/workflow-state/todo.md',
  ],
  ...[
    'untracked/workflow-state/sources.json',
    'untracked/workflow-archive/tasks.md',
  ],
  ...[
    'docs/claude-notes.md',
    'CLAUDE-todo.md',
    'CLAUDETODO.md',
    'AGENTS-tasks.md',
    'agents.todo.md',
  ],
  ...['qwen-backlog.md', 'GEMINI.checklist.md', 'CLAUDE.todo.md'],
];

/** Names that instruct agents, with a word of a list or without one. */
const INSTRUCTIONS = [
  ...[
    'todo/AGENTS.md',
    'tasks/CLAUDE.md',
    'backlog/GEMINI.txt',
    'todo.CLAUDE.md',
    'my-AGENTS-todo.md',
  ],
  ...[
    'TODO-CLAUDE.md',
    'todo.agents.md',
    'CLAUDE.todo.txt',
    'agent-tasks.md',
    'task-runner.agent.md',
  ],
  ...[
    '.cursorrules-todo.md',
    '.clinerules.todo.md',
    '.windsurfrules.tasks.md',
    'cursor-tasks.md',
  ],
  ...[
    'codex-todo.md',
    'copilot-tasks.md',
    'opencode.todo.md',
    'llms-todo.txt',
    'prompt-todo.md',
  ],
  ...[
    'todo.instructions.md',
    'tasks.prompt.md',
    'todo.chatmode.md',
    'todo-SKILL.md',
    'task-rules.md',
  ],
  ...[
    'memory-todo.md',
    'todo-memories.md',
    'CONVENTIONS-checklist.md',
    'skills/todo/SKILL.md',
  ],
  ...[
    'skills/todo/todo.md',
    'agents/todo.md',
    'commands/todo.md',
    'plugin/commands/task.md',
  ],
  ...[
    'prompts/todo.md',
    'rules/tasks.md',
    'Rules/tasks.md',
    'memory/todo.md',
    'memory-bank/tasks.md',
    '_bmad/bmm/workflows/dev-story/checklist.md',
    'bmad-core/checklists/story-checklist.md',
  ],
  ...[
    'instructions/checklist.md',
    'output-styles/todo.md',
    'chatmodes/task.md',
    'steering/backlog.md',
  ],
  ...[
    'requirements/tasks.txt',
    'tasks-requirements.txt',
    'dev-constraints-todo.txt',
  ],
];

/** Names that today's agents obey by themselves, or that people give to what they obey. */
const OTHERS = [
  ...[
    'SKILL.md',
    'CONVENTIONS.md',
    'MEMORY.md',
    'memory.md',
    'prompt.md',
    'system-prompt.txt',
  ],
  ...[
    'copilot-instructions.md',
    'instructions.md',
    'rules.md',
    'llms.txt',
    'CODEX.md',
    'OPENCODE.md',
  ],
  ...[
    'WARP.md',
    'AGENT.md',
    'persona.md',
    'style-guide.md',
    'README.md',
    'CONTRIBUTING.md',
    'notes.md',
  ],
  ...[
    'todo/README.md',
    'tasks/notes.txt',
    'backlog/index.md',
    'checklist/list.md',
    'to-do.md',
  ],
];

describe('the file of the todo list', () => {
  test.each(LISTS)('%s can be it', (path) => {
    expect(todoNameProblem(path)).toBeNull();
  });

  test.each(OBEYED)('%s cannot be it', (path) => {
    expect(todoNameProblem(path)).not.toBeNull();
  });

  test.each(INSTRUCTIONS)(
    '%s, which instructs agents or programs, cannot be it',
    (path) => {
      expect(todoNameProblem(path)).toContain('obeys');
    },
  );

  test.each(OTHERS)(
    '%s, whose name is not that of a list, cannot be it',
    (path) => {
      expect(todoNameProblem(path)).not.toBeNull();
    },
  );
});
