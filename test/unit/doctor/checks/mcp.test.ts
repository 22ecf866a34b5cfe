import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkMcp } from '../../../../src/doctor/checks/mcp.ts';
import { portableServer } from '../../../../src/install/plan/server-entry.ts';
import { makeDoctorProject, type DoctorProject } from '../support.ts';

const ANSWERS = `process.stdin.resume().on('data', (line) => {
  const { id } = JSON.parse(line);
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { serverInfo: { name: 'holdfast', version: '9' } } }));
});`;

/** A server in the user's copy; the bundle itself is built later than these tests run. */
function copy({ configure }: DoctorProject, name: string, code: string): string {
  return configure(`holdfast/${name}`, code);
}

function register({ doctorContext }: DoctorProject, server: object): void {
  writeFileSync(doctorContext().hostFile, JSON.stringify({ mcpServers: { holdfast: server } }));
}

it('explains how to register a server if there is none', () => {
  const [finding] = checkMcp.run(makeDoctorProject().doctorContext());
  expect(finding).toMatchObject({ level: 'skipped' });
  expect(finding?.message).toContain('`holdfast init --mcp`');
});

it('starts the server as registered and reports its name and version', () => {
  const doctorProject = makeDoctorProject();
  const file = copy(doctorProject, 'bin/holdfast.cjs', ANSWERS);
  register(doctorProject, { command: process.execPath, args: [file, 'mcp'] });
  expect(checkMcp.run(doctorProject.doctorContext())).toMatchObject([
    { level: 'ok', message: 'the MCP server answers as registered: holdfast 9' },
  ]);
});

it('starts a project server from the project root', () => {
  const doctorProject = makeDoctorProject();
  copy(doctorProject, 'dist/mcp.cjs', ANSWERS);
  doctorProject.write('.mcp.json', JSON.stringify({ mcpServers: { holdfast: portableServer() } }));
  expect(checkMcp.run(doctorProject.doctorContext())).toMatchObject([{ level: 'ok' }]);
});

it('reports a missing or different server as broken, with a fix', () => {
  const doctorProject = makeDoctorProject();
  const file = copy(doctorProject, 'bin/holdfast.cjs', 'console.log("hello")');
  register(doctorProject, { command: process.execPath, args: [file, 'mcp'] });
  expect(checkMcp.run(doctorProject.doctorContext())).toMatchObject([
    { level: 'broken', fix: 'holdfast init --scope user --mcp' },
  ]);
  register(doctorProject, {
    command: process.execPath,
    args: [join(file, '../gone/holdfast.cjs'), 'mcp'],
  });
  expect(checkMcp.run(doctorProject.doctorContext())).toMatchObject([{ level: 'broken' }]);
  doctorProject.write('.mcp.json', JSON.stringify({ mcpServers: { holdfast: portableServer() } }));
  expect(checkMcp.run(doctorProject.doctorContext())).toMatchObject([
    { level: 'broken', message: expect.stringContaining('holdfast is not installed') },
    { level: 'broken' },
  ]);
});

it('never runs code that came with the project', () => {
  const doctorProject = makeDoctorProject();
  const file = doctorProject.at('node_modules/holdfast/dist/mcp.cjs');
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(
    file,
    `require('fs').writeFileSync(${JSON.stringify(doctorProject.at('ran'))}, '')`,
  );
  for (const server of [
    portableServer(),
    { command: process.execPath, args: [file] },
    { command: 'sh', args: ['-c', `touch ${doctorProject.at('ran')}`] },
  ]) {
    doctorProject.write('.mcp.json', JSON.stringify({ mcpServers: { holdfast: server } }));
    expect(checkMcp.run(doctorProject.doctorContext())).toMatchObject([{ level: 'skipped' }]);
  }
  expect(doctorProject.exists('ran')).toBe(false);
});

it('reports a file that the host cannot read', () => {
  const doctorProject = makeDoctorProject();
  doctorProject.write('.mcp.json', '{\n  "mcpServers": {},\n}');
  expect(checkMcp.run(doctorProject.doctorContext())).toMatchObject([
    { level: 'warning', message: expect.stringContaining('.mcp.json:2') },
  ]);
});
