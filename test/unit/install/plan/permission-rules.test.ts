import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  ALLOWED_COMMANDS,
  rulesFor,
  unrecordedRules,
  wantedRules,
  withoutRules,
  withRules,
} from '../../../../src/install/plan/permission-rules.ts';

/** As the client compares them: `:*` stands for any further words. */
function isAllowed(command: string, rules: readonly string[]): boolean {
  return rules.some((rule) => {
    const [, pattern = '', any] = /^Bash\((.*?)(:\*)?\)$/.exec(rule) ?? [];
    return command === pattern || (any !== undefined && command.startsWith(`${pattern} `));
  });
}

describe('the rules', () => {
  const COPY = "node '/home/a b/.claude/holdfast/bin/holdfast.cjs'";

  it.each(['holdfast', COPY])('allow each command of the list, called as %s', (spelling) => {
    for (const command of ALLOWED_COMMANDS)
      expect(isAllowed(`${spelling} ${command}`, wantedRules(COPY)), command).toBe(true);
    expect(isAllowed(`${spelling} advance --output "done; next"`, wantedRules(COPY))).toBe(true);
  });

  it.each([
    'run',
    'init',
    'uninstall',
    'sync',
    'sync on origin',
    'trust flow.yaml --yes',
    'untrust flow.yaml',
    'autopilot auto',
    'autopilot ask user-auth',
    'approve',
    'reject --feedback x',
    'cancel --reason x',
    'reopen x',
    'export',
    'import x.json',
    'doctor --fix',
    'hook SessionStart',
    'mcp',
    'ui',
    'statusline',
    'complete --purge',
    'complete x --purge',
    '--cwd /elsewhere status',
    '--cwd=/elsewhere advance',
  ])('do not allow %s', (words) => {
    for (const spelling of ['holdfast', COPY])
      expect(isAllowed(`${spelling} ${words}`, wantedRules(COPY))).toBe(false);
  });

  it('do not allow Node itself', () => {
    expect(isAllowed('node -e 1', wantedRules(COPY))).toBe(false);
    expect(isAllowed('node other.cjs status', wantedRules(COPY))).toBe(false);
  });
});

describe('without a record', () => {
  it('a whole set of rules, and rules for the copy, are recognised', () => {
    const copy = 'node /home/x/.claude/holdfast/bin/holdfast.cjs';
    const rules = ['Bash(ls:*)', `Bash(${copy} status:*)`, ...rulesFor('holdfast')];
    const text = JSON.stringify({ permissions: { allow: rules } });
    expect(new Set(unrecordedRules(text))).toEqual(new Set(rules.slice(1)));
  });

  it('a single rule belongs to the user', () => {
    const text = JSON.stringify({ permissions: { allow: ['Bash(holdfast status:*)'] } });
    expect(unrecordedRules(text)).toEqual([]);
  });
});

test('adding and removing rules leaves every other value as it was', () => {
  const json = fc.dictionary(fc.constantFrom('model', 'env', 'x'), fc.jsonValue());
  const allow = fc.option(fc.array(fc.constantFrom('Bash(ls:*)', ...rulesFor('holdfast'))), {
    nil: undefined,
  });
  fc.assert(
    fc.property(json, allow, fc.boolean(), (rest, rules, hasPermissions) => {
      const permissions = rules === undefined ? {} : { allow: rules };
      const before: unknown = JSON.parse(
        JSON.stringify({ ...rest, ...(hasPermissions ? { permissions } : {}) }),
      );
      const text = JSON.stringify(before, null, 2);
      const after = withRules(text, wantedRules('npx holdfast'));
      expect(JSON.parse(withoutRules(after.text, after.added, before))).toEqual(before);
    }),
  );
});
