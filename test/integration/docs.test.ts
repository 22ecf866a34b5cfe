import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { repository } from '../support/cli.ts';
import { blocksOf, prints, type DocBlock } from '../support/doc-blocks.ts';
import { makeReader, type Reader } from '../support/reader.ts';

/** The result for each page, which is needed once for every link to it. */
function forEachPage<T>(compute: (page: string) => T): (page: string) => T {
  const results = new Map<string, T>();
  return (page) => {
    const result = results.get(page) ?? compute(page);
    results.set(page, result);
    return result;
  };
}

const read = forEachPage((path) =>
  readFileSync(join(repository, path), 'utf8'),
);
const blocksIn = forEachPage((page) => blocksOf(read(page)));
const pages = [
  'README.md',
  ...readdirSync(join(repository, 'docs'), {
    recursive: true,
    encoding: 'utf8',
  })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .toSorted(),
];

function follow(block: DocBlock, { box, type }: Reader, at: string): void {
  switch (block.kind) {
    case 'file': {
      const path = join(box.root, block.path);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `${block.text}\n`);
      return;
    }
    case 'script': {
      const { code, output } = type(block.text, block.inSession);
      expect(code, `${at}\n${block.text}\n${output}`).toBe(0);
      return;
    }
    case 'dialogue':
      for (const { typed, printed } of block.turns) {
        const { code, output } = type(typed, block.inSession);
        expect(code, `${at}: ${typed}\n${output}`).toBe(0);
        const missing = printed.filter((line) => !prints(output, line));
        expect(missing, `${at}: ${typed}\n${output}`).toEqual([]);
      }
  }
}

const withBlocks = pages.filter((page) => blocksIn(page).length > 0);

it.each(withBlocks)(
  'the commands in %s work in that order and print what it shows',
  (page) => {
    const reader = makeReader();
    for (const block of blocksIn(page))
      follow(block, reader, `${page}:${block.line}`);
  },
);

type Link = { to: string; anchor: string };

/** The links of a page to other files and headings, from the project root; text in code is no link. */
const linksOf = forEachPage((page): Link[] => {
  const text = read(page).replaceAll(/^```[\s\S]*?^```/gm, '');
  return [
    ...text.matchAll(/\]\(([^)#:\s]*)(?:#([^)\s]*))?\)/g),
    ...text.matchAll(/^\[[^\]]+\]: ([^#:\s]+)(?:#(\S*))?$/gm),
  ].map(([, to = '', anchor = '']) => ({
    to: to === '' ? page : join(dirname(page), to),
    anchor,
  }));
});

/** The anchors that GitHub gives the headings of a page. */
const anchorsOf = forEachPage((page): string[] => {
  const text = read(page).replaceAll(/^```[\s\S]*?^```/gm, '');
  return [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
});

it.each([...pages, 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'])(
  'every link in %s leads to something',
  (page) => {
    const broken = linksOf(page).filter(
      ({ to, anchor }) =>
        !existsSync(join(repository, to)) ||
        (anchor !== '' && !anchorsOf(to).includes(anchor)),
    );
    expect(broken).toEqual([]);
  },
);

it('every page of docs/ can be reached from the README', () => {
  const reached = new Set(['README.md']);
  for (const page of reached)
    for (const { to } of linksOf(page)) if (pages.includes(to)) reached.add(to);
  expect(pages.filter((page) => !reached.has(page))).toEqual([]);
});
