import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  binary,
  builtPackage,
  hookMemoryOf,
  repository,
  sandbox,
  type Sandbox,
} from '../support/cli.ts';

interface Metafile {
  inputs: object;
  outputs: Record<string, { imports: { path: string }[] }>;
}

describe('the hook bundle', () => {
  const metafile: Metafile = JSON.parse(
    readFileSync(join(repository, 'dist/hook.meta.json'), 'utf8'),
  );

  it('contains only what hooks need: no package, no command line, no MCP server', () => {
    const inputs = Object.keys(metafile.inputs);
    expect(inputs.length).toBeGreaterThan(50);
    expect(
      inputs.filter((path) => !/^src\/(?!cli\/|mcp\/)/.test(path)),
    ).toEqual([]);
  });

  it('loads no heavy part of Node', () => {
    const { imports = [] } = metafile.outputs['dist/hook.cjs'] ?? {};
    const required = new Set(imports.map(({ path }) => path));
    expect(required).toEqual(new Set(['node:fs', 'node:os', 'node:path']));
  });
});

it.each(['cli', 'hook', 'mcp'])(
  'the clock of what is published cannot be set: %s',
  (bundle) => {
    const text = (folder: string): string =>
      readFileSync(join(folder, `dist/${bundle}.cjs`), 'latin1');
    expect(text(repository)).not.toContain('HOLDFAST_NOW');
    expect(text(builtPackage)).toContain('HOLDFAST_NOW');
  },
);

describe('the hooks work without any other file of the package', () => {
  const LONG = { 'long.md': 'x'.repeat(3_000) };
  const SHOP = ['start', 'Shop'];
  const READING = [...SHOP, '--read', 'long.md'];
  const blocking = {
    ...LONG,
    '.claude/holdfast.json': '{"reading": {"enforce": "block"}}',
  };
  const spec = { id: 'spec', type: 'markdown', path: 'spec.md' };
  const artifacts = {
    '.claude/holdfast.json': JSON.stringify({
      critical_artifacts: { always_load: [spec] },
    }),
    'spec.md': 'SPEC',
  };
  const bash = { tool_name: 'Bash', tool_input: { command: 'ls' } };
  const compaction = { source: 'compact' };

  it.each<[string, object, Record<string, string>, string[], string[]]>([
    ['PreCompact', {}, {}, SHOP, ['Workflow: Shop']],
    ['SessionStart', compaction, LONG, READING, ['@long.md']],
    ['SessionStart', compaction, artifacts, SHOP, ['SPEC']],
    [
      'SessionStart',
      compaction,
      {},
      ['start', '--template', 'bugfix'],
      ['Workflow: Bugfix', 'Reproduce the bug with the fewest steps'],
    ],
    // These have nothing to say about the required reading of the run.
    ['UserPromptSubmit', {}, blocking, READING, []],
    ['PreToolUse', bash, blocking, READING, []],
  ])('%s with %j', (event, input, tree, start, said) => {
    const box = sandbox(tree);
    box.run(start, { session: 's1' });
    const hook = join(box.home, 'hook.cjs');
    copyFileSync(join(repository, 'dist/hook.cjs'), hook);
    const { status, stdout } = spawnSync(process.execPath, [hook, event], {
      cwd: box.root,
      encoding: 'utf8',
      input: JSON.stringify({ session_id: 's1', ...input }),
      env: { PATH: process.env['PATH'], HOME: box.home },
    });
    expect(status).toBe(0);
    for (const text of said) expect(stdout).toContain(text);
    if (said.length === 0) expect(stdout).toBe('');
    const state = join(box.root, 'untracked/workflow-state');
    expect(existsSync(join(state, 'holdfast.log'))).toBe(false);
    if (said.includes('@long.md'))
      expect(JSON.parse(readFileSync(hookMemoryOf(box), 'utf8'))).toMatchObject(
        {
          receipts: { s1: { reminded: false } },
        },
      );
  });
});

