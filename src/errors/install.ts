import type { JsonSyntaxError } from '../util/strict-json.ts';
import type { Messages } from './messages.ts';
import { describeJsonSyntax } from './text-defects.ts';

export interface InstallFailures {
  not_a_file: { path: string };
  changed_meanwhile: { path: string };
  half_done: { path: string; reason: string };
  user_folder: { path: string; command: 'init' | 'uninstall' };
  settings_not_json: { path: string; line: number; why: JsonSyntaxError };
  settings_misshapen: { path: string; part: string };
  no_package: { path: string };
  record_damaged: { path: string };
}

export const installMessages: Messages<InstallFailures> = {
  not_a_file: (failure) => ({
    message: `${failure.path} exists but is not a file`,
    hint: 'move or rename it, then try again; nothing was changed',
  }),
  changed_meanwhile: (failure) => ({
    message: `${failure.path} is being changed by another program`,
    hint: 'try again in a moment; nothing was changed',
  }),
  half_done: (failure) => ({
    message: `${failure.path} could not be restored (${failure.reason}) after a later step failed`,
    hint: 'check the permissions and the free space, then run the same command again, or `holdfast uninstall`',
  }),
  user_folder: (failure) => ({
    message: `${failure.path} holds your settings for all projects; this directory cannot be installed into as a project`,
    hint: `use \`holdfast ${failure.command} --scope user\`; nothing was changed`,
  }),
  settings_not_json: (failure) => ({
    message: `${failure.path}:${failure.line}: not strict JSON (${describeJsonSyntax(failure.why)}), so Claude Code ignores the whole file`,
    hint: 'correct that line, then try again; nothing was changed',
  }),
  settings_misshapen: (failure) => ({
    message: `${failure.path}: ${failure.part} is not in the format Claude Code expects`,
    hint: 'correct it, then try again; nothing was changed',
  }),
  no_package: (failure) => ({
    message: `incomplete installation: ${failure.path} is missing`,
    hint: 'install holdfast again; in a clone, run `npm run build`',
  }),
  record_damaged: (failure) => ({
    message: `${failure.path} is damaged: it recorded what is installed where`,
    hint: 'delete it and try again, then run `holdfast init` in your other projects; nothing was changed',
  }),
};
