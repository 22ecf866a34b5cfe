import { HOST_NAMES, isHostName, type HostName } from '../hosts/hosts.ts';
import { isActive } from '../state/run.ts';
import { previewSync } from '../sources/project-sources.ts';
import { offeredFiles, offerLines } from '../sources/offered-files.ts';
import { describeUnclear, unclearSources } from '../sources/unclear-sources.ts';
import { phaseLabel, phaseWords } from '../state/phase-words.ts';
import type { Run } from '../state/types.ts';
import { pluralize } from '../text/relative-time.ts';
import { asWord } from '../text/sanitize.ts';
import { command, type Shown } from './command.ts';
import type {
  CommandDocuments,
  FoundInProject,
  HostChangeDocument,
} from './json/documents.ts';
import { initClaude, removeClaude } from './install/claude.ts';
import { changeHost, type HostOptions } from './install/hosts.ts';
import { type Bad, choiceOption, flag, listOption } from './options.ts';
import type { CommandContext } from './view/output.ts';

const scope = choiceOption(
  'for you in this project, for everyone in this project, or for you in all projects',
  'scope',
  ['local', 'project', 'user'],
);
const named = listOption(
  `the agent that it is for: ${HOST_NAMES.join(', ')} (default: claude)`,
  'host',
);
const host = {
  ...named,
  parse: (input: unknown, bad: Bad, name: string): HostName[] => {
    const hosts = named.parse(input, bad, name).map((each) => {
      if (isHostName(each)) return each;
      throw bad(`one of ${HOST_NAMES.join(', ')}`, each);
    });
    return hosts.length === 0 ? ['claude'] : hosts;
  },
};

type AnyInit = CommandDocuments[
  | 'init'
  | 'init --host codex'
  | 'init --host claude --host codex'];
type AnyUninstall = CommandDocuments[
  | 'uninstall'
  | 'uninstall --host codex'
  | 'uninstall --host claude --host codex'];

export const init = command({
  usage: 'init',
  about:
    'register the hooks in Claude Code, with slash commands and a skill, or in another agent; run it again to update them',
  examples: [
    'holdfast init',
    'holdfast init --scope user --mcp --statusline',
    'holdfast init --host codex --host gemini',
    'holdfast init --dry-run --verbose',
  ],
  options: {
    host,
    scope,
    mcp: flag('register the MCP server as well'),
    statusline: flag(
      'show the run and the context fill in the status line, after your own',
    ),
    dryRun: flag('print what would change without changing it'),
    verbose: flag('with --dry-run: print the diff'),
  },
  run: (cli, { host: hosts, scope: place, ...input }): Shown<AnyInit> => {
    if (
      (input.mcp || input.statusline) &&
      hosts.some((each) => each !== 'claude')
    )
      cli.output.warn(
        'only Claude Code gets the MCP server and the status line',
      );
    const options = { ...input, scope: place };
    const shown = changeHosts(cli, 'init', hosts, options, () =>
      initClaude(cli, { ...input, scope: place ?? 'local' }),
    );
    if (input.dryRun) return shown;
    // With what there is to restore in this project, before any hook has run.
    const found = findInProject(cli);
    const text = `${shown.text}\n\n${foundText(found)}`;
    return { data: { ...shown.data, found }, text };
  },
});

export const uninstall = command({
  usage: 'uninstall',
  about: 'remove exactly what init installed; state files stay',
  examples: ['holdfast uninstall', 'holdfast uninstall --scope user --dry-run'],
  options: {
    host,
    scope,
    dryRun: flag('print what would change without changing it'),
    verbose: flag('with --dry-run: print the diff'),
  },
  run: (cli, { host: hosts, scope: place, ...input }): Shown<AnyUninstall> =>
    changeHosts(cli, 'uninstall', hosts, { ...input, scope: place }, () =>
      removeClaude(cli, { ...input, scope: place ?? 'local' }),
    ),
});

/** `init --host` and `uninstall --host`, for one or more of them; `ofClaude` does it for Claude Code. */
function changeHosts<OfClaude extends object>(
  cli: CommandContext,
  action: 'init' | 'uninstall',
  hosts: readonly HostName[],
  options: HostOptions,
  ofClaude: () => Shown<OfClaude>,
): Shown<Changed<OfClaude> | { hosts: Changed<OfClaude>[] }> {
  const done: Shown<Changed<OfClaude>>[] = hosts.map((each) =>
    each === 'claude' ? ofClaude() : changeHost(cli, action, each, options),
  );
  const [first, ...others] = done;
  if (first !== undefined && others.length === 0) return first;
  const text = done.map((each) => each.text).join('\n\n');
  const data = { hosts: done.map((each) => each.data) };
  return { data, text };
}

type Changed<OfClaude> = OfClaude | HostChangeDocument;

function findInProject(cli: CommandContext): FoundInProject {
  const { runs } = cli.store.list();
  const { detected, input } = previewSync(cli, runs);
  return {
    runs: [...runs.filter(isActive), ...detected].map((run) => ({
      workflow: run.state.workflow,
      phase: phaseLabel(run.state.phase),
      from: run.state.source?.path ?? run.path,
      gets_back: givenBack(run),
    })),
    not_understood: unclearSources(cli.root, input.sources),
    offers: offerLines(offeredFiles(cli.root, input.sources)),
  };
}

function givenBack({ state }: Run): string {
  const counts = [
    [state.required_reading.length, 'file', ' to read'],
    [state.key_reminders?.length ?? 0, 'reminder', ''],
    [Object.keys(state.context ?? {}).length, 'fact', ''],
  ] as const;
  const parts = counts
    .filter(([count]) => count > 0)
    .map(([count, name, how]) => `${pluralize(count, name)}${how}`);
  return [`phase ${phaseWords(state.phase)}`, ...parts].join(', ');
}

const MAX_FOUND = 5;

function foundText({
  runs,
  not_understood: unclear,
  offers,
}: FoundInProject): string {
  const left = runs.length - MAX_FOUND;
  return [
    runs.length === 0
      ? 'Found in this project: no workflow in progress. Declare one in CLAUDE.local.md or a plan, or type `holdfast start`.'
      : `Found in this project: ${pluralize(runs.length, 'workflow')} in progress. After a compaction a session gets back:`,
    ...runs
      .slice(0, MAX_FOUND)
      .map(
        (run) =>
          `  ${asWord(run.workflow)} (${asWord(run.from)}): ${run.gets_back}`,
      ),
    ...(left > 0 ? [`  and ${left} more: \`holdfast list\``] : []),
    ...unclear.map((each) => `  ${describeUnclear(each)}`),
    ...offers.map((line) => `  ${line}`),
  ].join('\n');
}
