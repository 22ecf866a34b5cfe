import { createHash, randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import type { JsonObject } from '../../util/json.ts';

/** How code ends, so that the name of its cache is known without a digest of the whole file. */
const DIGEST_LINE = /\n\/\/ ([0-9a-f]{12})\n$/;

/** For the build: V8 only compares the length of the code that a cache was made for. */
export function withDigest(code: string): string {
  const digest = createHash('sha256').update(code).digest('hex').slice(0, 12);
  return `${code.trimEnd()}\n// ${digest}\n`;
}

/**
 * The name of the cache that dist/hook.cjs and bin/holdfast.cjs look for; undefined if the code does not end with its
 * digest. A cache only serves the very code, version of Node and processor that it was made for.
 */
export function cacheName(bundle: string, code: string): string | undefined {
  const [, digest] = DIGEST_LINE.exec(code) ?? [];
  return digest && `${bundle}-${digest}-${process.version}-${process.arch}.cache`;
}

/** Prefix of the temporary projects, which a killed process leaves behind. */
export const WARM_UP = 'warm-up-';

/**
 * V8's cache of the code after each hook has run once in a temporary project below `folder`, so that the functions
 * that hooks use are compiled.
 */
export function makeCodeCache(
  code: string,
  load: (name: string) => unknown,
  folder: string,
): Buffer {
  const root = fs.mkdtempSync(join(folder, WARM_UP));
  try {
    writeWarmUpProject(root);
    const script = new Script(code, { filename: 'hook.cjs' });
    const run = (session: string): void => {
      for (const payload of payloads(root, session))
        script.runInThisContext()(requireFor(payload, load), processIn(root), root);
    };
    run('warm-up');
    // Now the plan is what is left to restore.
    fs.rmSync(join(root, LOCAL_FILE));
    run('warm-up-plan');
    return withHookOption(() => script.createCachedData());
  } finally {
    fs.rmSync(root, { recursive: true, force: true });
  }
}

/** Whether the V8 of this Node accepts the cache. */
export function isCacheOf(code: string, cachedData: Buffer): boolean {
  // For a file name that it knows, V8 would use its in-memory cache instead of these bytes.
  return new Script(code, { filename: randomUUID(), cachedData }).cachedDataRejected === false;
}

/** The same for the cache of the hooks. */
export function isHookCacheOf(code: string, cachedData: Buffer): boolean {
  return withHookOption(() => isCacheOf(code, cachedData));
}

/**
 * V8 only accepts a cache that was made with its current options. This is the one of V8's that bin/hook.sh starts hooks
 * with; it has no effect on a process that has started.
 */
export const HOOK_OPTION = '--no-rehash-snapshot';
const DEFAULT_OPTION = '--rehash-snapshot';

function withHookOption<T>(work: () => T): T {
  setFlagsFromString(HOOK_OPTION);
  try {
    return work();
  } finally {
    setFlagsFromString(DEFAULT_OPTION);
  }
}

const LOCAL_FILE = 'CLAUDE.local.md';

export function writeWarmUpProject(root: string): void {
  const plan = join(root, 'CLAUDE/Plan/00001-plan');
  fs.mkdirSync(join(root, '.git'));
  fs.writeFileSync(join(root, '.git/HEAD'), 'ref: refs/heads/main\n');
  fs.mkdirSync(plan, { recursive: true });
  fs.writeFileSync(join(root, 'spec.md'), 'A file that is read.\n');
  fs.writeFileSync(
    join(root, LOCAL_FILE),
    '# Workflow State\nWorkflow: Warm-up\nPhase: 1/2 - One\n@spec.md\n',
  );
  fs.writeFileSync(
    join(plan, 'PLAN.md'),
    '# Plan 1: Plan\n\n**Status**: 🔄 In Progress\n\n### Phase 1: One ✅\n- [x] a\n### Phase 2: Two\n',
  );
}

/** The process of a hook that the client started in the project. It writes nothing to the user's configuration folder. */
function processIn(root: string): object {
  const standIns = {
    argv: process.argv.slice(0, 2),
    env: { CLAUDE_CONFIG_DIR: join(root, 'config'), CLAUDE_PROJECT_DIR: root },
    cwd: () => root,
  };
  return Object.assign(Object.create(process), standIns);
}

function payloads(root: string, session: string): JsonObject[] {
  const common = { session_id: session, cwd: root };
  const file_path = join(root, 'spec.md');
  return [
    { hook_event_name: 'SessionStart', source: 'startup' },
    { hook_event_name: 'PreCompact', trigger: 'auto' },
    { hook_event_name: 'SessionStart', source: 'compact' },
    { hook_event_name: 'PostCompact', trigger: 'auto' },
    { hook_event_name: 'PostToolUse', tool_name: 'Read', tool_input: { file_path } },
    { hook_event_name: 'UserPromptSubmit', prompt: 'go on' },
    { hook_event_name: 'PreCompact', trigger: 'auto' },
    { hook_event_name: 'SessionStart', source: 'compact' },
    { hook_event_name: 'SessionEnd', reason: 'clear' },
    { hook_event_name: 'SessionStart', source: 'clear', session_id: `${session}-2` },
  ].map((payload, index) => ({ ...common, prompt_id: `${session}-${index}`, ...payload }));
}

/** A `require` whose `fs` has the payload as standard input and discards standard output. */
function requireFor(
  payload: JsonObject,
  load: (name: string) => unknown,
): (name: string) => unknown {
  let input = Buffer.from(JSON.stringify(payload));
  const replaced = {
    ...fs,
    readSync: (file: number, buffer: Uint8Array, ...rest: unknown[]): number => {
      if (file !== 0) return Reflect.apply(fs.readSync, fs, [file, buffer, ...rest]);
      const length = input.copy(buffer);
      input = input.subarray(length);
      return length;
    },
    writeSync: (file: number, content: string | Uint8Array, ...rest: unknown[]): number =>
      file === 1
        ? Buffer.byteLength(content)
        : Reflect.apply(fs.writeSync, fs, [file, content, ...rest]),
  };
  return (name) => (name === 'node:fs' ? replaced : load(name));
}