describe('the code that V8 has compiled', () => {
  const cacheFolder = (box: Sandbox): string =>
    join(box.home, '.claude/holdfast/cache');
  const cacheFile = (box: Sandbox, call = 'hook-SessionStart'): string =>
    join(cacheFolder(box), `${call}.cache`);

  /** A project with a run, and a user for whom holdfast has its folder. */
  function withRun(): Sandbox {
    const box = sandbox();
    mkdirSync(join(box.home, '.claude/holdfast'), { recursive: true });
    box.run(['start', 'Shop'], { session: 's1' });
    return box;
  }

  /** Starts a hook, and tells whether V8 took its code from a cache; what Node keeps itself is much smaller. */
  function restore(
    box: Sandbox,
    given: {
      program?: string;
      env?: Record<string, string>;
      source?: string;
    } = {},
  ): { isCached: boolean; reply: string } {
    const { program = binary, env = {}, source = 'compact' } = given;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--profile-deserialization', program, 'hook', 'SessionStart'],
      {
        cwd: box.root,
        encoding: 'utf8',
        // Without another prompt, the second call would have nothing to say.
        input: JSON.stringify({
          session_id: 's1',
          source,
          prompt_id: randomUUID(),
        }),
        env: { PATH: process.env['PATH'], HOME: box.home, ...env },
      },
    );
    expect([status, stderr]).toEqual([0, '']);
    const reply = stdout.replaceAll(
      /^\[(?:Verifying|Serializing|Deserializing|Cached) .*\n/gm,
      '',
    );
    return {
      isCached: /^\[Deserializing from \d{6} bytes/m.test(stdout),
      reply,
    };
  }
  const compiled = { isCached: false, reply: expect.stringContaining('Shop') };
  const cached = { ...compiled, isCached: true };

  it('is kept in the user’s folder, for the user alone, and once more after another kind of call', () => {
    const box = withRun();
    expect(restore(box, { source: 'startup' })).toEqual(compiled);
    expect(readdirSync(cacheFolder(box))).toEqual(['hook-SessionStart.cache']);
    expect(statSync(cacheFolder(box)).mode & 0o777).toBe(0o700);
    expect(statSync(cacheFile(box)).mode & 0o777).toBe(0o600);
    const { size } = statSync(cacheFile(box));
    expect(restore(box)).toEqual(cached);
    const grown = statSync(cacheFile(box));
    expect(grown.size).toBeGreaterThan(size);
    for (const source of ['compact', 'startup']) {
      expect(restore(box, { source })).toEqual(cached);
      expect(statSync(cacheFile(box)).ino).toBe(grown.ino);
    }
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['is cut off', (bytes) => bytes.subarray(0, bytes.length - 20)],
    ['is of another Node', (bytes) => flipped(bytes, 1)],
  ])('is not used if it %s, and is replaced', (_what, damage) => {
    const box = withRun();
    restore(box);
    writeFileSync(cacheFile(box), damage(readFileSync(cacheFile(box))));
    expect(restore(box)).toEqual(compiled);
    expect(restore(box)).toEqual(cached);
  });

  it('of an earlier build is replaced, even if the length of the bundle has not changed', () => {
    const box = withRun();
    const bundle = join(box.home, 'package/dist/hook.cjs');
    const program = join(box.home, 'package/bin/holdfast.cjs');
    for (const folder of ['bin', 'dist'])
      mkdirSync(join(box.home, 'package', folder), { recursive: true });
    copyFileSync(binary, program);
    for (const word of ['one', 'two']) {
      writeFileSync(
        bundle,
        `(() => require('node:fs').writeSync(1, '${word}\\n'))();`,
      );
      for (const reply of [word, word])
        expect(restore(box, { program }).reply).toBe(`${reply}\n`);
    }
    expect(readdirSync(cacheFolder(box))).toHaveLength(1);
  });

  it('is not kept where holdfast has no folder', () => {
    const box = withRun();
    const env = { HOME: join(box.home, 'new') };
    expect(restore(box, { env })).toEqual(compiled);
    expect(restore(box, { env })).toEqual(compiled);
    expect(existsSync(cacheFile(box))).toBe(false);
  });

  it('is never kept in a folder that is given by a relative path, which a repository may have', () => {
    const box = withRun();
    mkdirSync(join(box.root, 'config/holdfast'), { recursive: true });
    const env = { CLAUDE_CONFIG_DIR: 'config' };
    expect(restore(box, { env })).toEqual(compiled);
    expect(restore(box, { env })).toEqual(cached);
    expect(readdirSync(join(box.root, 'config/holdfast'))).toEqual([]);
  });
});

function flipped(bytes: Buffer, at: number): Buffer {
  const damaged = Buffer.from(bytes);
  damaged[at] = (damaged[at] ?? 0) ^ 0xff;
  return damaged;
}

it('`statusline` is in the hook bundle, and prints the same behind a global option', () => {
  const box = sandbox();
  box.run(['start', 'Shop', '--phases', 'Plan,Build'], { session: 's1' });
  const input = JSON.stringify({ session_id: 's1', cwd: box.root });
  const direct = box.run(['statusline', '--segment'], { input });
  expect(direct.stdout).toContain('Shop');
  const words = ['--cwd', box.root, 'statusline', '--segment'];
  expect(box.run(words, { input, ownProcess: true })).toEqual(direct);
});
