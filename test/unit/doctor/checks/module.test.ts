import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { checkModule } from '../../../../src/doctor/checks/module.ts';
import { moduleFiles } from '../../../../src/install/plan/module-files.ts';
import { writeRecord } from '../../../../src/install/record/record-file.ts';
import { digestOf } from '../../../../src/io/digest.ts';
import { recordModule } from '../../../../src/sessions/loaded-modules.ts';
import type { Finding } from '../../../../src/doctor/types.ts';
import { makeDoctorProject, type DoctorProject } from '../support.ts';

const CODE = 'export function register() {}\n';
const SKILL = '.claude/skills/holdfast';

/** A project whose own holdfast is version 1.2.3 with this module. */
function projectWithPackage(): DoctorProject {
  const project = makeDoctorProject();
  write(join(project.outside, 'package/dist/module/register.js'), CODE);
  return project;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function installModule(
  project: DoctorProject,
  { version = '1.2.3', code = CODE, folder = SKILL } = {},
) {
  const program = ['node', join(project.config, 'holdfast/bin/holdfast.cjs')];
  const files = [...moduleFiles(project.at(folder), { version, code, program })];
  for (const [path, text] of files) write(path, text);
  const module = files.map(([path, text]) => ({ path, written: digestOf(text) }));
  const install = { edited: [], files: [], module, excludes: [], rules: [] };
  writeRecord(project.config, {
    runtime: { version },
    folders: [],
    installs: [{ scope: 'local', root: project.root, ...install }],
  });
}

function findings(project: DoctorProject, client?: string): Finding[] {
  const bin = join(project.outside, 'bin');
  write(join(bin, 'claude'), `#!/bin/sh\necho '${client ?? '2.1.325'} (Claude Code)'\n`);
  chmodSync(join(bin, 'claude'), 0o755);
  const PATH = `${bin}:${process.env['PATH'] ?? ''}`;
  return checkModule.run(project.doctorContext({ environment: { PATH, HOME: project.outside } }));
}

test('says how to get the module where none is installed', () => {
  const [first] = findings(projectWithPackage());
  expect(first).toMatchObject({ level: 'skipped' });
  expect(first?.message).toContain('`holdfast init` or the plugin brings it');
});

test('a module with the bytes of this version is in order', () => {
  const project = projectWithPackage();
  installModule(project);
  expect(findings(project)).toMatchObject([
    { level: 'ok', message: `the module in ${project.at(SKILL)} is this version's` },
    { level: 'skipped', message: 'no session of this project has loaded the module yet' },
  ]);
});

test('an installation without its module is a warning', () => {
  const project = projectWithPackage();
  const install = { edited: [], files: [], module: [], excludes: [], rules: [] };
  writeRecord(project.config, {
    runtime: { version: '1.2.3' },
    folders: [],
    installs: [{ scope: 'user', root: null, ...install }],
  });
  expect(findings(project)[0]).toMatchObject({
    level: 'warning',
    fix: 'holdfast init --scope user',
  });
});

test('a module of an older version, as init wrote it, is to be updated', () => {
  const project = projectWithPackage();
  installModule(project, { version: '1.0.0', code: '// old\n' });
  expect(findings(project)[0]).toMatchObject({
    level: 'warning',
    message: `the module in ${project.at(SKILL)} is that of another version of holdfast`,
    fix: 'holdfast init --scope local',
  });
});

test.each([
  ['its code', `${SKILL}/hooks/register.js`, '// changed\n'],
  ['the list of modules', `${SKILL}/hooks/hooks.json`, '{"modules": ["../other.js"], "hooks": {}}'],
  ['the program that it starts', `${SKILL}/program.json`, '["sh", "-c", "evil"]'],
])('a change to %s is reported', (_what, path, text) => {
  const project = projectWithPackage();
  installModule(project);
  project.write(path, text);
  expect(findings(project)[0]).toMatchObject({
    level: 'warning',
    message: `the module in ${project.at(SKILL)} was changed after init wrote it: its bytes are not this version's`,
    evidence: [project.at(path), 'Claude Code runs it in this project, with your rights'],
    fix: `look at what was changed, then rm -r ${project.at(SKILL)} && holdfast init --scope local`,
  });
});

test('a file of it that is gone is said to be missing', () => {
  const project = projectWithPackage();
  installModule(project);
  rmSync(project.at(`${SKILL}/program.json`));
  expect(findings(project)[0]?.message).toContain('was changed after init wrote it');
  expect(findings(project)[0]?.evidence).toContain(`${project.at(SKILL)}/program.json (missing)`);
});

test('a module that a repository brings under the name of holdfast is reported, in whatever folder', () => {
  const project = projectWithPackage();
  installModule(project);
  project.write('.claude/skills/tools/.claude-plugin/plugin.json', '{"name": "holdfast"}');
  project.write('.claude/skills/tools/hooks/hooks.json', '{"modules": ["./x.js"]}');
  project.write('.claude/skills/others/.claude-plugin/plugin.json', '{"name": "others"}');
  project.write('.claude/skills/others/hooks/hooks.json', '{"modules": ["./x.js"]}');
  const warnings = findings(project).filter(({ level }) => level === 'warning');
  expect(warnings).toHaveLength(1);
  expect(warnings[0]?.message).toContain(
    `${project.at('.claude/skills/tools')} has a module under the name of holdfast that init did not write`,
  );
  expect(warnings[0]?.evidence).toEqual([
    project.at('.claude/skills/tools/.claude-plugin/plugin.json'),
    project.at('.claude/skills/tools/hooks/hooks.json'),
    'Claude Code runs it in this project, with your rights',
  ]);
});

test('a module with hundreds of files is not listed whole', () => {
  const project = projectWithPackage();
  project.write(`${SKILL}/hooks/hooks.json`, '{"modules": ["./x.js"]}');
  for (let index = 0; index < 200; index += 1) project.write(`${SKILL}/hooks/${index}.js`, '');
  const { evidence = [] } = findings(project)[0] ?? {};
  expect(evidence).toHaveLength(12);
  expect(evidence).toContain('and 191 more');
});

test('a client that loads no modules is told about', () => {
  const project = projectWithPackage();
  installModule(project);
  expect(findings(project, '2.1.285')).toContainEqual(
    expect.objectContaining({ level: 'note', evidence: ['modules need 2.1.286 or newer'] }),
  );
});

test('says when a session last loaded it, and in which version', () => {
  const project = projectWithPackage();
  installModule(project);
  const { config, root } = project;
  const now = new Date(Date.now() - 7_200_000);
  recordModule({ config, now }, 's1', { version: '1.2.3', project: root });
  recordModule({ config, now }, 's2', { version: '9.9.9', project: '/elsewhere' });
  expect(findings(project).at(-1)).toMatchObject({
    level: 'ok',
    message: 'module last seen 2 hours ago (version 1.2.3)',
  });
  recordModule({ config, now: new Date() }, 's3', { version: '1.0.0', project: root });
  expect(findings(project).at(-1)).toMatchObject({ level: 'note', fix: 'restart Claude Code' });
});
