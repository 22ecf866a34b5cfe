import { fromMarkdown } from 'mdast-util-from-markdown';
import type { Root } from 'mdast';

export type DocBlock =
  /** A script that must exit 0. */
  | { kind: 'script'; line: number; text: string; inSession: boolean }
  /** Commands after a prompt, and their output. */
  | { kind: 'dialogue'; line: number; turns: Turn[]; inSession: boolean }
  /** The content of a file in the project. */
  | { kind: 'file'; line: number; path: string; text: string };

type Turn = { typed: string; printed: string[] };

const SHELL = new Set(['sh', 'console']);
const NOT_RUN = '<!-- not run: ';
const FILE = /^<!-- file: (\S+) -->$/;
const IN_SESSION = '<!-- in a session -->';
const SETUP = /^<!-- setup\n([^]*)\n-->$/;

/**
 * The blocks of a page that can be executed, in order. A comment right before a block says what it is: `not run: reason`,
 * `file: path`, or `in a session` if an agent types it. A comment that begins with `setup` is a script that readers do not see.
 */
export function blocksOf(page: string): DocBlock[] {
  const { children }: Root = fromMarkdown(page);
  return children.flatMap((node, index): DocBlock[] => {
    const line = node.position?.start.line ?? 0;
    if (node.type === 'html') {
      const script = SETUP.exec(node.value)?.[1];
      return script === undefined
        ? []
        : [{ kind: 'script', line, text: script, inSession: false }];
    }
    if (node.type !== 'code') return [];
    const before = children[index - 1];
    const comment = before?.type === 'html' ? before.value : '';
    const path = FILE.exec(comment)?.[1];
    if (path !== undefined)
      return [{ kind: 'file', line, path, text: node.value }];
    if (!SHELL.has(node.lang ?? '') || comment.startsWith(NOT_RUN)) return [];
    return [
      node.lang === 'sh'
        ? {
            kind: 'script',
            line,
            text: node.value,
            inSession: comment === IN_SESSION,
          }
        : {
            kind: 'dialogue',
            line,
            turns: turnsOf(node.value),
            inSession: comment === IN_SESSION,
          },
    ];
  });
}

function turnsOf(text: string): Turn[] {
  const turns: Turn[] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('$ '))
      turns.push({ typed: line.slice(2), printed: [] });
    else if (line.trim() !== '') turns.at(-1)?.printed.push(line);
  }
  return turns;
}

/** Whether the output contains a line of a page; spaces are ignored, and … matches anything. */
export function prints(output: string, line: string): boolean {
  const flat = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
  const pattern = flat(line)
    .split('…')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join('.*');
  return output
    .split('\n')
    .some((printed) => new RegExp(`^${pattern}$`).test(flat(printed)));
}
