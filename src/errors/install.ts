import type { Messages } from './messages.ts';

export interface InstallFailures {
  not_a_file: { path: string };
  changed_meanwhile: { path: string };
  half_done: { path: string; reason: string };
  user_folder: { path: string; command: 'init' | 'uninstall' };
  settings_not_json: { path: string; line: number; why: string };
  settings_misshapen: { path: string; part: string };
  no_package: { path: string };
  plugin_does_it: { plugin: string; scope: 'local' | 'project' | 'user' };
  unhealthy: { broken: number };
}

export const installMessages: Messages<InstallFailures> = {
  not_a_file: (failure) => ({
    message: `${failure.path} is in the way: holdfast needs a file there`,
    hint: 'move or rename it, then try again; nothing was changed',
  }),
  changed_meanwhile: (failure) => ({
    message: `${failure.path} is being changed by another program`,
    hint: 'try again in a moment; nothing was changed',
  }),
  half_done: (failure) => ({
    message: `${failure.path} could not be put back (${failure.reason}) after a later step had failed`,
    hint: 'check the permissions and the free space, then run the same command again, or `holdfast uninstall`',
  }),
  user_folder: (failure) => ({
    message: `${failure.path} holds your settings for all projects, so this is no project to install into`,
    hint: `use \`holdfast ${failure.command} --scope user\`; nothing was changed`,
  }),
  settings_not_json: (failure) => ({
    message: `${failure.path}:${failure.line}: this is not strict JSON (${failure.why}), and Claude Code ignores the whole file for it`,
    hint: 'correct that line, then try again; nothing was changed',
  }),
  settings_misshapen: (failure) => ({
    message: `${failure.part} in ${failure.path} has not the form that Claude Code reads`,
    hint: 'correct it, then try again; nothing was changed',
  }),
  no_package: (failure) => ({
    message: `the files of holdfast are not complete: there is no ${failure.path}`,
    hint: 'install it again; in a clone, `npm run build` makes them',
  }),
  plugin_does_it: (failure) => ({
    message: `the plugin ${failure.plugin} is on here and brings the hooks, the slash commands and the skill`,
    hint: `nothing has to be installed; \`holdfast init --mcp\` adds the MCP server, and what an earlier \`init\` put here goes with \`holdfast uninstall --scope ${failure.scope}\``,
  }),
  unhealthy: (failure) => ({
    message: `${failure.broken} ${failure.broken === 1 ? 'thing is' : 'things are'} broken`,
    hint: 'each has its `fix` beside it; then run `holdfast doctor` again',
  }),
};
