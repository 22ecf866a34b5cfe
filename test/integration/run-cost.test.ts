import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { drivenProject } from '../support/driven.ts';
import { named, START, stopOf, TWO_STEPS } from '../support/driven-templates.ts';

/** The second turn is the answer to being asked once more, in a client that resumes the conversation. */
function driveResumed(...settings: string[]) {
  const box = drivenProject(TWO_STEPS);
  for (const name of settings) writeFileSync(join(box.fake, name), '');
  box.script([[]]);
  const result = box.drive([...START, '--json']);
  expect(result.code).toBe(0);
  expect(named(box, result, 'session').map((session) => session['kind'])).toContain('resumed');
  return Object(stopOf(box, result)?.['usage']);
}

it.each([
  ['begins anew', []],
  ['goes on', ['goes-on-counting']],
])('each turn is counted once if the client %s counting after a resume', (_how, settings) => {
  const { turns, cost_usd: cost } = driveResumed(...settings);
  expect(turns).toBe(3);
  expect(cost).toBeCloseTo(0.03);
});

it('is unknown if the client does not say what the conversation has cost before', () => {
  expect(driveResumed('goes-on-counting', 'says-no-cost')).toMatchObject({ cost_usd: null });
});
