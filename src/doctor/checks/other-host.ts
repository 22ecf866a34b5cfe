import { dirname, join } from 'node:path';
import fse from 'fs-extra';
import { HOSTS } from '../../hosts/hosts.ts';
import { findOnPath } from '../../files/is-executable.ts';
import {
  homeFolder,
  PLUGIN_FILE,
  runtimeFolder,
  scriptFile,
} from '../../files/environment.ts';
import { readIfText, readWhole } from '../../install/disk.ts';
import { jsonOf, placesOfOurs, type HookPlace } from '../../install/hooks.ts';
import {
  hasOurs,
  hostFile,
  isThisVersionsPlugin,
  type OtherHost,
} from '../../install/other-hosts.ts';
import { isObject } from '../../text/json.ts';
import { shellQuote } from '../../text/shell-commands.ts';
import type { Facts } from '../facts.ts';
import { broken, note, ok, warning, type Finding } from '../finding.ts';

/** What a host cannot do, or holdfast in it. */
const LACKS: Record<OtherHost, string> = {
  codex:
    'it has no text of ours in its summaries, no slash commands, no status line; that a file was read is known only if a command printed all of it',
  qwen: 'the request right after an automatic compaction comes before the guidance; it has no slash commands, no status line',
  gemini:
    'it does not tell when it has compressed a conversation, so the guidance comes at the next prompt; it has no slash commands, no status line',
  opencode:
    'a session that `/new` begins does not take the run of the one before it: `holdfast release` there first; it has no slash commands, no status line; its hooks are marked as experimental',
};

/** In place of the checks of Claude Code's installation. */
export function checkHost(facts: Facts): Finding[] {
  const { host, root, environment, packageFolder } = facts;
  if (host === 'claude') return [];
  const { title } = HOSTS[host];
  const where = { host, home: homeFolder(), environment };
  const ofUser = hostFile({ ...where, root: null });
  const inProject = hostFile({ ...where, root });
  const init = `holdfast init --host ${host}`;
  const brought = host === 'opencode' ? pluginOfProject(inProject) : [];
  // The plugin names the holdfast of one user, so `init` writes it into no project.
  const files = host === 'opencode' ? [ofUser] : [inProject, ofUser];
  const registered = files.filter((file) => hasOurs(host, file));
  if (registered.length === 0)
    return [
      broken(`${title} has no hooks of holdfast`, init, files),
      ...brought,
    ];

  const found = [
    ok(`${title} has the hooks of holdfast`, registered),
    ...brought,
  ];
  if (host === 'opencode')
    found.push(comparePlugin(ofUser, packageFolder, init));
  for (const file of files)
    found.push(...switchedOff(host, settingsBeside(host, file)));
  found.push(...missingPrograms(facts, init));
  if (host === 'codex') {
    // What the project says about trust does not count for Codex either.
    const settings = settingsBeside(host, ofUser);
    for (const file of registered) found.push(...untrusted(file, settings));
  }
  found.push(note(`what ${title} lacks: ${LACKS[host]}`, 'nothing to do'));
  return found;
}

/** What the hooks run, and what the agent calls. */
function missingPrograms(facts: Facts, init: string): Finding[] {
  const { config, environment, packageFolder } = facts;
  const found: Finding[] = [];
  const script = scriptFile(runtimeFolder(config));
  if (!fse.existsSync(script))
    found.push(broken(`${script} is missing, which the hooks run`, init));
  if (findOnPath('holdfast', environment['PATH']) === null)
    found.push(
      warning(
        'a shell does not find `holdfast`, which the agent calls',
        `npm install -g ${shellQuote(packageFolder)}`,
      ),
    );
  return found;
}

/** Codex has its settings in another file than its hooks. */
const settingsBeside = (host: OtherHost, file: string): string =>
  host === 'codex' ? join(dirname(file), 'config.toml') : file;

/** A file of this name looks like ours. OpenCode runs the plugins of a project without asking. */
function pluginOfProject(file: string): Finding[] {
  if (!fse.existsSync(file)) return [];
  const message =
    'OpenCode runs a plugin that came with the project and is named like ours';
  return [
    warning(message, 'look at it; `holdfast init` has not written it', [file]),
  ];
}

function comparePlugin(
  file: string,
  packageFolder: string,
  init: string,
): Finding {
  const built = readWhole(join(packageFolder, PLUGIN_FILE)) ?? '';
  const isCurrent = isThisVersionsPlugin(readWhole(file) ?? '', built);
  if (isCurrent) return ok("the plugin is this version's", [file]);
  return warning(
    "the plugin is not this version's",
    `${init}, then restart OpenCode`,
    [file],
  );
}

/** Where a project sets it, the hooks of the user are off as well, and no host says so. */
function switchedOff(host: OtherHost, file: string): Finding[] {
  // OpenCode has no such setting.
  if (host === 'opencode') return [];
  const text = readIfText(file) ?? '';
  const setting =
    host === 'codex'
      ? hooksOffInToml(text)
      : hooksOffInJson(host, jsonOf(text));
  if (setting === null) return [];
  const message = `${HOSTS[host].title} runs no hooks here: a setting switches hooks off`;
  return [
    broken(message, `take it out of ${shellQuote(file)}`, [
      `${file}: ${setting}`,
    ]),
  ];
}

function hooksOffInJson(host: 'qwen' | 'gemini', json: unknown): string | null {
  if (!isObject(json)) return null;
  if (host === 'qwen')
    return json['disableAllHooks'] === true ? 'disableAllHooks' : null;
  const { hooksConfig } = json;
  if (!isObject(hooksConfig)) return null;
  if (hooksConfig['enabled'] === false) return 'hooksConfig.enabled';
  const { disabled } = hooksConfig;
  // Ours are registered under this name.
  const hasOurName = Array.isArray(disabled) && disabled.includes('holdfast');
  return hasOurName ? 'hooksConfig.disabled' : null;
}

/** Such as `hooks = false` below `[features]`, or `features.hooks = false`. */
const HOOKS_OFF = /^[ \t]*(?:features\.)?hooks[ \t]*=[ \t]*false\b/m;

function hooksOffInToml(text: string): string | null {
  const [setting] = HOOKS_OFF.exec(text) ?? [];
  return setting?.trim() ?? null;
}

/** Codex keeps for each hook, by its place in the file, what the user has trusted, and says nothing about the others. */
function untrusted(file: string, config: string): Finding[] {
  const text = readIfText(config) ?? '';
  const isTrusted = ({ event, group, index }: HookPlace): boolean => {
    // `SessionStart` → `session_start`
    const name = event
      .replaceAll(/\B[A-Z]/g, (letter) => `_${letter}`)
      .toLowerCase();
    return text.includes(`"${file}:${name}:${group}:${index}"`);
  };
  const missing = placesOfOurs(readWhole(file)).filter(
    (place) => !isTrusted(place),
  );
  if (missing.length === 0)
    return [ok('you have looked at these hooks in Codex')];
  const names = missing.map(({ event }) => event);
  return [
    broken(
      'Codex does not run hooks that you have not trusted, and says nothing about it',
      'start `codex` and choose "Trust all and continue", or type /hooks in it',
      names,
    ),
  ];
}
