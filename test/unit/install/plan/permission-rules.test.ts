import { readFileSync } from 'node:fs';
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
import { installer } from '../../../support/installation.ts';
import { makeProject } from '../../../support/project.ts';

const SETTINGS = '.claude/settings.local.json';

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

describe('init', () => {
  it.each(['local', 'project', 'user'] as const)('adds them once in scope %s', (scope) => {
    const project = makeProject();
    const { init, config } = installer(project, scope);
    init();
    const path =
      scope === 'user'
        ? `${config}/settings.json`
        : project.at(scope === 'local' ? SETTINGS : '.claude/settings.json');
    const { permissions } = JSON.parse(readFileSync(path, 'utf8'));
    expect(permissions).toEqual({ allow: rulesFor('holdfast') });
    expect(init().changes).toEqual([]);
  });

  it('replaces the rules of a spelling that is no longer used', () => {
    const project = makeProject();
    const { init } = installer(project, 'local');
    init('1.0.0', false, { invocation: 'node /old/holdfast/bin/holdfast.cjs' });
    init('1.0.0', false, { invocation: 'node /new/holdfast/bin/holdfast.cjs' });
    expect(new Set(JSON.parse(project.read(SETTINGS)).permissions.allow)).toEqual(
      new Set(wantedRules('node /new/holdfast/bin/holdfast.cjs')),
    );
  });

  it('refuses permissions in a form that the client does not read', () => {
    const project = makeProject({ [SETTINGS]: '{"permissions": {"allow": "Bash"}}' });
    expect(() => installer(project, 'local').init()).toThrow(
      expect.objectContaining({ code: 'settings_misshapen' }),
    );
  });
});

describe('uninstall', () => {
  it.each([
    '{}',
    '{"permissions":{}}',
    '{ "permissions": { "allow": [ ] } }\n',
    '{\n\t"permissions": {"deny": ["Read(.env)"], "allow": ["Bash(ls:*)",\n "Bash(holdfast status:*)"]}\r\n}',
  ])('gives back %j', (before) => {
    const project = makeProject({ [SETTINGS]: before });
    const { init, uninstall } = installer(project, 'local');
    init();
    uninstall();
    expect(project.read(SETTINGS)).toBe(before);
  });

  it("keeps the user's own identical rule, and rules that were added since", () => {
    const before = JSON.stringify({ permissions: { allow: ['Bash(holdfast status:*)'] } }, null, 2);
    const project = makeProject({ [SETTINGS]: before });
    const { init, uninstall } = installer(project, 'local');
    init();
    const since = JSON.parse(project.read(SETTINGS));
    since.permissions.allow.push('Bash(npm test:*)');
    project.write(SETTINGS, JSON.stringify(since, null, 2));
    init();
    uninstall();
    expect(JSON.parse(project.read(SETTINGS))).toEqual({
      permissions: { allow: ['Bash(holdfast status:*)', 'Bash(npm test:*)'] },
    });
  });

  it('of one scope leaves the rules of the other', () => {
    const project = makeProject();
    const [local, shared] = [installer(project, 'local'), installer(project, 'project')];
    shared.init();
    local.init();
    const before = project.read('.claude/settings.json');
    local.uninstall();
    expect(project.read('.claude/settings.json')).toBe(before);
    expect(project.exists(SETTINGS)).toBe(false);
    local.init();
    const own = project.read(SETTINGS);
    shared.uninstall();
    expect(project.read(SETTINGS)).toBe(own);
    expect(project.exists('.claude/settings.json')).toBe(false);
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
