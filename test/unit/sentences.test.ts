import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

/** Folders that carry data only. `errors` describes failures, `guidance` is the text that agents get. */
const CORE = [
  ...['util', 'io', 'markdown', 'settings', 'state', 'sessions', 'detect', 'sync', 'workflow'],
  ...['artifacts', 'reading', 'todo', 'restore', 'operations', 'install'],
];

/** Files whose result is text for a person or an agent, or the content of a file. */
const TEXT_FILES = new Set([
  'util/excerpt.ts',
  'util/relative-time.ts',
  'workflow/machine/instructions.ts',
  'workflow/machine/next-action.ts',
  'workflow/machine/placeholders.ts',
  'workflow/machine/progress.ts',
  'workflow/template/skeleton.ts',
  'install/plan/git-exclude.ts',
  'install/plan/server-entry.ts',
  'install/runtime/code-cache.ts',
  'artifacts/describe-decision.ts',
  'artifacts/describe-loaded.ts',
  'artifacts/load-directory.ts',
  'artifacts/print.ts',
  'artifacts/summary.ts',
  'restore/describe-reason.ts',
  'restore/describe-run.ts',
  'restore/guidance-input.ts',
  'restore/render-restoration.ts',
  'restore/taken-over.ts',
]);

/** Names of data that consist of three words. */
const NAMES = new Set([
  'outside the project',
  'not asked for',
  'current phase name',
  'the new list',
]);

const source = fileURLToPath(new URL('../../src', import.meta.url));
const files = CORE.flatMap((folder) =>
  readdirSync(join(source, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.includes('.generated.'))
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`),
);

/** Three words in a row: names, patterns and keys have fewer. */
const SENTENCE = /(?<![\w'’.-])[A-Za-z][a-z'’]* [a-z'’]{2,} [a-z'’]{2,}(?![\w-])/;

function sentencesIn(text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    // Thrown where the program itself is wrong; nobody but its authors reads it.
    if (ts.isNewExpression(node) && node.expression.getText() === 'Error') return;
    const words = textOf(node);
    if (words !== null && SENTENCE.test(words) && !NAMES.has(words)) found.push(words);
    node.forEachChild(visit);
  };
  visit(ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true));
  return found;
}

function textOf(node: ts.Node): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('X');
}

const sentences = new Map(
  files.map((file) => [file, sentencesIn(readFileSync(join(source, file), 'utf8'))]),
);

it('finds sentences in texts and templates, not in names and comments', () => {
  expect(sentencesIn("const a = 'it is too long'; // it is too long")).toEqual(['it is too long']);
  expect(sentencesIn('const a = `${path} was not read: ${why}`;')).toEqual(['X was not read: X']);
  expect(
    sentencesIn(
      "const a = 'not permitted', b = 'planning-with-files', c = new Error('there is nothing there');",
    ),
  ).toEqual([]);
});

it('the core makes no sentences: failures and warnings are data, and src/errors describes them', () => {
  const made = [...sentences].filter(([file]) => !TEXT_FILES.has(file));
  expect(made.flatMap(([file, texts]) => texts.map((text) => `src/${file}: ${text}`))).toEqual([]);
});

it.each([...TEXT_FILES])('%s is still a file that makes text', (file) => {
  expect(sentences.get(file)).not.toEqual([]);
});
