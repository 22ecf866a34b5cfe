import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Script } from 'node:vm';

const require = createRequire(import.meta.url);

/** V8's cache of the code, warm: each hook has run once in a throw-away project, so its functions are compiled. */
export function makeCodeCache(code, filename) {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-build-'));
  const before = { HOLDFAST: process.env.HOLDFAST, argv: process.argv };
  try {
    mkdirSync(join(root, '.git'));
    writeFileSync(join(root, 'spec.md'), 'A file that is read.\n');
    writeFileSync(
      join(root, 'CLAUDE.local.md'),
      '# Workflow State\nWorkflow: Warm-up\nPhase: 1/2 - One\n@spec.md\n',
    );
    mkdirSync(join(root, 'CLAUDE/Plan/00001-plan'), { recursive: true });
    writeFileSync(
      join(root, 'CLAUDE/Plan/00001-plan/PLAN.md'),
      '# Plan 1: Plan\n\n**Status**: 🔄 In Progress\n\n### Phase 1: One ✅\n- [x] a\n### Phase 2: Two\n',
    );
    delete process.env.HOLDFAST;
    process.argv = process.argv.slice(0, 2);
    const script = new Script(code, { filename });
    for (const payload of payloads(root))
      script.runInThisContext()(withInput(JSON.stringify(payload)));
    return script.createCachedData();
  } finally {
    if (before.HOLDFAST !== undefined) process.env.HOLDFAST = before.HOLDFAST;
    process.argv = before.argv;
    rmSync(root, { recursive: true, force: true });
  }
}

function payloads(root) {
  const common = { session_id: 'warm-up', cwd: root };
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
    { hook_event_name: 'SessionStart', source: 'clear', session_id: 'warm-up-2' },
  ].map((payload, index) => ({ ...common, prompt_id: String(index), ...payload }));
}

/** The code's own `require`, with a standard input that holds the payload and an output that goes nowhere. */
function withInput(text) {
  const bytes = Buffer.from(text);
  let read = 0;
  const replaced = {
    ...fs,
    readSync: (file, buffer, ...rest) => {
      if (file !== 0) return fs.readSync(file, buffer, ...rest);
      const length = bytes.copy(buffer, 0, read);
      read += length;
      return length;
    },
    writeSync: (file, content, ...rest) =>
      file === 1 ? Buffer.byteLength(content) : fs.writeSync(file, content, ...rest),
  };
  return (name) => (name === 'node:fs' ? replaced : require(name));
}
