import { expect, it } from 'vitest';
import { checkStatusLine } from '../../../../src/doctor/checks/statusline.ts';
import {
  portableProgram,
  programOf,
  statusLineCommand,
} from '../../../../src/install/plan/status-line.ts';
import { COMMITTED, LOCAL, makeDoctorProject } from '../support.ts';

function lineOf(command: string): object {
  return { statusLine: { type: 'command', command } };
}

it('explains how to register a status line if there is none', () => {
  const project = makeDoctorProject({ [COMMITTED]: lineOf('mine') });
  expect(checkStatusLine.run(project.doctorContext())).toMatchObject([
    { level: 'skipped', message: expect.stringContaining('`holdfast init --statusline`') },
  ]);
});

it('starts the program as registered, and names the command that runs first', () => {
  const project = makeDoctorProject();
  const file = project.configure('holdfast/bin/holdfast.cjs', 'process.exit(0)');
  const chained = { command: 'mine', isInherited: false };
  const command = statusLineCommand(programOf(process.execPath, file), chained);
  project.write(LOCAL, JSON.stringify(lineOf(command)));
  expect(checkStatusLine.run(project.doctorContext())).toMatchObject([
    { level: 'ok', evidence: [LOCAL, 'runs first: mine'] },
  ]);
});

it('warns about a program that is gone', () => {
  const project = makeDoctorProject();
  const command = statusLineCommand(
    programOf('node', `${project.config}/holdfast/bin/holdfast.cjs`),
    null,
  );
  project.write(LOCAL, JSON.stringify(lineOf(command)));
  expect(checkStatusLine.run(project.doctorContext())).toMatchObject([
    { level: 'warning', fix: 'holdfast init --scope local --statusline' },
  ]);
});

it('warns about another status line that hides it', () => {
  const project = makeDoctorProject({ [LOCAL]: lineOf('mine') });
  project.write(COMMITTED, JSON.stringify(lineOf(statusLineCommand(portableProgram(), null))));
  expect(checkStatusLine.run(project.doctorContext())).toMatchObject([
    { level: 'warning', message: `${LOCAL} has a status line that hides the one of holdfast` },
  ]);
});

it.each([
  ['was changed', { command: 'old', isInherited: true }],
  ['was added', null],
])('warns if the line that the local one hides %s since', (_what, chained) => {
  const project = makeDoctorProject({ [COMMITTED]: lineOf('mine') });
  const line = (first: Parameters<typeof statusLineCommand>[1]): void =>
    project.write(LOCAL, JSON.stringify(lineOf(statusLineCommand(portableProgram(), first))));
  line(chained);
  expect(checkStatusLine.run(project.doctorContext())).toMatchObject([
    {
      level: 'warning',
      message: `${LOCAL} hides the status line of ${COMMITTED} as it is now`,
      fix: 'holdfast init --statusline',
    },
  ]);
  line({ command: 'mine', isInherited: true });
  expect(checkStatusLine.run(project.doctorContext())).toMatchObject([{ level: 'ok' }]);
});

it("warns if the team's line hides the user's own; what init --statusline adds runs both", () => {
  const project = makeDoctorProject();
  const user = project.configure('settings.json', lineOf('mine'));
  const line = (file: string, first: Parameters<typeof statusLineCommand>[1]): void =>
    project.write(file, JSON.stringify(lineOf(statusLineCommand(portableProgram(), first))));
  line(COMMITTED, null);
  expect(checkStatusLine.run(project.doctorContext())).toMatchObject([
    {
      level: 'warning',
      message: `${COMMITTED} hides the status line of ${user}`,
      fix: 'holdfast init --statusline',
    },
  ]);
  line(LOCAL, { command: 'mine', isInherited: true });
  expect(checkStatusLine.run(project.doctorContext())).toMatchObject([{ level: 'ok' }]);
});

it("is content with a team's own line, which hides the user's with or without holdfast", () => {
  const project = makeDoctorProject();
  project.configure('settings.json', lineOf('mine'));
  const chained = { command: 'ours', isInherited: false };
  project.write(COMMITTED, JSON.stringify(lineOf(statusLineCommand(portableProgram(), chained))));
  expect(checkStatusLine.run(project.doctorContext())).toMatchObject([{ level: 'ok' }]);
});
