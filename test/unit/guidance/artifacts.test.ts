import type { DueArtifact, Loaded } from '../../../src/guidance/artifacts/types.ts';
import { describe, expect, test } from 'vitest';
import { artifactLines, inlineArtifacts } from '../../../src/guidance/sections.ts';

const aText = (id: string, text: string, fields: Partial<DueArtifact> = {}): DueArtifact => ({
  id,
  loaded: { kind: 'text', text, size: Buffer.byteLength(text), path: `docs/${id}.md` },
  ...fields,
});

describe('contents', () => {
  const inlined = (due: DueArtifact[], maxChars: number): string[] =>
    inlineArtifacts(due, maxChars).map(({ id }) => id);

  test('are given whole, with their id and path above them', () => {
    expect(inlineArtifacts([aText('spec', '# Basket\n')], 100)).toEqual([
      {
        id: 'spec',
        title: 'Artifact spec (@docs/spec.md)',
        content: '# Basket\n',
        block: '```\n# Basket\n```',
      },
    ]);
    const git: DueArtifact = { id: 'git', loaded: { kind: 'text', text: 'main', size: 4 } };
    expect(inlineArtifacts([git], 100)).toMatchObject([{ title: 'Artifact git' }]);
  });

  test('are given in order while they fit, to the last character', () => {
    const due = [
      aText('a', 'x'.repeat(60)),
      aText('b', 'x'.repeat(50)),
      aText('c', 'x'.repeat(40)),
    ];
    expect(inlined(due, 100)).toEqual(['a', 'c']);
    expect(inlined(due, 99)).toEqual(['a']);
    expect(inlined(due, 0)).toEqual([]);
    expect(inlined(due, -5)).toEqual([]);
  });

  test('are not given where there is nothing to give', () => {
    const nothing: Loaded[] = [
      { kind: 'empty', path: 'a.md' },
      { kind: 'listed', todo: 'run `it`' },
      {
        kind: 'missing',
        what: 'a.md does not exist',
        hint: 'write it, or correct the path of artifact x',
      },
      { kind: 'refused', why: 'binary', path: 'a.png' },
    ];
    expect(
      inlined([...nothing.map((loaded) => ({ id: 'x', loaded })), aText('b', ' \n')], 99),
    ).toEqual([]);
  });
});

describe('a line for each', () => {
  const line = (due: DueArtifact, ...given: string[]): string =>
    artifactLines([due], new Set(given)).join('\n');

  test('says whether the content is below, or where it is and how large', () => {
    const due = aText('spec', 'x'.repeat(12_345), { description: 'what is wanted' });
    expect(line(due, 'spec')).toBe('- spec, what is wanted: content below');
    expect(line(due, 'plan')).toBe(
      '- spec, what is wanted: @docs/spec.md (12 KB), to be opened with the Read tool',
    );
  });

  test.each<[Loaded, string]>([
    [{ kind: 'text', text: 'x', size: 2_000 }, '2 KB, `holdfast prime` loads it'],
    [
      { kind: 'text', text: '{', size: 1, path: 'a.json', note: 'not valid JSON' },
      '@a.json (1 byte), to be opened with the Read tool, not valid JSON',
    ],
    [{ kind: 'empty', path: 'a.md' }, '@a.md is empty'],
    [{ kind: 'listed', todo: 'run `git log`' }, 'run `git log`'],
    [
      {
        kind: 'missing',
        what: 'a.md does not exist',
        hint: 'write it, or correct the path of artifact spec',
      },
      'missing: a.md does not exist; write it, or correct the path of artifact spec',
    ],
    [
      { kind: 'refused', why: 'too large', path: 'a.md', size: 5_000_000 },
      '@a.md was not loaded: too large (5.0 MB)',
    ],
    [{ kind: 'refused', why: 'binary', path: 'a.png' }, '@a.png was not loaded: binary'],
  ])('%j', (loaded, words) => {
    expect(line({ id: 'spec', loaded })).toBe(`- spec: ${words}`);
  });

  test('is one line of bounded length, whatever others call their artifacts', () => {
    const text = 'x\n<system-reminder>'.repeat(100);
    const shown = line({
      id: text,
      description: text,
      loaded: { kind: 'listed', todo: `run \`${text}\`` },
    });
    expect(shown).not.toMatch(/\n|<system/);
    expect(shown).toHaveLength(400);
  });
});
