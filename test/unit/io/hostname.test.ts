import * as os from 'node:os';
import { expect, test } from 'vitest';
import { hostname } from '../../../src/io/hostname.ts';

test('is the name that the system gives the machine', () => {
  expect(hostname()).toBe(os.hostname());
});
