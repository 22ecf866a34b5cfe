import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { compile } from 'json-schema-to-typescript';
import { pluginFiles } from './plugin-files.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const banner = (schema: string): string =>
  `// Generated from schemas/${schema} by \`npm run generate\`.\n`;

const targets = [
  { schema: 'state.schema.json', room: 'src/state', name: 'state' },
  // Hooks read the settings: for them a generated validator is too large.
  { schema: 'settings.schema.json', room: 'src/settings', name: 'settings', isSmall: true },
  { schema: 'template.schema.json', room: 'src/workflow/template', name: 'template' },
];

/** The generated files as they should be: path from the project's root → content. */
export async function generatedFiles(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const { schema, room, name, isSmall = false } of targets) {
    const definition = JSON.parse(readFileSync(join(root, 'schemas', schema), 'utf8'));
    const types = await compile(structuredClone(definition), name, {
      bannerComment: '',
      additionalProperties: false,
      format: false,
      unknownAny: true,
      ignoreMinAndMaxItems: true,
    });
    files.set(`${room}/${name}-types.generated.ts`, banner(schema) + types);
    if (isSmall) {
      files.set(`${room}/${name}-schema.generated.ts`, banner(schema) + plainSchema(definition));
      continue;
    }
    files.set(`${room}/${name}-validator.generated.js`, banner(schema) + validator(definition));
    files.set(`${room}/${name}-validator.generated.d.ts`, banner(schema) + validatorTypes);
  }
  files.set('src/install/plan/assets.generated.ts', embedded('src/install/assets'));
  files.set('src/workflow/template/builtin.generated.ts', embedded('workflows'));
  files.set('src/doctor/trial/recorded-payloads.generated.ts', recordedPayloads());
  for (const [path, content] of pluginFiles(root)) files.set(path, content);
  return files;
}

/** What the client sends to each hook, which `doctor` sends again. */
function recordedPayloads(): string {
  const folder = 'test/fixtures/host-recordings/claude-code-2.1.325';
  const names = {
    PreCompact: 'precompact-manual',
    SessionStart: 'sessionstart-compact',
    PostCompact: 'postcompact-manual',
    UserPromptSubmit: 'userpromptsubmit',
    PostToolUse: 'posttooluse-read',
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

/** The texts of a folder as a module: the bundle carries them, wherever it is copied to. */
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

/** What a schema demands, without what it tells people. */
function plainSchema(definition: object): string {
  const told = new Set(['$schema', '$id', 'title', 'description', 'default', 'tsType']);
  const isName = (parent: string): boolean => parent === 'properties' || parent === 'definitions';
  const bare = (value: unknown, parent: string): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const entries = Object.entries(value).filter(([key]) => isName(parent) || !told.has(key));
    return Object.fromEntries(entries.map(([key, member]) => [key, bare(member, key)]));
  };
  const json = JSON.stringify(bare(definition, ''), null, 2);
  return `import type { Schema } from './schema-errors.ts';\n\nexport const schema: Schema = ${json};\n`;
}

function validator(definition: object): string {
  const ajv = new Ajv({
    allErrors: true,
    keywords: ['tsType'],
    code: { source: true, esm: true, lines: true },
  });
  return standalone.default(ajv, ajv.compile(definition));
}

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
