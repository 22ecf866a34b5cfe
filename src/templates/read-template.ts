import { isObject, ownMember, type JsonObject } from '../text/json.ts';
import {
  listed,
  sortedProblems,
  type FileProblem,
  type LineOf,
  type Problem,
} from '../text/problem.ts';
import { quoted } from '../text/sanitize.ts';
import { isTemplate, keyOf, templateProblems } from './check-template.ts';
import type { Template } from '../machine/template-types.generated.ts';
import { parseText, type ParsedText } from './parse-yaml.ts';

export interface TemplateText {
  /** How the file is called in messages; also what tells it from others. */
  file: string;
  text: string;
}

export type TemplateReading =
  | { kind: 'template'; template: Template }
  | { kind: 'invalid'; problems: FileProblem[] };

/** What `extends` names, or why there is nothing of that name. */
export type FindParent = (
  name: string,
  child: TemplateText,
) => TemplateText | string;

const MAX_ANCESTORS = 5;

/** The template as it will run, with what it inherits, or everything that is wrong with it. */
export const readTemplate = (
  source: TemplateText,
  findParent: FindParent,
): TemplateReading => resolve(source, findParent, []);

/** The name that a template gives itself, also where the rest of it is wrong. */
export function nameIn(source: TemplateText): string | undefined {
  const { name } = fieldsOf(source);
  return typeof name === 'string' ? name : undefined;
}

/** The mark of a template, whatever else is right or wrong with it. */
export function hasSteps(source: TemplateText): boolean {
  const fields = fieldsOf(source);
  return Object.hasOwn(fields, 'steps') || Object.hasOwn(fields, 'extends');
}

function fieldsOf(source: TemplateText): JsonObject {
  const parsed = parse(source);
  return parsed.kind === 'parsed' && isObject(parsed.value) ? parsed.value : {};
}

function parse({ file, text }: TemplateText): ParsedText {
  const read = parseText(text, /\.json$/i.test(file) ? 'json' : 'yaml');
  return read.kind === 'parsed'
    ? { ...read, value: withSteps(read.value) }
    : read;
}

const PARTS = ['pre_steps', 'steps', 'post_steps'];

/** A workflow file whose phases are an object is a template with one step a phase, whose instructions list its steps. */
function withSteps(value: unknown): unknown {
  if (
    !isObject(value) ||
    !isObject(value['phases']) ||
    Object.hasOwn(value, 'steps')
  )
    return value;
  const {
    id,
    name = id,
    description,
    phases,
    critical_artifacts: artifacts,
  } = value;
  const steps = Object.entries(phases).map(([phase, content]) => {
    const parts = isObject(content)
      ? PARTS.flatMap((part) => content[part] ?? [])
      : [content];
    const lines = parts.map((part) => `- ${textOf(part)}`);
    const instructions = lines.join('\n') || `Do the phase ${phase}.`;
    return { id: phase, type: 'action', instructions };
  });
  const about = description ?? `The phases ${Object.keys(phases).join(', ')}`;
  return {
    name,
    description: about,
    steps,
    ...(artifacts !== undefined && { critical_artifacts: artifacts }),
  };
}

/** A step of such a file is a text, or has one under some name. */
function textOf(step: unknown): string {
  if (typeof step === 'string') return step;
  const texts = isObject(step)
    ? ['instructions', 'description', 'action', 'title', 'name', 'id'].map(
        (key) => step[key],
      )
    : [];
  return texts.find((text) => typeof text === 'string') ?? JSON.stringify(step);
}

function resolve(
  source: TemplateText,
  findParent: FindParent,
  children: string[],
): TemplateReading {
  const parsed = parse(source);
  if (parsed.kind === 'invalid') return invalid(source, parsed.problems);
  const { value, lineOf } = parsed;
  if (!isObject(value)) {
    const message = 'a template is a mapping with name, description and steps';
    return invalid(source, [{ line: 1, message }]);
  }
  if (!Object.hasOwn(value, 'extends')) return checked(source, value, lineOf);
  const own = templateProblems(value, lineOf, 'part');
  if (own.length > 0) return invalid(source, own);

  const name = String(value['extends']);
  const refused = (what: string): TemplateReading =>
    invalid(source, [
      { line: lineOf(['extends']), message: `"extends" ${what}` },
    ]);
  const family = [...children, source.file];
  const found = findParent(name, source);
  if (typeof found === 'string')
    return refused(`names ${quoted(name)}: ${found}`);
  if (family.includes(found.file))
    return refused(`goes in a circle: ${listed([...family, found.file])}`);
  if (family.length > MAX_ANCESTORS)
    return refused(
      `leads through more than ${MAX_ANCESTORS} templates: ${listed(family)}`,
    );
  const parent = resolve(found, findParent, family);
  if (parent.kind === 'invalid') return parent;
  // The parent with what the child says: parts are merged by their names, everything else is replaced.
  const { extends: _extends, ...child } = value;
  const merged = mergedFields({ ...parent.template }, child, 0);
  return checked(source, merged, lineInChild(merged, value, lineOf));
}

function checked(
  source: TemplateText,
  { $schema: _schema, ...value }: JsonObject,
  lineOf: LineOf,
): TemplateReading {
  const problems = templateProblems(value, lineOf, 'whole');
  return problems.length === 0 && isTemplate(value)
    ? { kind: 'template', template: value }
    : invalid(source, problems);
}

const invalid = (
  { file }: TemplateText,
  problems: Problem[],
): TemplateReading => ({
  kind: 'invalid',
  problems: sortedProblems(problems).map((problem) => ({ file, ...problem })),
});

/** For a path of the merged template: its line in the child, that of the part it changes, or that of `extends`. */
const lineInChild =
  (merged: unknown, child: unknown, lineOf: LineOf): LineOf =>
  (path) => {
    const at: (string | number)[] = [];
    let [whole, own] = [merged, child];
    for (const part of path) {
      const item = ownMember(whole, String(part));
      const key = Array.isArray(own)
        ? own.findIndex((each) => keyOf(each) === keyOf(item))
        : part;
      if (typeof own !== 'object' || own === null || !Object.hasOwn(own, key))
        break;
      at.push(key);
      [whole, own] = [item, ownMember(own, String(key))];
    }
    return lineOf(
      at.length === path.length || at.length >= ELEMENT_DEPTH
        ? at
        : ['extends'],
    );
  };

const ELEMENT_DEPTH = 2;

/** The fields of a part, such as a step or an agent, are replaced as a whole. */
function mergedFields(
  parent: JsonObject,
  child: JsonObject,
  depth: number,
): JsonObject {
  const fields = Object.entries(child).map(
    ([key, value]): [string, unknown] => [
      key,
      depth < ELEMENT_DEPTH && Object.hasOwn(parent, key)
        ? mergedParts(parent[key], value, depth + 1)
        : value,
    ],
  );
  return { ...parent, ...Object.fromEntries(fields) };
}

function mergedParts(parent: unknown, child: unknown, depth: number): unknown {
  if (isObject(parent) && isObject(child))
    return mergedFields(parent, child, depth);
  if (!Array.isArray(parent) || !Array.isArray(child)) return child;
  const items = new Map<string, unknown>(
    parent.map((item: unknown) => [keyOf(item), item]),
  );
  for (const item of child)
    items.set(
      keyOf(item),
      mergedParts(items.get(keyOf(item)), item, ELEMENT_DEPTH),
    );
  return [...items.values()];
}
