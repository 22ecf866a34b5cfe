import { describeSettings, SETTINGS_FILE } from '../../settings/settings.ts';
import { deniesEverything } from '../../files/context-files.ts';
import { NAME_A_LIST } from '../../guidance/todo/file.ts';
import { todoNameProblem } from '../../guidance/todo/name.ts';
import { asWord } from '../../text/sanitize.ts';
import { settingIn, type SettingsFile } from '../client-settings.ts';
import type { Facts } from '../facts.ts';
import { broken, note, ok, warning, type Finding } from '../finding.ts';

/** Whether the client can read its settings files, whether one of them switches hooks off, and our own settings. */
export function checkSettings({ root, files, settings }: Facts): Finding[] {
  const found: Finding[] = [];
  for (const { defect } of files) if (defect !== null) found.push(defect);
  if (found.length === 0) {
    const names = files.map(
      ({ shown, json }) =>
        `${shown}: ${json === undefined ? 'nothing' : 'read'}`,
    );
    found.push(ok('Claude Code can read its settings', names));
  }

  const off = switchedOff(files);
  if (off !== null) found.push(off);
  if (deniesEverything(root)) found.push(nothingReadable());

  const fix = `correct it in ${SETTINGS_FILE}`;
  for (const problem of describeSettings(settings.problems))
    found.push(warning(`${SETTINGS_FILE}: ${problem}`, fix));

  const { file: todoFile } = settings.settings.todo;
  const todoProblem = todoNameProblem(todoFile);
  if (todoProblem !== null) found.push(unusableTodoFile(todoFile, todoProblem));
  return found;
}

function nothingReadable(): Finding {
  const message = 'a deny rule keeps every file of the project from agents';
  const fix =
    'if that is not meant, narrow the rule for Read in the settings of Claude Code';
  return note(message, fix, [
    'required files are listed, but no content is given or primed',
  ]);
}

function unusableTodoFile(path: string, problem: string): Finding {
  const message = `"todo.file": ${asWord(path)} cannot be the todo list: ${problem}`;
  return warning(`${SETTINGS_FILE}: ${message}`, NAME_A_LIST);
}

/** The setting that switches hooks off. Of several files with the key, the last decides. */
export function switchedOff(files: readonly SettingsFile[]): Finding | null {
  const key = 'disableAllHooks';
  const decisive = files.findLast(
    (file) => typeof settingIn(file, key) === 'boolean',
  );
  if (decisive === undefined || settingIn(decisive, key) === false) return null;
  const { shown } = decisive;
  return broken(`${shown} switches hooks off`, `take "${key}" out of ${shown}`);
}
