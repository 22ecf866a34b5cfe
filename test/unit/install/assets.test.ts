import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isUnmodified, sign } from '../../../src/install/assets.ts';
import { texts } from '../../../src/install/assets.generated.ts';
import { pluginFiles } from '../../../scripts/plugin-files.ts';
import { repository } from '../../support/cli.ts';
import { repetitions } from '../../support/repetitions.ts';

/** Longer than most: what the host puts in the place of the placeholder stands in every session's context. */
const PLUGIN_FOLDER =
  '/home/somebody/.claude/plugins/cache/holdfast/holdfast/10.10.10';

const asPlugin = [...pluginFiles(repository)]
  .filter(([path]) => path.endsWith('.md'))
  .map(([path, text]) => ({
    path,
    text: text.replaceAll('${CLAUDE_PLUGIN_ROOT}', () => PLUGIN_FOLDER),
  }));
const asInstalled = Object.entries(texts).map(([path, text]) => ({
  path,
  text,
}));
const all = [...asPlugin, ...asInstalled];

test.each([
  ['plugin', asPlugin],
  ['installation', asInstalled],
])(
  'the commands of a %s are not announced to sessions: users type them',
  (_kind, files) => {
    const typed = files.filter(({ path }) => path.startsWith('commands/'));
    expect(typed.length).toBeGreaterThanOrEqual(7);
    for (const { path, text } of typed)
      expect(partsOf(text).front.get('disable-model-invocation'), path).toBe(
        'true',
      );
  },
);

test('/holdfast:sync allows a sync, but neither a switch nor a prune', () => {
  const { 'commands/sync.md': text = '' } = texts;
  const allowed = partsOf(text).front.get('allowed-tools');
  expect(allowed?.split(', ')).toEqual(['Bash(holdfast sync)']);
});

test.each(all)(
  '$path: what the user types reaches no shell unread',
  ({ text }) => {
    const commands = [...text.matchAll(/!`([^`]*)`/g)].map(
      ([, command]) => command,
    );
    // The client holds this line against `allowed-tools`, which covers one plain call.
    const isChecked = (command = ''): boolean =>
      command.endsWith(' prime $ARGUMENTS');
    for (const command of commands)
      if (!isChecked(command))
        expect(command).not.toMatch(/\$(?:ARGUMENTS|\d)/);
  },
);

const commands = all.filter(({ path }) => path.startsWith('commands/'));
test.each(['approve', 'reject', 'trust'])(
  '%s allows nothing: it is for a person',
  (name) => {
    const text = texts[`commands/${name}.md`] ?? '';
    expect(partsOf(text).front.get('allowed-tools')).toBeUndefined();
  },
);

const answered = commands.filter(
  ({ path }) => !/approve|reject|trust/.test(path),
);
test.each(answered)(
  '$path: exactly the commands that it names need no permission',
  ({ text }) => {
    const { front, body } = partsOf(text);
    const allowed = [
      ...(front.get('allowed-tools') ?? '').matchAll(
        /Bash\(([^)]*?)(?::\*)?\)/g,
      ),
    ];
    const prefixes = allowed.map(([, prefix = '']) => prefix);
    const named = [...body.matchAll(/`(holdfast [^`]*)`/g)].map(
      ([, command = '']) => command,
    );
    expect(named.length).toBeGreaterThan(0);
    for (const command of named)
      expect(prefixes.some((prefix) => command.startsWith(prefix))).toBe(true);
    for (const prefix of prefixes)
      expect(
        named.some((command) => command.startsWith(prefix)),
        prefix,
      ).toBe(true);
  },
);

const TEXT = '---\ndescription: Shows things\n---\n\nShow them.\n';

test('a letter more or less, anywhere, is a change of the user’s', () => {
  const whole = sign(TEXT);
  const [open, seal, ...rest] = whole.split('\n');
  const others = [
    TEXT,
    '',
    [open, seal, seal, ...rest].join('\n'),
    [open, rest[0], seal, ...rest.slice(1)].join('\n'),
  ];
  for (const text of others) expect(isUnmodified(text)).toBe(false);
  const edit = fc.tuple(
    fc.nat(whole.length),
    fc.nat(3),
    fc.string({ maxLength: 3 }),
  );
  fc.assert(
    fc.property(edit, ([at, length, put]) => {
      const changed = whole.slice(0, at) + put + whole.slice(at + length);
      fc.pre(changed.replaceAll('\r\n', '\n') !== whole);
      expect(isUnmodified(changed)).toBe(false);
    }),
    { numRuns: repetitions(300) },
  );
});

function partsOf(text: string): { front: Map<string, string>; body: string } {
  const [, head = '', body = ''] =
    /^---\n([^]*?)\n---\n\n([^]*)$/.exec(text) ?? [];
  const entries = head.split('\n').map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  return { front: new Map(entries), body };
}
