import type { MarkdownLine } from '../markdown/types.ts';
import type { PlanFile } from './types.ts';

const MAX_NAMED = 20;
/** Each lookup costs a file-system call, and a plan may name any number of files. */
const MAX_LOOKUPS = 200;

/** The plan itself, the project's rules for plans, and the existing documents that the plan names. */
export function planReading(lines: MarkdownLine[], plan: PlanFile): string[] {
  const rules = 'CLAUDE/PlanWorkflow.md';
  const first = plan.exists(rules) ? [plan.path, rules] : [plan.path];
  const named = [...namedDocuments(lines, MAX_LOOKUPS)]
    .filter((path) => !first.includes(path) && plan.exists(path))
    .slice(0, MAX_NAMED);
  return [...first, ...named].map((path) => `@${path}`);
}

function namedDocuments(lines: MarkdownLine[], limit: number): Set<string> {
  const paths = new Set<string>();
  for (const { text } of lines) {
    if (!/claude\//i.test(text)) continue;
    for (const [word] of text.matchAll(/[^\s`"'()[\]<>|*,;]+/g)) {
      const path = documentPath(word);
      if (path !== undefined) paths.add(path);
      if (paths.size >= limit) return paths;
    }
  }
  return paths;
}

function documentPath(word: string): string | undefined {
  const path = word
    .replace(/^@?(?:\.\/)?/, '')
    .replace(/#.*$/s, '')
    .replace(/[.:!?]{1,3}$/, '');
  const isDocument = /^(?:CLAUDE|\.claude)\//.test(path) && path.endsWith('.md');
  return isDocument && !path.split('/').includes('..') ? path : undefined;
}
