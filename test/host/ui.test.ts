import { join } from 'node:path';
import { describe, it } from 'vitest';
import { runPage } from '../../src/ui/views.ts';
import { onlyRun } from '../support/state.ts';
import { CLIENT_VERSIONS } from './support/client.ts';
import { given } from './support/given.ts';
import { doHoldfast, openHost } from './support/holdfast.ts';

const START = doHoldfast(
  'start',
  'Checkout',
  '--phases',
  'Design,Build',
  '--read',
  'docs/RULES.md',
);

describe.each(CLIENT_VERSIONS)('the page, after a compaction by client %s', (version) => {
  it('shows how much the model was given', async (context) => {
    const { expect } = context;
    const host = await openHost(version, context);
    const { sessionId } = await host.print(START);
    await host.print('/compact', { resume: sessionId });
    await host.print('go on', { resume: sessionId });

    const project = {
      key: 'runs',
      acts: false,
      root: host.project.root,
      config: join(host.home.path, '.claude'),
      environment: {},
    };
    const id = onlyRun(host.project.root).run_id ?? '';
    const page = runPage(project, id, new Date());
    const entry = page?.timeline.find(({ title }) => title === 'Restored after compact');
    const facts = Object.fromEntries(entry?.facts ?? []);
    const { length } = given(host.model.turns().at(-1));
    expect(facts).toMatchObject({ given: 'full', characters: expect.any(Number) });
    expect(length).toBeGreaterThanOrEqual(Number(facts['characters']));
  });
});
