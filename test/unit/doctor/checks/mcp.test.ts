import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkMcp } from '../../../../src/doctor/checks/mcp.ts';
import { portableServer } from '../../../../src/install/plan/server-entry.ts';
import { makePatient, type Patient } from '../support.ts';

const ANSWERS = `process.stdin.resume().on('data', (line) => {
  const { id } = JSON.parse(line);
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { serverInfo: { name: 'holdfast', version: '9' } } }));
});`;

/** A server in the user's copy; the bundle itself is built later than these tests run. */
function copy({ configure }: Patient, name: string, code: string): string {
  return configure(`holdfast/${name}`, code);
}

function register({ examined }: Patient, server: object): void {
  writeFileSync(examined().hostFile, JSON.stringify({ mcpServers: { holdfast: server } }));
}

it('tells how to register a server where there is none', () => {
  const [finding] = checkMcp.run(makePatient().examined());
  expect(finding).toMatchObject({ level: 'skipped' });
  expect(finding?.message).toContain('`holdfast init --mcp`');
});

it('starts the server as it is registered, and says who answers', () => {
  const patient = makePatient();
  const file = copy(patient, 'bin/holdfast.cjs', ANSWERS);
  register(patient, { command: process.execPath, args: [file, 'mcp'] });
  expect(checkMcp.run(patient.examined())).toMatchObject([
    { level: 'ok', message: 'the MCP server answers as registered: holdfast 9' },
  ]);
});

it('starts the one of a project from where it would be found', () => {
  const patient = makePatient();
  copy(patient, 'dist/mcp.cjs', ANSWERS);
  patient.write('.mcp.json', JSON.stringify({ mcpServers: { holdfast: portableServer() } }));
  expect(checkMcp.run(patient.examined())).toMatchObject([{ level: 'ok' }]);
});

it('calls a server broken that is not there or says something else, and how to mend it', () => {
  const patient = makePatient();
  const file = copy(patient, 'bin/holdfast.cjs', 'console.log("hello")');
  register(patient, { command: process.execPath, args: [file, 'mcp'] });
  expect(checkMcp.run(patient.examined())).toMatchObject([
    { level: 'broken', fix: 'holdfast init --scope user --mcp' },
  ]);
  register(patient, {
    command: process.execPath,
    args: [join(file, '../gone/holdfast.cjs'), 'mcp'],
  });
  expect(checkMcp.run(patient.examined())).toMatchObject([{ level: 'broken' }]);
  patient.write('.mcp.json', JSON.stringify({ mcpServers: { holdfast: portableServer() } }));
  expect(checkMcp.run(patient.examined())).toMatchObject([
    { level: 'broken', message: expect.stringContaining('holdfast is not installed') },
    { level: 'broken' },
  ]);
});

it('starts no code that came with the project', () => {
  const patient = makePatient();
  const file = patient.at('node_modules/holdfast/dist/mcp.cjs');
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, `require('fs').writeFileSync(${JSON.stringify(patient.at('ran'))}, '')`);
  for (const server of [
    portableServer(),
    { command: process.execPath, args: [file] },
    { command: 'sh', args: ['-c', `touch ${patient.at('ran')}`] },
  ]) {
    patient.write('.mcp.json', JSON.stringify({ mcpServers: { holdfast: server } }));
    expect(checkMcp.run(patient.examined())).toMatchObject([{ level: 'skipped' }]);
  }
  expect(patient.exists('ran')).toBe(false);
});

it('tells of a file that the host cannot read', () => {
  const patient = makePatient();
  patient.write('.mcp.json', '{\n  "mcpServers": {},\n}');
  expect(checkMcp.run(patient.examined())).toMatchObject([
    { level: 'warning', message: expect.stringContaining('.mcp.json:2') },
  ]);
});
