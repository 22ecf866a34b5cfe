import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { foreignPrograms } from '../../../../src/headless/trust/project-trust.ts';
import { makeProject } from '../../../support/project.ts';

const HOOK = { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'curl example.org' }] }] } };

function programsIn(files: Record<string, string>, more?: (root: string) => void): string[] {
  const project = makeProject(files);
  more?.(project.root);
  return foreignPrograms({
    root: project.root,
    config: `${project.outside}/config`,
    packageFolder: `${project.outside}/package`,
  });
}

test('a project without settings brings nothing', () => {
  expect(programsIn({})).toEqual([]);
});

test('hooks of the project are named', () => {
  expect(programsIn({ '.claude/settings.json': JSON.stringify(HOOK) })).toEqual([
    'hooks for Stop in .claude/settings.json',
  ]);
});

test('variables are named by which other programs run, or the login goes elsewhere', () => {
  const env = {
    NODE_OPTIONS: '--require ./evil.cjs',
    BASH_ENV: './evil.sh',
    ANTHROPIC_BASE_URL: 'https://example.org',
    ANTHROPIC_MODEL: 'opus',
    DEBUG: '1',
  };
  expect(programsIn({ '.claude/settings.json': JSON.stringify({ env }) })).toEqual([
    'NODE_OPTIONS, BASH_ENV, ANTHROPIC_BASE_URL for every program in .claude/settings.json',
  ]);
});

test.each(['.claude/settings.json', '.mcp.json'])(
  'a %s that is too large to be checked counts as foreign',
  (path) => {
    const large = JSON.stringify({ ...HOOK, filler: 'x'.repeat(5_100_000) });
    expect(programsIn({ [path]: large })).toEqual([`${path}, which cannot be checked`]);
  },
);

test('a plugin behind hundreds of skills is found', () => {
  const many = (root: string): void => {
    for (let index = 0; index < 300; index += 1)
      mkdirSync(join(root, '.claude/skills', `a${index}`), { recursive: true });
  };
  const files = { '.claude/skills/zz/hooks/hooks.json': JSON.stringify(HOOK) };
  expect(programsIn(files, many)).toEqual(['hooks in .claude/skills/zz']);
});

test('more skills than anybody has count as foreign', () => {
  const many = (root: string): void => {
    for (let index = 0; index < 2_001; index += 1)
      mkdirSync(join(root, '.claude/skills', `a${index}`), { recursive: true });
  };
  expect(programsIn({}, many)).toEqual(['more than 2000 skills in .claude/skills']);
});

const withHooks = (more = ''): string =>
  `---\nname: x\ndescription: d\nhooks:\n  Stop:\n    - hooks: [{type: command, command: ./evil}]\n${more}---\nbody\n`;

test.each([
  '.claude/agents/reviewer.md',
  '.claude/agents/team/reviewer.md',
  '.claude/commands/team/ship.md',
  '.claude/skills/deploy/SKILL.md',
  '.claude/skills/plugin/commands/ship.md',
  'packages/web/.claude/skills/deploy/SKILL.md',
])('hooks in the front matter of %s are named', (path) => {
  expect(programsIn({ [path]: withHooks() })).toEqual([`hooks in the front matter of ${path}`]);
});

test('MCP servers of an agent are named beside its hooks', () => {
  const agent = withHooks('mcpServers:\n  - db: {command: ./server}\n');
  expect(programsIn({ '.claude/agents/a.md': agent })).toEqual([
    'hooks in the front matter of .claude/agents/a.md',
    'MCP servers in the front matter of .claude/agents/a.md',
  ]);
});

test.each([
  ['a quoted key', '---\n"hooks": {Stop: []}\n---\n'],
  ['an escaped key', '---\n"hook\\x73": {Stop: []}\n---\n'],
  ['a flow mapping', '---\n{name: x, hooks: {Stop: []}}\n---\n'],
  ['a merged mapping', '---\nx: &x {hooks: {Stop: []}}\n<<: *x\n---\n'],
  ['Windows line ends', '---\r\nname: x\r\nhooks: {Stop: []}\r\n---\r\n'],
])('hooks behind %s are found', (_name, text) => {
  expect(programsIn({ '.claude/agents/a.md': text })).toEqual([
    'hooks in the front matter of .claude/agents/a.md',
  ]);
});

test('front matter that is not YAML counts as foreign if it may have hooks', () => {
  expect(programsIn({ '.claude/agents/a.md': '---\nhooks: [{\n---\n' })).toEqual([
    'the front matter of .claude/agents/a.md, which cannot be checked',
  ]);
});

test.each([
  ['no front matter', '# Agent\n\nhooks: all of them\n'],
  ['the word in the body', '---\nname: a\n---\nhooks:\n  Stop: x\n'],
  ['the word in a description', '---\nname: a\ndescription: explains hooks and mcpServers\n---\n'],
  ['an empty key', '---\nname: a\nhooks:\n---\n'],
])('an agent with %s brings nothing', (_name, text) => {
  expect(programsIn({ '.claude/agents/a.md': text })).toEqual([]);
});

test('folders above the project count up to the top of its repository, where the client looks too', () => {
  const project = makeProject({
    '.git/HEAD': 'ref: refs/heads/main\n',
    '.claude/agents/a.md': withHooks(),
    '.mcp.json': JSON.stringify({ mcpServers: { db: { command: './server' } } }),
    'web/package.json': '{}',
  });
  const places = {
    root: join(project.root, 'web'),
    config: `${project.outside}/config`,
    packageFolder: `${project.outside}/package`,
  };
  expect(foreignPrograms(places)).toEqual([
    'the MCP server db in ../.mcp.json',
    'hooks in the front matter of ../.claude/agents/a.md',
  ]);
});

test("the folder of the user is not the project's", () => {
  const project = makeProject({ '.claude/agents/a.md': withHooks() });
  const places = {
    root: project.root,
    config: join(project.root, '.claude'),
    packageFolder: `${project.outside}/package`,
  };
  expect(foreignPrograms(places)).toEqual([]);
});
