import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from 'json-schema-to-typescript';
import { withCommands } from './command-reference.ts';
import { withDocuments } from './json-reference.ts';
import { pluginFiles } from './plugin-files.ts';
import { readSchema, SCHEMAS } from './schemas.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const banner = (schema: string): string =>
  `// Generated from schemas/${schema} by \`npm run generate\`.\n`;

/** What every generated file should contain: path from the repository's root → content. */
export async function generatedFiles(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const target of SCHEMAS) {
    const { schema, folder, name } = target;
    const types = await compile(readSchema(target), name, {
      bannerComment: '',
      additionalProperties: false,
      format: false,
      unknownAny: true,
      ignoreMinAndMaxItems: true,
    });
    files.set(`${folder}/${name}-types.generated.ts`, banner(schema) + types);
    if (target.isTypesOnly) continue;
    const declaration = `${folder}/${name}-validator.generated.d.ts`;
    files.set(declaration, banner(schema) + validatorTypes(folder));
  }
  files.set('src/install/assets.generated.ts', embedded('src/install/assets'));
  files.set('src/templates/builtin.generated.ts', embedded('workflows'));
  const skeleton = readFileSync(
    join(root, 'src/templates/skeleton.yaml'),
    'utf8',
  );
  files.set(
    'src/templates/skeleton.generated.ts',
    `// Generated from src/templates/skeleton.yaml by \`npm run generate\`.\nexport const skeleton = ${JSON.stringify(skeleton)};\n`,
  );
  files.set('src/doctor/recorded-payloads.generated.ts', recordedPayloads());
  const commands = 'docs/reference/commands.md';
  files.set(commands, withCommands(readFileSync(join(root, commands), 'utf8')));
  const documents = 'docs/reference/json.md';
  files.set(
    documents,
    withDocuments(readFileSync(join(root, documents), 'utf8')),
  );
  for (const [path, content] of pluginFiles(root)) files.set(path, content);
  return files;
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
  const names = readdirSync(join(root, folder), {
    recursive: true,
    encoding: 'utf8',
  });
  const texts = names
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /\.\w+$/.test(name))
    .toSorted()
    .map((name) => [name, readFileSync(join(root, folder, name), 'utf8')]);
  const json = JSON.stringify(Object.fromEntries(texts), null, 2);
  return `// Generated from ${folder} by \`npm run generate\`.\nexport const texts: Record<string, string> = ${json};\n`;
}

/** The validators themselves are made by the build, see validators.mjs. */
function validatorTypes(folder: string): string {
  const path = relative(folder, 'src/settings/schema-error.ts').replaceAll(
    '\\',
    '/',
  );
  const importPath = path.startsWith('.') ? path : `./${path}`;
  return `import type { Validator } from '${importPath}';

declare const validate: Validator;
export default validate;
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, content] of await generatedFiles()) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}
