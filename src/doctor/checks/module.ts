import { basename, join } from 'node:path';
import { moduleFiles } from '../../install/assets.ts';
import { placesOf, type Scope } from '../../install/places.ts';
import { findInstall, readRecord } from '../../install/record.ts';
import { digestOf } from '../../text/slug.ts';
import { readTextFile, namesIfReadable } from '../../files/read-file.ts';
import { MODULE_FILE } from '../../files/environment.ts';
import { lastIn, SessionRegistry } from '../../sessions/session-registry.ts';
import { parseJsonObject, type JsonObject } from '../../text/json.ts';
import { timeAgo } from '../../text/relative-time.ts';
import { asWord } from '../../text/sanitize.ts';
import { proposedWord } from '../../text/shell-commands.ts';
import { isAtLeast } from '../../text/version.ts';
import type { Plugin } from '../client-settings.ts';
import type { Facts } from '../facts.ts';
import { note, ok, skipped, warning, type Finding } from '../finding.ts';

/** The first client that loads modules. */
const LEAST_CLIENT = '2.1.286';

const MAX_BYTES = 1_000_000;

/** The module that performs context actions: whether it is this version's, and whether the client has loaded it. */
export function checkModule(facts: Facts): Finding[] {
  const { packageFolder, plugins, config, root, client, version, now } = facts;
  const code = textOf(join(packageFolder, MODULE_FILE));
  const user = placesOf('user', root, config).skill;
  const skills = join(root, '.claude', 'skills');
  const inProject = namesIfReadable(skills).map((name) => join(skills, name));
  const found = plugins.map((plugin) => comparePlugin(plugin, code));
  for (const folder of new Set([user, ...inProject])) {
    if (!isOurModule(folder)) continue;
    found.push(compare(facts, folder, folder === user ? 'user' : 'local'));
  }

  const byHand = 'steps ask you for /compact and /clear';
  if (found.length === 0)
    return [
      skipped(
        `no module is installed, so ${byHand}; \`holdfast init\` or the plugin brings it`,
      ),
    ];
  if (client !== null && !isAtLeast(client, LEAST_CLIENT))
    found.push(
      note(
        `modules need Claude Code ${LEAST_CLIENT}, so ${byHand}`,
        'claude update',
      ),
    );

  const registry = new SessionRegistry(config, now.getTime());
  const latest = lastIn(registry, 'module', root);
  if (latest === undefined)
    return [
      ...found,
      skipped('no session of this project has loaded the module yet'),
    ];
  const seen = `module last seen ${timeAgo(latest.at, now)} (version ${asWord(latest.version)})`;
  const other = note(
    `${seen}; this command is ${version}`,
    'restart Claude Code',
  );
  return [...found, latest.version === version ? ok(seen) : other];
}

function comparePlugin({ name, folder }: Plugin, code: string | null): Finding {
  const plugin = `the plugin ${asWord(name)}`;
  if (textOf(join(folder, MODULE_FILE)) === code)
    return ok(`${plugin} has this version's module`);
  return warning(
    `${plugin} lacks this version's module`,
    'update the plugin with /plugin',
  );
}

/** Whether the client would load code from it under our name; what it cannot read it does not load. */
function isOurModule(folder: string): boolean {
  const parse = (...path: string[]): JsonObject =>
    parseJsonObject(textOf(join(folder, ...path)) ?? '');
  if (parse('hooks', 'hooks.json')['modules'] === undefined) return false;
  return (
    basename(folder) === 'holdfast' ||
    parse('.claude-plugin', 'plugin.json')['name'] === 'holdfast'
  );
}

/** What the client would run, byte by byte: `program.json` decides which program the module starts. */
function compare(
  { packageFolder, config, root }: Facts,
  folder: string,
  scope: Scope,
): Finding {
  const files = [...moduleFiles(packageFolder, config, folder)];
  const paths = files
    .filter(([path, text]) => textOf(path) !== text)
    .map(([path]) => path);
  if (paths.length === 0)
    return ok(`the module in ${asWord(folder)} is this version's`);

  const record = readRecord(config);
  const install =
    typeof record === 'string' ? undefined : findInstall(record, scope, root);
  const isAsInstalled = paths.every((path) => {
    const recorded = install?.files.findLast((file) => file.path === path);
    return digestOf(textOf(path) ?? '') === recorded?.written;
  });
  const init = `holdfast init --scope ${scope}`;
  if (isAsInstalled)
    return warning(
      `the module in ${asWord(folder)} is that of another version of holdfast`,
      init,
      paths,
    );
  return warning(
    `${asWord(folder)} has a module under the name of holdfast that init did not write like this`,
    `read it, then rm -r ${proposedWord(folder, '<that folder>')} && ${init}`,
    [
      ...paths.map((path) =>
        textOf(path) === null ? `${asWord(path)} (missing)` : asWord(path),
      ),
      'Claude Code runs it in this project, with your rights',
    ],
  );
}

function textOf(path: string): string | null {
  const file = readTextFile(path, MAX_BYTES);
  return file.kind === 'text' ? file.text : null;
}
