import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { loadSettings } from '../../../src/settings/settings.ts';
import { listTemplates } from '../../../src/templates/find-template.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

test('this repository is developed with valid settings and templates', () => {
  expect(loadSettings(root).problems).toEqual([]);
  const own = listTemplates(root).filter(({ origin }) => origin === 'project');
  expect(own.map(({ id, reading }) => [id, reading.kind])).toEqual([['change', 'template']]);
});
