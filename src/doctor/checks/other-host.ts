import { dirname, join } from 'node:path';
import fse from 'fs-extra';
import { HOSTS } from '../../hosts/hosts.ts';
import { findOnPath } from '../../files/is-executable.ts';
import { homeFolder, runtimeFolder, scriptFile } from '../../files/environment.ts';
import { readWhole } from '../../install/disk.ts';
import { placesOfOurs } from '../../install/hooks.ts';
import { hasOurs, hostFile, type OtherHost } from '../../install/other-hosts.ts';
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
export function checkHost({ host, root, config, environment, packageFolder }: Facts): Finding[] {
  if (host === 'claude') return [];
  const { title } = HOSTS[host];
  const where = { host, home: homeFolder(), environment };
  const files = [root, null].map((folder) => hostFile({ ...where, root: folder }));
  const registered = files.filter((file) => hasOurs(host, file));
  const init = `holdfast init --host ${host}`;
  if (registered.length === 0) return [broken(`${title} has no hooks of holdfast`, init, files)];
  return [
    ok(`${title} has the hooks of holdfast`, registered),
    ...(fse.existsSync(scriptFile(runtimeFolder(config)))
      ? []
      : [broken(`${scriptFile(runtimeFolder(config))} is missing, which the hooks run`, init)]),
    ...(findOnPath('holdfast', environment['PATH']) !== null
      ? []
      : [
          warning(
            'a shell does not find `holdfast`, which the agent calls',
            `npm install -g ${shellQuote(packageFolder)}`,
          ),
        ]),
    ...registered.flatMap((file) => (host === 'codex' ? untrusted(file) : [])),
    note(`what ${title} lacks: ${LACKS[host]}`, 'nothing to do'),
  ];
}

/** Codex keeps for each hook, by its place in the file, what the user has trusted, and says nothing about the others. */
function untrusted(file: string): Finding[] {
  const config = join(dirname(file), 'config.toml');
  const text = fse.existsSync(config) ? fse.readFileSync(config, 'utf8') : '';
  const missing = placesOfOurs(readWhole(file)).filter(({ event, group, index }) => {
    const name = event.replaceAll(/\B[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
    return !text.includes(`"${file}:${name}:${group}:${index}"`);
  });
  if (missing.length === 0) return [ok('you have looked at these hooks in Codex')];
  const names = missing.map(({ event }) => event);
  return [
    broken(
      'Codex does not run hooks that you have not trusted, and says nothing about it',
      'start `codex` and choose "Trust all and continue", or type /hooks in it',
      names,
    ),
  ];
}
