import { basename, resolve } from 'node:path';
import fse from 'fs-extra';
import { parse } from 'yaml';
import { contextReader } from '../../files/context-files.ts';
import {
  readProjectFile,
  readTextFile,
  type ReadResult,
} from '../../files/read-file.ts';
import { schemaErrors, valueProblem } from '../../settings/schema-error.ts';
import { DEFAULTS, SETTINGS_FILE } from '../../settings/settings.ts';
import validateSettings from '../../settings/settings-validator.generated.js';
import { ARCHIVE_FOLDER, STATE_FOLDER } from '../../state/paths.ts';
import { evaluate } from '../../text/conditions.ts';
import { isObject, ownMember, parseJson } from '../../text/json.ts';
import type { FileProblem, Problem } from '../../text/problem.ts';
import { jsonProblem } from '../../text/strict-json.ts';
import {
  checkTemplate,
  projectTemplates,
  shownPath,
  TEMPLATE_FOLDER,
  unreadableTemplate,
} from '../../templates/find-template.ts';
import { hasSteps, type TemplateText } from '../../templates/read-template.ts';
import {
  type OperationContext,
  requireReadable,
} from '../../sessions/open-project.ts';
import type { ValidateDocument } from '../json/documents.ts';
import { mayNameAnyFile } from '../../sessions/rights.ts';
import { checkStateFile } from '../../templates/check-state-file.ts';
import { lineFinder } from '../../templates/parse-yaml.ts';
import { quoted } from '../../text/sanitize.ts';

/** Larger than anything that holdfast itself reads. */
const MAX_FILE_BYTES = 5_000_000;

export function validateFiles(
  context: OperationContext,
  files: readonly string[],
): ValidateDocument {
  const { root, cwd } = context;
  const { runs, unreadable } = context.store.list();
  const ids = new Map(runs.map(({ path, runId }) => [path, runId]));
  if (files.length > 0) {
    const named = files.map((file) => {
      requireReadable(context, file);
      const full = resolve(cwd, file);
      const reading = readTextFile(full, MAX_FILE_BYTES);
      return checkFile(root, full, reading, ids);
    });
    return { checked: named.length, problems: named.flat() };
  }

  // A link in the place of one of these files may lead to what is kept from agents.
  const read = mayNameAnyFile(context.caller)
    ? (path: string) => readProjectFile(root, path, MAX_FILE_BYTES)
    : (path: string) => contextReader(root)(path, MAX_FILE_BYTES);
  const check = (path: string, kind: FileKind): FileProblem[] =>
    checkFile(root, resolve(root, path), read(path), ids, kind);
  const states = [...runs, ...unreadable].map(({ path }) => path).toSorted();
  const checks = states.map((path) => check(path, 'state'));
  for (const file of projectTemplates(root))
    checks.push(
      'text' in file
        ? check(file.file, 'template')
        : [unreadableTemplate(file)],
    );
  if (fse.existsSync(resolve(root, SETTINGS_FILE)))
    checks.push(check(SETTINGS_FILE, 'settings'));
  return { checked: checks.length, problems: checks.flat() };
}

type FileKind = 'state' | 'template' | 'settings';

function checkFile(
  root: string,
  full: string,
  reading: ReadResult,
  ids: ReadonlyMap<string, string>,
  known?: FileKind,
): FileProblem[] {
  const file = shownPath(root, full);
  if (reading.kind === 'absent')
    return [{ file, line: 1, message: 'there is no such file' }];
  if (reading.kind === 'refused')
    return [{ file, line: 1, message: `it cannot be read: ${reading.why}` }];
  const source = { file, text: reading.text };
  const kind = known ?? kindByPlace(file) ?? kindByKeys(source);
  const run = { runId: ids.get(file) ?? null, fileName: basename(full) };
  const problems = problemsIn(root, source, kind, run);
  // A text with other problems may be one that cannot be parsed.
  const found = problems.length > 0 ? problems : conditionProblems(source.text);
  return found.map((problem) => ({ file, ...problem }));
}

/** `run` says which run a state file has to be of. */
function problemsIn(
  root: string,
  source: TemplateText,
  kind: FileKind,
  run: { runId: string | null; fileName: string },
): Problem[] {
  if (kind === 'template') return checkTemplate(root, source);
  if (kind === 'settings') return checkSettingsFile(source.text);
  return checkStateFile(source.text, run);
}

/** A condition of an artifact that cannot be read counts as false, so a run goes on with it; its author should know. */
function conditionProblems(text: string): Problem[] {
  const lineOf = lineFinder(text);
  const json: unknown = parse(text, { uniqueKeys: false });
  const lists = ownMember(json, 'critical_artifacts');
  const problems: Problem[] = [];
  for (const [list, artifacts] of Object.entries(
    isObject(lists) ? lists : {},
  )) {
    if (!Array.isArray(artifacts)) continue;
    for (const [index, artifact] of artifacts.entries()) {
      const condition = ownMember(artifact, 'condition');
      if (typeof condition !== 'string') continue;
      const result = evaluate(condition, {});
      if (result.kind !== 'bad') continue;
      const path = ['critical_artifacts', list, String(index), 'condition'];
      const message = `${quoted(path.join('.'))} is not a condition: ${result.why}`;
      problems.push({ line: lineOf(path), message });
    }
  }
  return problems;
}

function kindByPlace(file: string): FileKind | null {
  if (file === SETTINGS_FILE || file.endsWith(`/${SETTINGS_FILE}`))
    return 'settings';
  if (file.startsWith(`${TEMPLATE_FOLDER}/`) || /\.ya?ml$/i.test(file))
    return 'template';
  const isState = [STATE_FOLDER, ARCHIVE_FOLDER].some((folder) =>
    file.startsWith(`${folder}/`),
  );
  return isState ? 'state' : null;
}

/** A file whose keys fit nothing is checked as a state file, which people write by hand most often. */
function kindByKeys(source: TemplateText): FileKind {
  if (hasSteps(source)) return 'template';
  const json = parseJson(source.text);
  if (!isObject(json) || STATE_KEYS.some((key) => Object.hasOwn(json, key)))
    return 'state';
  return Object.keys(json).some((key) => SETTINGS_KEYS.has(key))
    ? 'settings'
    : 'state';
}

const SETTINGS_KEYS: ReadonlySet<string> = new Set([
  '$schema',
  ...Object.keys(DEFAULTS),
]);

/** Keys that every state file has and no settings file. */
const STATE_KEYS = [
  'workflow',
  'workflow_type',
  'phase',
  'required_reading',
  'created_at',
];

function checkSettingsFile(text: string): Problem[] {
  const syntax = jsonProblem(text);
  if (syntax !== undefined) return [syntax];
  const lineOf = lineFinder(text);
  return schemaErrors(validateSettings, JSON.parse(text))
    .map((error) => valueProblem(error, lineOf))
    .toSorted((a, b) => a.line - b.line);
}
