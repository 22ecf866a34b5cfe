import { join } from 'node:path';
import { programText, versionedModuleFiles } from '../../install/plan/module-files.ts';
import { recordedInstall } from '../../install/record/record-file.ts';
import { entriesIn } from '../../io/folder-entries.ts';
import { digestOf } from '../../io/digest.ts';
import { MODULE_FILE, programFile, runtimeFolder } from '../../io/runtime-paths.ts';
import { modulesSeen } from '../../sessions/loaded-modules.ts';
import { timeAgo } from '../../util/relative-time.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import { findingsFor } from '../findings.ts';
import { clientOnPath, isAtLeast } from '../host/client.ts';
import { moduleFolders, readModuleFile, type ModuleFolder } from '../host/modules.ts';
import { enabledPlugins, type Plugin } from '../host/plugin.ts';
import { readSettingsFiles } from '../host/settings-files.ts';
import { quoteForShell } from '../quote-for-shell.ts';
import type { Check, DoctorContext, Finding } from '../types.ts';

const report = findingsFor('module');
/** The first client that loads modules. */
const LEAST_CLIENT = '2.1.286';

/** The module that performs context actions: whether it is this version's, and whether the client has loaded it. */
export const checkModule: Check = {
  run: (context) => {
    const code = readModuleFile(join(context.packageFolder, MODULE_FILE));
    if (code === null) return [report.skipped('this holdfast has no module to compare with')];
    const plugins = enabledPlugins(context.config, readSettingsFiles(context));
    const folders = moduleFolders(context);
    return [
      ...plugins.map((plugin) => inPlugin(plugin, code)),
      ...folders.map((found) => inFolder(context, found, code)),
      ...(plugins.length + folders.length === 0 ? [notInstalled(context)] : oldClient(context)),
      ...lastSeen(context),
    ];
  },
};

function inPlugin({ name, folder }: Plugin, code: string): Finding {
  const path = join(folder, MODULE_FILE);
  const text = readModuleFile(path);
  if (text === code) return report.ok(`the plugin ${sanitizeLine(name)} has this version's module`);
  const what = text === null ? 'has no module' : "has a module that is not this version's";
  return report.warning(`the plugin ${sanitizeLine(name)} ${what}`, {
    evidence: [path],
    fix: 'update the plugin with /plugin',
  });
}

/** What the client would run, compared byte by byte: `program.json` decides which program the module starts. */
function inFolder(context: DoctorContext, { scope, folder }: ModuleFolder, code: string): Finding {
  const { config, root, version } = context;
  const texts = versionedModuleFiles(folder, { version, code });
  const differing = [...texts].filter(([path, text]) => readModuleFile(path) !== text);
  const program = join(folder, 'program.json');
  const paths = [
    ...differing.map(([path]) => path),
    ...(isOwnProgram(config, readModuleFile(program)) ? [] : [program]),
  ];
  if (paths.length === 0) return report.ok(`the module in ${folder} is this version's`);
  const recorded = recordedInstall(config, scope, root)?.module ?? [];
  if (isAsInstalled(recorded, paths)) {
    return report.warning(`the module in ${folder} is that of another version of holdfast`, {
      evidence: paths,
      fix: `holdfast init --scope ${scope}`,
    });
  }
  const remedy = `rm -r ${quoteForShell(folder)} && holdfast init --scope ${scope}`;
  if (paths.every((path) => recorded.some((file) => file.path === path))) {
    return report.warning(
      `the module in ${folder} was changed after init wrote it: its bytes are not this version's`,
      {
        evidence: [...paths.map(pathOrMissing), RUNS_IT],
        fix: `look at what was changed, then ${remedy}`,
      },
    );
  }
  return report.warning(
    `${folder} has a module under the name of holdfast that init did not write`,
    { evidence: [...shortList(filesBelow(folder)), RUNS_IT], fix: `read it, then ${remedy}` },
  );
}

const RUNS_IT = 'Claude Code runs it in this project, with your rights';

function pathOrMissing(path: string): string {
  return readModuleFile(path) === null ? `${path} (missing)` : path;
}

const MAX_DEPTH = 3;

/** The files that are there, without following links. */
function filesBelow(folder: string, depth = 0): string[] {
  return entriesIn(folder)
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() && depth < MAX_DEPTH ? filesBelow(path, depth + 1) : [path];
    });
}

const MAX_LISTED = 10;

function shortList(paths: readonly string[]): string[] {
  const left = paths.length - MAX_LISTED;
  return [...paths.slice(0, MAX_LISTED), ...(left > 0 ? [`and ${left} more`] : [])];
}

function isOwnProgram(config: string, text: string | null): boolean {
  const file = programFile(runtimeFolder(config));
  return ['node', process.execPath].some((node) => programText([node, file]) === text);
}

function isAsInstalled(
  recorded: readonly { path: string; written: string }[],
  paths: readonly string[],
): boolean {
  return paths.every((path) => {
    const text = readModuleFile(path);
    const written = recorded.find((file) => file.path === path)?.written;
    return text !== null && digestOf(text) === written;
  });
}

function notInstalled({ config, root }: DoctorContext): Finding {
  const scope = (['local', 'user'] as const).find((name) => recordedInstall(config, name, root));
  if (scope === undefined)
    return report.skipped(
      'no module is installed, so steps ask you for /compact and /clear; `holdfast init` or the plugin brings it',
    );
  return report.warning(`holdfast is installed (scope ${scope}) without its module`, {
    evidence: ['steps ask you for /compact and /clear'],
    fix: `holdfast init --scope ${scope}`,
  });
}

function oldClient(context: DoctorContext): Finding[] {
  const { version } = clientOnPath(context);
  return version === null || isAtLeast(version, LEAST_CLIENT)
    ? []
    : [
        report.note(
          `Claude Code ${version} loads no modules: steps ask you for /compact and /clear`,
          {
            evidence: [`modules need ${LEAST_CLIENT} or newer`],
            fix: 'claude update',
          },
        ),
      ];
}

function lastSeen(context: DoctorContext): Finding[] {
  const { root, now, version } = context;
  const [latest] = modulesSeen(context, root);
  if (latest === undefined)
    return [report.skipped('no session of this project has loaded the module yet')];
  const text = `module last seen ${timeAgo(latest.at, now)} (version ${sanitizeLine(latest.version)})`;
  return latest.version === version
    ? [report.ok(text)]
    : [report.note(`${text}; this command is ${version}`, { fix: 'restart Claude Code' })];
}
