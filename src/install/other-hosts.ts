import { dirname, join } from 'node:path';
import { parse, type ParseError } from 'jsonc-parser';
import { HOSTS, type HostName } from '../hosts/hosts.ts';
import { isWithinLimits } from '../text/json.ts';
import { digestOf } from '../text/slug.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { editable, isBlank, linkTarget, unmarked } from './disk.ts';
import { Draft, type InstallState, type Plan } from './draft.ts';
import {
  misshapenPart,
  placesOfOurs,
  withHooks,
  type HookEntry,
} from './hooks.ts';
import { inHost, type HookCommand } from './host-commands.ts';
import { newFolders } from './plan.ts';
import type { EditedSettings, HostInstall } from './record.ts';
import { editFile, restoreFile } from './settings.ts';

/** What is registered in a host: its event, for which tools, and for how many seconds. */
type Registration = [event: string, matcher: string, seconds: number];

const AS_CLAUDE: readonly Registration[] = [
  ['SessionStart', '', 15],
  ['PreCompact', '', 15],
  ['PostCompact', '', 10],
  // Codex allows three seconds.
  ['SessionEnd', '', 3],
  ['UserPromptSubmit', '', 10],
  ['SubagentStart', '', 10],
];

const REGISTRATIONS: Record<
  Exclude<HostName, 'claude' | 'opencode'>,
  readonly Registration[]
> = {
  codex: [...AS_CLAUDE, ['PostToolUse', 'Bash', 10]],
  qwen: [...AS_CLAUDE, ['PostToolUse', 'read_file|run_shell_command', 10]],
  // PreCompress comes before every request, compressed or not.
  gemini: [
    ['SessionStart', '', 15],
    ['SessionEnd', '', 3],
    ['BeforeAgent', '', 15],
    ['BeforeTool', 'run_shell_command', 10],
    ['AfterTool', 'read_file|run_shell_command', 10],
  ],
};

interface HostFile {
  /** Below the home folder or a project. */
  folder: string;
  /** What the host reads hooks from. */
  file: string;
  /** How many units of the host's `timeout` a second has. */
  second: number;
}

const HOST_FILES: Record<OtherHost, HostFile> = {
  codex: { folder: '.codex', file: 'hooks.json', second: 1 },
  qwen: { folder: '.qwen', file: 'settings.json', second: 1_000 },
  gemini: { folder: '.gemini', file: 'settings.json', second: 1_000 },
  opencode: { folder: '.opencode', file: 'plugin/holdfast.js', second: 1 },
};

export type OtherHost = Exclude<HostName, 'claude'>;

export interface HostRequest extends InstallState {
  host: OtherHost;
  /** null for the user, in all projects. */
  root: string | null;
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
}

/** The file of the host that `init` edits. */
export function hostFile(
  request: Omit<HostRequest, keyof InstallState>,
): string {
  const { host, root } = request;
  const { folder, file } = HOST_FILES[host];
  if (root !== null) return linkTarget(join(root, folder, file));
  return linkTarget(join(userFolder(request, folder), file));
}

/** Two hosts let the user move their folder; an empty variable counts as none. */
function userFolder(
  { host, home, environment }: Omit<HostRequest, keyof InstallState>,
  folder: string,
): string {
  if (host === 'opencode') {
    const config = environment['XDG_CONFIG_HOME'] || join(home, '.config');
    return join(config, 'opencode');
  }
  const moved = host === 'codex' ? environment['CODEX_HOME'] : undefined;
  return moved || join(home, folder);
}

/** What `init --host` would change; `plugin` is the text of OpenCode's file. */
export function planHostInit(
  request: HostRequest & { command: HookCommand; plugin: string },
): Plan {
  const { host, root, command, plugin } = request;
  const path = hostFile(request);
  const draft = new Draft();
  const before = readHooks(draft, host, path);
  if (host === 'opencode') {
    if (before !== null && !isOurPlugin(before))
      throw new HoldfastError(
        'not_ours',
        `${path} does not belong to holdfast; nothing was changed`,
        { hint: 'move or rename it, then try again' },
      );
    draft.write(path, plugin);
    const file = { path, original: null, written: digestOf(plugin) };
    return planned(request, draft, [{ host, root, file }]);
  }
  // Ours stand last, each in a group of its own: Codex trusts a hook by its place in the file.
  const text = withHooks(editable(before), entriesFor(host, command));
  const file = editFile(draft, path, text, knownFile(request, path));
  return planned(request, draft, [{ host, root, file }]);
}

