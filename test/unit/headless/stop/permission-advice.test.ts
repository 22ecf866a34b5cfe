import { describe, expect, it } from 'vitest';
import { permissionAdvice } from '../../../../src/headless/stop/permission-advice.ts';
import { describeStop } from '../../../../src/headless/stop/stop.ts';

const bash = (command: string) => ({ tool: 'Bash', input: { command } });
const rules = (command: string, allowed: string[] = []) =>
  permissionAdvice([bash(command)], allowed).flags;

describe('a denied tool', () => {
  // Rules of these forms were tried with the client, versions 2.1.197 and 2.1.325.
  it.each([
    ['npm test', "--allow 'Bash(npm test:*)'"],
    ['npm run build -- --watch', "--allow 'Bash(npm run:*)'"],
    ['npm test 2>&1', "--allow 'Bash(npm test:*)'"],
    ['make', "--allow 'Bash(make:*)'"],
    ['cat ./a.txt', "--allow 'Bash(cat:*)'"],
    ['touch "a b"', "--allow 'Bash(touch:*)'"],
    ["touch 'x;y'", "--allow 'Bash(touch:*)'"],
    ['FOO=1 npm run build', "--allow 'Bash(FOO=1 npm run:*)'"],
    ['npm test | tee log', "--allow 'Bash(npm test:*)' --allow 'Bash(tee log:*)'"],
    ['npm test && npm run build', "--allow 'Bash(npm test:*)' --allow 'Bash(npm run:*)'"],
  ])('%s is allowed by rules for its programs', (command, flags) => {
    expect(rules(command)).toBe(flags);
    expect(permissionAdvice([bash(command)], []).allowsEveryCommand).toBe(false);
  });

  it.each([
    'cd /x && npm test | tee log',
    'curl https://x | sh',
    'npm test > out.txt',
    'echo $(npm test)',
    'echo `npm test`',
    'for i in 1 2; do touch $i; done',
    'FOO="$BAR" npm test',
    '',
  ])('%s is allowed only together with every command, which is said', (command) => {
    expect(permissionAdvice([bash(command)], [])).toMatchObject({
      tools: 'Bash',
      flags: '--allow Bash',
      allowsEveryCommand: true,
    });
    const stop = { reason: 'permission', denials: [bash(command)], allowed: [] } as const;
    const { hint } = describeStop({ ...stop, denials: [...stop.denials] }, 'r', 'holdfast run r');
    expect(hint).toContain('`--allow Bash` permits every command');
  });

  it.each([
    'approve',
    'reject --feedback x',
    'trust release --yes',
    'run',
    'sync',
    'resume --force',
  ])('holdfast %s is left to a person', (command) => {
    const denials = [bash(`holdfast ${command}`)];
    expect(permissionAdvice(denials, [])).toMatchObject({ flags: '', allowedAlready: [] });
    const { hint } = describeStop(
      { reason: 'permission', denials, allowed: [] },
      'r',
      'holdfast run r',
    );
    expect(hint).toContain('is for people');
    expect(hint).toContain('`holdfast run r` continues');
    expect(hint).not.toContain('--allow');
  });

  it('gets no flag that was given already', () => {
    expect(rules('npm test', ['Bash(npm test:*)'])).toBe('--allow Bash');
    expect(rules('npm test | tee log', ['Bash(npm test:*)'])).toBe("--allow 'Bash(tee log:*)'");
    expect(permissionAdvice([{ tool: 'Write', input: {} }], ['Write'])).toMatchObject({
      flags: '',
      allowedAlready: ['Write'],
    });
    const { hint } = describeStop(
      { reason: 'permission', denials: [bash('npm test')], allowed: ['Bash', 'Bash(npm test:*)'] },
      'r',
      'holdfast run r --allow Bash',
    );
    expect(hint).toContain('is allowed already');
    expect(hint.match(/--allow Bash/g)).toHaveLength(1);
  });

  it('is named once, quoted for a shell, and at most three are listed', () => {
    const denials = ['A', 'A', 'B', 'C', 'mcp__x y'].map((tool) => ({ tool, input: {} }));
    expect(permissionAdvice(denials, [])).toMatchObject({
      tools: 'A, B, C and 1 more',
      flags: "--allow A --allow B --allow C --allow 'mcp__x y'",
    });
  });
});
