import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  policyFilesIn,
  policyFolderOf,
  unseenPoliciesOf,
} from '../../../../src/doctor/host/policy-files.ts';
import { makeDoctorProject } from '../support.ts';

test('a policy is one file, and those beside it that add to it, in their order', () => {
  const { outside } = makeDoctorProject();
  const [file = ''] = policyFilesIn(outside);
  expect(policyFilesIn(outside)).toEqual([join(outside, 'managed-settings.json')]);
  const added = join(outside, 'managed-settings.d');
  mkdirSync(added);
  for (const name of ['20-b.json', '10-a.json', '.hidden.json', 'README.md'])
    writeFileSync(join(added, name), '{}');
  expect(policyFilesIn(outside)).toEqual([
    file,
    join(added, '10-a.json'),
    join(added, '20-b.json'),
  ]);
});

test('each system has its own place for it', () => {
  expect(policyFilesIn(policyFolderOf('win32'))[0]).toBe(
    'C:\\Program Files\\ClaudeCode\\managed-settings.json',
  );
  expect(policyFolderOf('darwin')).toBe('/Library/Application Support/ClaudeCode');
  expect(policyFolderOf('linux')).toBe('/etc/claude-code');
});

test('policies that no file holds are named as not looked at', () => {
  const { config, configure } = makeDoctorProject();
  expect(unseenPoliciesOf('linux', config)).toEqual([]);
  expect(unseenPoliciesOf('darwin', config)).toHaveLength(1);
  expect(unseenPoliciesOf('win32', config)).toHaveLength(1);
  configure('remote-settings.json', {});
  expect(unseenPoliciesOf('linux', config)).toEqual([
    'settings that Claude Code received from a server',
  ]);
});
