// Checks the prose of README, CONTRIBUTING, SECURITY and docs/: wordy phrases and repeated words (write-good), long sentences.
// Usage: npm run prose
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fromMarkdown } from 'mdast-util-from-markdown';
import writeGood from 'write-good';

const MAX_WORDS = 34;
const CHECKS = {
  passive: false,
  weasel: false,
  adverb: false,
  thereIs: false,
  so: false,
};
/** Words that are right here: commands of holdfast, and plain phrases. */
const ALLOWED = [
  'it is',
  'it was',
  'validate',
  'advise',
  'all of',
  'in between',
  'maximum',
  'multiple',
];

const root = fileURLToPath(new URL('..', import.meta.url));
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

function paragraphsOf(node) {
  if (node.type === 'paragraph') return [node];
  return (node.children ?? []).flatMap(paragraphsOf);
}

/** Code counts as one word. */
function textOf(node) {
  if (node.type === 'text') return node.value.replaceAll('\n', ' ');
  if (node.type === 'inlineCode') return 'code';
  if (node.type === 'break') return ' ';
  return (node.children ?? []).map(textOf).join('');
}

function problemsOf(text) {
  const long = text
    .split(/(?<=[.!?:;])\s+/)
    .filter((sentence) => sentence.split(/\s+/).length > MAX_WORDS)
    .map(
      (sentence) =>
        `a sentence of more than ${MAX_WORDS} words: ${sentence.slice(0, 60)}…`,
    );
  const wordy = writeGood(
    text.replaceAll(/\bcode\b(?:, code\b)*/g, 'code'),
    CHECKS,
  )
    .filter(
      ({ reason }) =>
        !ALLOWED.some((word) => reason.toLowerCase().startsWith(`"${word}"`)),
    )
    .filter(({ reason }) => reason !== '"code" is repeated')
    .map(({ reason }) => reason);
  return [...long, ...wordy];
}

const problems = pages.flatMap((page) =>
  paragraphsOf(fromMarkdown(readFileSync(join(root, page), 'utf8')))
    .map((node) => ({ line: node.position.start.line, text: textOf(node) }))
    .filter(({ text }) => !text.startsWith('|'))
    .flatMap(({ line, text }) =>
      problemsOf(text).map((problem) => `${page}:${line}: ${problem}`),
    ),
);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
