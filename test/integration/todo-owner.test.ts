import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sandbox, type Result, type Sandbox } from '../support/cli.ts';
import { onlyRun, readRun, stateFiles } from '../support/state.ts';

const BY_HAND = '# Todo\n\n- [x] design\n- [ ] build\n';
const OURS = '- [ ] ours\n';

const todoIn = ({ root }: Sandbox): string => readFileSync(join(root, 'TODO.md'), 'utf8');

const set = (box: Sandbox, input: string, session?: string): Result =>
  box.run(['todo', 'set', '-'], {
    code: 'any',
    input,
    ...(session === undefined ? {} : { session }),
  });

const call = (box: Sandbox, words: string[], session?: string): void => {
  const { code, stderr } = box.run(words, session === undefined ? {} : { session });
  expect(code, stderr).toBe(0);
};

describe('set replaces', () => {
  it.each([
    ['without a run', (): Sandbox => sandbox()],
    [
      'with a run',
      (): Sandbox => {
        const box = sandbox({ 'TODO.md': ' \n' });
        call(box, ['start', 'Shop']);
        return box;
      },
    ],
  ])('a list that came from set, whatever was added and ticked since: %s', (_how, make) => {
    const box = make();
    expect(set(box, '- [ ] ours\r\n- [ ] more').code).toBe(0);
    expect(todoIn(box)).toBe('- [ ] ours\r\n- [ ] more\n');
    call(box, ['todo', 'add', 'third']);
    call(box, ['todo', 'done', '1']);
    expect(set(box, '- [ ] again\n').code).toBe(0);
    expect(todoIn(box)).toBe('- [ ] again\n');
  });

  it('no list that somebody has changed since, but for --force', () => {
    const box = sandbox();
    call(box, ['start', 'Shop']);
    expect(set(box, OURS).code).toBe(0);
    writeFileSync(join(box.root, 'TODO.md'), `${OURS}- [ ] by hand\n`);
    call(box, ['todo', 'add', 'more']);
    expect(set(box, '- [ ] again\n').stderr).toContain('TODO.md has content that');
    expect(todoIn(box)).toBe(`${OURS}- [ ] by hand\n- [ ] more\n`);
    expect(box.run(['todo', 'set', '-', '--force'], { input: '- [ ] again\n' }).code).toBe(0);
    expect(set(box, '- [ ] and again\n').code).toBe(0);
  });

  it('no list that add has made, and one with the same content', () => {
    const box = sandbox();
    call(box, ['todo', 'add', 'a']);
    expect(set(box, OURS).code).toBe(1);
    expect(set(box, '- [ ] a\n').code).toBe(0);
  });

  it('not the list of another active run, but that of one that is over', () => {
    const box = sandbox();
    call(box, ['start', 'First'], 's1');
    call(box, ['start', 'Second'], 's2');
    expect(set(box, OURS, 's1').code).toBe(0);
    expect(set(box, '- [ ] theirs\n', 's2').stderr).toContain(
      'TODO.md is the list of the run first',
    );
    call(box, ['complete'], 's1');
    expect(set(box, '- [ ] theirs\n', 's2').code).toBe(0);
  });
});

describe('the run that writes adopts the list', () => {
  it.each([
    ['add', ['todo', 'add', 'review'], false],
    ['done', ['todo', 'done', '2'], false],
    ['set', ['todo', 'set', '-', '--force'], true],
  ])('by %s in a terminal, if it is the only active one', (_what, words, owned) => {
    const box = sandbox({ 'TODO.md': BY_HAND });
    call(box, ['start', 'Shop']);
    expect(box.run(words, { input: OURS }).code).toBe(0);
    expect(onlyRun(box.root)).toMatchObject({ todo: { path: 'TODO.md', owned }, adopted: true });
  });

  it('in the session that holds it; not in one that holds none, or if several are active', () => {
    const box = sandbox();
    call(box, ['start', 'Mine'], 's1');
    call(box, ['todo', 'add', 'a'], 's2');
    call(box, ['start', 'Other'], 's2');
    call(box, ['todo', 'add', 'b']);
    const owners = (): unknown[] =>
      stateFiles(box.root).map((path) => readRun(box.root, path).todo);
    expect(owners()).toEqual([undefined, undefined]);
    call(box, ['todo', 'add', 'c'], 's1');
    expect(owners()).toContainEqual(expect.objectContaining({ path: 'TODO.md', owned: false }));
    expect(owners()).toContain(undefined);
    expect(todoIn(box)).toBe('- [ ] a\n- [ ] b\n- [ ] c\n');
  });

  it('whatever a person wrote in the place of the record', () => {
    const box = sandbox({ 'TODO.md': BY_HAND });
    call(box, ['start', 'Shop']);
    const path = join(box.root, stateFiles(box.root)[0] ?? '');
    for (const todo of ['buy milk', null, 7, ['a'], { path: 5, owned: 'yes' }]) {
      writeFileSync(path, JSON.stringify({ ...onlyRun(box.root), todo }));
      call(box, ['todo', 'add', 'more']);
      expect(onlyRun(box.root).todo).toMatchObject({ path: 'TODO.md', owned: false });
    }
  });
});

it('an item that is ticked stays so, and no run is concerned', () => {
  const box = sandbox({ 'TODO.md': BY_HAND });
  call(box, ['start', 'Shop']);
  call(box, ['todo', 'done', '1']);
  expect(onlyRun(box.root).todo).toBeUndefined();
  expect(todoIn(box)).toBe(BY_HAND);
});

it.each([
  [
    'a file that ends within code takes no item',
    '```\n',
    ['todo', 'add', 'a'],
    'inside a code block',
  ],
  ['a list has no item 0', BY_HAND, ['todo', 'done', '0'], 'there is no item 0: TODO.md has 2'],
  [
    'an empty list says how to begin',
    '',
    ['todo', 'done', '1'],
    'add the first one with `holdfast',
  ],
])('%s', (_title, text, words, said) => {
  const box = sandbox({ 'TODO.md': text });
  expect(box.run(words, { code: 1 }).stderr).toContain(said);
  expect(todoIn(box)).toBe(text);
});

it('the file is the one that the settings name, in one spelling', () => {
  const box = sandbox({ '.claude/holdfast.json': '{"todo": {"file": "./docs//list.md"}}' });
  expect(box.json(['todo', 'add', 'a'])).toMatchObject({ path: 'docs/list.md' });
});
