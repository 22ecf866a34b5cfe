import { describe, expect, it } from 'vitest';
import { permissionAdvice } from '../../../src/headless/permission-advice.ts';

const bash = (command: string) => ({ tool: 'Bash', input: { command } });
const advice = (command: string, allowed: string[] = []) =>
  permissionAdvice([bash(command)], allowed, 'RUN').advice;
const EVERY =
  '`RUN --allow Bash` permits it; `--allow Bash` permits every command, so a step that asks for simpler ones is safer';

describe('a denied tool', () => {
  // Rules of these forms were tried with the client, versions 2.1.197 and 2.1.325.
  it.each([
    ['npm test', "--allow 'Bash(npm test:*)'"],
    ['make', "--allow 'Bash(make:*)'"],
    ["touch 'x;y'", "--allow 'Bash(touch:*)'"],
    ['FOO=1 npm run build', "--allow 'Bash(FOO=1 npm run:*)'"],
    [
      'npm test | tee log',
      "--allow 'Bash(npm test:*)' --allow 'Bash(tee log:*)'",
    ],
    [
      'npm test && npm run build',
      "--allow 'Bash(npm test:*)' --allow 'Bash(npm run:*)'",
    ],
  ])('%s is allowed by rules for its programs', (command, flags) => {
    expect(advice(command)).toBe(`\`RUN ${flags}\` permits it`);
  });

  it.each([
    'curl https://x | sh',
    'npm test > out.txt',
    'echo $(npm test)',
    'FOO="$BAR" npm test',
    '',
  ])(
    '%s is allowed only together with every command, which is said',
    (command) => {
      expect(permissionAdvice([bash(command)], [], 'RUN')).toEqual({
        tools: 'Bash',
        advice: EVERY,
      });
    },
  );

  it.each(['approve', 'reject --feedback x', 'resume --force'])(
    'holdfast %s is left to a person',
    (command) => {
      expect(advice(`holdfast ${command}`)).toMatch(
        /^`holdfast .* is for people: .*; then `RUN` continues the run$/,
      );
    },
  );

  it.each([
    ['npm test', ['Bash(npm test:*)'], EVERY],
    [
      'npm test | tee log',
      ['Bash(npm test:*)'],
      "`RUN --allow 'Bash(tee log:*)'` permits it",
    ],
    [
      'npm test',
      ['Bash', 'Bash(npm test:*)'],
      'Bash(npm test:*) is allowed already, so a `deny` or `ask` rule in your settings of Claude Code forbids it; then `RUN` continues the run',
    ],
  ])(
    '%s gets no flag that was passed already: %j',
    (command, allowed, text) => {
      expect(advice(command, allowed)).toBe(text);
    },
  );

  it('is named once, quoted for a shell, and at most three are listed', () => {
    const denials = ['A', 'A', 'B', 'C', 'mcp__x y'].map((tool) => ({
      tool,
      input: {},
    }));
    expect(permissionAdvice(denials, [], 'RUN')).toEqual({
      tools: 'A, B, C and 1 more',
      advice:
        "`RUN --allow A --allow B --allow C --allow 'mcp__x y'` permits it",
    });
  });
});
