import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf } from '../../io/digest.ts';
import { errorCode, isInside } from '../../io/read-file.ts';
import { loadSettings, SETTINGS_FILE } from '../../settings/settings.ts';
import { ARCHIVE_FOLDER, STATE_FOLDER } from '../../state/paths.ts';

const MAX_FILES = 500;

/** A text that changes whenever a file that a page shows is written, made from file times only. */
export function fingerprintOf(root: string, shownFiles: readonly string[]): string {
  const { detect, todo } = loadSettings(root).settings;
  const planFolders = detect.plans.map((pattern) => pattern.replace(/[^/]*[*?[{].*$/s, ''));
  const marks = [
    ...folderMarks(root, STATE_FOLDER, 1),
    // Files of the archive come and go, which changes the folder, and are not edited.
    timeMark(join(root, ARCHIVE_FOLDER)),
    ...[
      SETTINGS_FILE,
      detect.local_file,
      todo.file,
      ...planFolders,
      ...shownFiles.slice(0, MAX_FILES),
    ]
      .map((path) => join(root, path))
      .filter((path) => isInside(root, path))
      .map((path) => timeMark(path)),
  ];
  return digestOf(marks.join('\n'));
}

/** The entries of a folder with their times, and those of its sub-folders down to `depth`. */
function folderMarks(root: string, folder: string, depth: number): string[] {
  return entriesIn(join(root, folder)).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    const mark = `${path} ${timeMark(join(root, path))}`;
    return entry.isDirectory() && depth > 0
      ? [mark, ...folderMarks(root, path, depth - 1)]
      : [mark];
  });
}

function entriesIn(path: string): { name: string; isDirectory: () => boolean }[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    // A folder that is gone or forbidden is a change that the next request reports.
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}

function timeMark(full: string): string {
  try {
    const stat = lstatSync(full, { throwIfNoEntry: false });
    return stat === undefined ? 'absent' : `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
  } catch (error) {
    return errorCode(error) ?? 'unknown';
  }
}
