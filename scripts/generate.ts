import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from 'json-schema-to-typescript';
import { withCommands } from './command-reference.ts';
import { pluginFiles } from './plugin-files.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const banner = (schema: string): string =>
  `// Generated from schemas/${schema} by \`npm run generate\`.\n`;

const targets = [
  { schema: 'state.schema.json', folder: 'src/state', name: 'state' },
  // Hooks read the settings, and a generated validator would be too large for their bundle.
  { schema: 'settings.schema.json', folder: 'src/settings', name: 'settings', isSmall: true },
  { schema: 'template.schema.json', folder: 'src/templates', name: 'template' },
  // What a run of a template keeps in its state file, which hooks read as well.
  {
    schema: 'state.schema.json',
    folder: 'src/templates/machine',
    name: 'machine',
    isSmall: true,
    parts: ['template', 'machine'],
  },
  { schema: 'run-events.schema.json', folder: 'src/headless', name: 'event', isTypesOnly: true },
];

/** What every generated file should contain: path from the repository's root → content. */
export async function generatedFiles(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const { schema, folder, name, isSmall, isTypesOnly, parts } of targets) {
    const whole = JSON.parse(readFileSync(join(root, 'schemas', schema), 'utf8'));
    const definition = parts === undefined ? whole : objectOf(parts, whole);
    const types = await compile(structuredClone(definition), name, {
      bannerComment: '',
      additionalProperties: false,
      format: false,
      unknownAny: true,
      ignoreMinAndMaxItems: true,
    });
    files.set(`${folder}/${name}-types.generated.ts`, banner(schema) + types);
    if (isTypesOnly) continue;
    if (isSmall) {
      const text = relative(folder, 'src/text/json.ts');
      const content = banner(schema) + plainSchema(definition, text);
      files.set(`${folder}/${name}-schema.generated.ts`, content);
      continue;
    }
    files.set(`${folder}/${name}-validator.generated.d.ts`, banner(schema) + validatorTypes);
  }
  files.set('src/install/assets.generated.ts', embedded('src/install/assets'));
  files.set('src/templates/builtin.generated.ts', embedded('workflows'));
  const skeleton = readFileSync(join(root, 'src/templates/skeleton.yaml'), 'utf8');
  files.set(
    'src/templates/skeleton.generated.ts',
    `// Generated from src/templates/skeleton.yaml by \`npm run generate\`.\nexport const skeleton = ${JSON.stringify(skeleton)};\n`,
  );
  files.set('src/doctor/recorded-payloads.generated.ts', recordedPayloads());
  const commands = 'docs/reference/commands.md';
  files.set(commands, withCommands(readFileSync(join(root, commands), 'utf8')));
  for (const [path, content] of pluginFiles(root)) files.set(path, content);
  return files;
}

/** The schema of an object with these definitions of another schema as its keys. */
function objectOf(names: string[], { definitions }: { definitions: object }) {
  const properties = names.map((name) => [name, { $ref: `#/definitions/${name}` }]);
  return {
    title: 'Parts',
    type: 'object',
    properties: Object.fromEntries(properties),
    definitions,
  };
}

/** Recorded hook input of the client; `doctor` sends it to the hooks in a trial project. */
function recordedPayloads(): string {
  const folder = 'test/fixtures/host-recordings/claude-code-2.1.325';
  const names = {
    PreCompact: 'precompact-manual',
    SessionStart: 'sessionstart-compact',
    PostCompact: 'postcompact-manual',
    UserPromptSubmit: 'userpromptsubmit',
    PostToolUse: 'posttooluse-read',
    SubagentStart: 'subagentstart',
    PreToolUse: 'pretooluse-bash',
    SessionEnd: 'sessionend-other',
  };
  const payloads = Object.entries(names).map(([event, name]) => [
    event,
    JSON.parse(readFileSync(join(root, folder, `${name}.json`), 'utf8')),
  ]);
  const json = JSON.stringify(Object.fromEntries(payloads), null, 2);
  return `// Generated from ${folder} by \`npm run generate\`.\nexport const payloads = ${json};\n`;
}

/** The texts of a folder as a module, so that the bundle contains them. */
function embedded(folder: string): string {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  const texts = names
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /\.\w+$/.test(name))
    .toSorted()
    .map((name) => [name, readFileSync(join(root, folder, name), 'utf8')]);
  const json = JSON.stringify(Object.fromEntries(texts), null, 2);
  return `// Generated from ${folder} by \`npm run generate\`.\nexport const texts: Record<string, string> = ${json};\n`;
}

/**
 * The schema without its titles and descriptions, and without what follows from the rest: a list of keys, of items or a
 * pattern tells the type, and other keys are unknown ones.
 */
function plainSchema(
  { definitions, ...definition }: { definitions: Record<string, object> },
  typeFile: string,
): string {
  const left = new Set(['$schema', '$id', 'title', 'description', 'default', 'tsType']);
  const plain = (value: unknown, parent: string): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const isNamed = parent === 'properties';
    const isTyped = 'properties' in value || 'items' in value || 'pattern' in value;
    const entries = Object.entries(value).filter(
      ([key, member]) =>
        isNamed || !(left.has(key) || member === false || (isTyped && key === 'type')),
    );
    return Object.fromEntries(entries.map(([key, member]) => [key, plain(member, key)]));
  };
  const reference = /\{\s*"\$ref": "#\/definitions\/(\w+)"\s*\}/g;
  const constants = new Map<string, string>();
  const code = (schema: object): string => {
    const json = JSON.stringify(plain(schema, ''), null, 2);
    return json.replaceAll(reference, (_whole, name: string) => {
      const referred = definitions[name];
      if (referred === undefined) throw new Error(`the schema does not define ${name}`);
      if (!constants.has(name)) constants.set(name, code(referred));
      return name;
    });
  };
  const schema = code(definition);
  const lines = [...constants].map(([name, json]) => `const ${name}: Schema = ${json};\n`);
  return `import type { Schema } from '${typeFile}';\n\n${lines.join('')}export const schema: Schema = ${schema};\n`;
}

/** The validators themselves are made by the build, see validators.mjs. */
const validatorTypes = `export interface ValidationError {
  instancePath: string;
  keyword: string;
  params: Record<string, unknown>;
  message?: string;
}
declare const validate: { (data: unknown): boolean; errors?: ValidationError[] | null };
export default validate;
`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, content] of await generatedFiles()) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}
