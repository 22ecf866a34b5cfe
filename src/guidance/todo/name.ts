/** One of these is in the name of the file, so that settings of a repository cannot make any other file the list. */
const LIST_WORDS = ['todo', 'task', 'backlog', 'checklist'];

// cspell:words bmad chatmode chatmodes llms

/** Names of agents, and of what instructs them, wherever they stand in a name: `CLAUDE.todo.md`, `tasks.prompt.md`. */
const AGENT_WORDS = [
  'agent',
  'chatmode',
  'claude',
  'codex',
  'convention',
  'copilot',
  'cursor',
  'gemini',
  'instruction',
  'llms',
  'memories',
  'memory',
  'opencode',
  'prompt',
  'qwen',
  'rules',
  'skill',
  'windsurf',
];

/** Folders whose Markdown files agents load. Those of a plugin may be at the top of a project. */
const AGENT_FOLDERS = new Set([
  '_bmad',
  'agents',
  'bmad',
  'bmad-core',
  'chatmodes',
  'commands',
  'instructions',
  'memories',
  'memory',
  'memory-bank',
  'output-styles',
  'prompts',
  'rules',
  'skills',
  'steering',
]);

/** In the name of a text file, or of its folder, that installers of packages obey: `requirements/tasks.txt`. */
const INSTALLER_WORDS = ['requirements', 'constraints'];

const OBEYED =
  'only a Markdown or text file that no program or agent obeys can';

/**
 * Why a file of this name cannot be the todo list, null if it can. An agent changes the list without being asked, and the
 * project's settings name it: so it must not be what a program runs or a model obeys, nor a state file.
 */
export function todoNameProblem(path: string): string | null {
  const folders = path.toLowerCase().split(/[/\\]/);
  const name = folders.pop() ?? '';
  if (!isText(name) || isObeyed(name, folders) || isStateFolder(folders))
    return OBEYED;
  const stem = name.replace(/\.[a-z]+$/, '');
  return hasWord(stem, LIST_WORDS)
    ? null
    : 'its name has none of the words todo, task, backlog and checklist';
}

/** `.md` alone is the name of a hidden file. */
const isText = (name: string): boolean => /[^.].*\.(?:md|txt)$/.test(name);

function isObeyed(name: string, folders: readonly string[]): boolean {
  const isForInstallers =
    name.endsWith('.txt') &&
    [...folders, name].some((part) => hasWord(part, INSTALLER_WORDS));
  return (
    isForInstallers ||
    hasWord(name, AGENT_WORDS) ||
    folders.some(isObeyedFolder)
  );
}

/** Hidden folders are those of programs: `.git`, `.claude`, `.cursor`. */
const isObeyedFolder = (folder: string): boolean =>
  /^\.(?!\.?$)/.test(folder) ||
  folder === 'node_modules' ||
  AGENT_FOLDERS.has(folder);

const isStateFolder = ([top, below = '']: readonly string[]): boolean =>
  top === 'untracked' && below.startsWith('workflow-');

const hasWord = (text: string, words: readonly string[]): boolean =>
  words.some((word) => text.includes(word));