export function planHostUninstall(request: HostRequest): Plan {
  const path = hostFile(request);
  const draft = new Draft();
  const before = readHooks(draft, request.host, path);
  if (request.host !== 'opencode')
    restoreFile(draft, path, knownFile(request, path));
  else if (before !== null && isOurPlugin(before)) draft.write(path, null);
  return planned(request, draft, []);
}

/** The text of the host's file; throws if it cannot be read as settings. */
function readHooks(draft: Draft, host: OtherHost, path: string): string | null {
  const text = draft.read(path);
  if (host === 'opencode' || isBlank(text)) return text;
  const part = unreadablePart(unmarked(text));
  if (part === null) return text;
  throw new HoldfastError(
    'settings_misshapen',
    `${path}: ${part} cannot be read`,
    {
      hint: 'correct it, then try again; nothing was changed',
    },
  );
}

/** What of the settings cannot be read; null if all of it can. */
function unreadablePart(text: string): string | null {
  // The parser needs more of the stack for each level.
  if (!isWithinLimits(text)) return 'its JSON';
  const errors: ParseError[] = [];
  const json: unknown = parse(text, errors, { allowTrailingComma: true });
  return errors.length > 0 ? 'its JSON' : misshapenPart(json);
}

/** Whether the file of the host has hooks of ours. */
export function hasOurs(host: OtherHost, path: string): boolean {
  const text = readHooks(new Draft(), host, path);
  return host === 'opencode'
    ? text !== null && isOurPlugin(text)
    : placesOfOurs(text).length > 0;
}

function planned(
  request: HostRequest,
  draft: Draft,
  added: HostInstall[],
): Plan {
  const { record, host, root, made } = request;
  const others = (record.hosts ?? []).filter(
    (install) => install.host !== host || install.root !== root,
  );
  const { changes } = draft;
  const created = newFolders(changes);
  const known = new Set([...record.folders, ...created, ...made]);
  const emptied = [...record.folders, dirname(hostFile(request))];
  return {
    changes,
    left: [],
    folders: added.length > 0 ? created : emptied,
    record: {
      ...record,
      folders: [...known],
      hosts: [...others, ...added],
    },
  };
}

/** The file as it was recorded; undefined if it is another one by now. */
function knownFile(
  { record, host, root }: HostRequest,
  path: string,
): EditedSettings | undefined {
  const installed = record.hosts?.find(
    (install) => install.host === host && install.root === root,
  );
  return installed?.file.path === path ? installed.file : undefined;
}

function entriesFor(
  host: keyof typeof REGISTRATIONS,
  command: HookCommand,
): HookEntry[] {
  const line = inHost(host, command);
  return REGISTRATIONS[host].map(([event, matcher, seconds]) => {
    const hook = {
      command: line(HOSTS[host].events?.[event] ?? event),
      timeout: seconds * HOST_FILES[host].second,
    };
    const entry: HookEntry = {
      event,
      // Gemini's setting that switches single hooks off lists their names.
      hook:
        host === 'gemini'
          ? { type: 'command', name: 'holdfast', ...hook }
          : { type: 'command', ...hook },
    };
    return matcher === '' ? entry : { ...entry, matcher };
  });
}

/** The hooks of the plugin for Codex. */
export function codexHooks(command: HookCommand): object {
  const hooks: Record<string, object[]> = {};
  for (const { event, matcher, hook } of entriesFor('codex', command)) {
    const group = matcher === undefined ? {} : { matcher };
    hooks[event] = [{ ...group, hooks: [hook] }];
  }
  return { hooks };
}

const PLUGIN_MARK = '// Written by `holdfast init --host opencode`';

const isOurPlugin = (text: string): boolean => text.startsWith(PLUGIN_MARK);

/** The line behind which nothing of the plugin depends on the machine. */
const LAST_FILLED_LINE = /^const PROGRAM = .*$/m;

/** Whether the plugin is the one of this version, whatever Node and program it starts. */
export function isThisVersionsPlugin(text: string, template: string): boolean {
  const [, code] = text.split(LAST_FILLED_LINE);
  return code === template.split(LAST_FILLED_LINE)[1];
}

/** `template` is the plugin as it is built; it runs in OpenCode's own process. */
export function openCodePlugin(
  template: string,
  node: string,
  program: string,
): string {
  const filled = template
    .replace("'{{node}}'", () => JSON.stringify(node))
    .replace("'{{program}}'", () => JSON.stringify(program));
  return `${PLUGIN_MARK}; \`holdfast uninstall --host opencode\` removes it.\n${filled}`;
}
