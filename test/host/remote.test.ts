import { describe, it } from 'vitest';
import { ONE_VERSION } from './support/client.ts';
import { given, restoredIn } from './support/given.ts';
import {
  doHoldfast,
  holdfast,
  openHost,
  statusFor,
} from './support/holdfast.ts';

describe.each(ONE_VERSION)('a run on two machines, in client %s', (version) => {
  it('a fresh clone continues it, and the former session is told', async (context) => {
    const { expect } = context;
    const laptop = await openHost(version, context, { git: true });
    const hub = laptop.project.beside('hub.git');
    await laptop.project.git('init', '--quiet', '--bare', hub);
    await laptop.project.git('remote', 'add', 'origin', hub);
    await laptop.project.git('push', '--quiet', 'origin', 'main');
    const cloud = await openHost(version, context, { git: true });
    await cloud.project.git('remote', 'add', 'origin', hub);

    const start = doHoldfast(
      'start',
      'Checkout',
      '--phases',
      'Design,Build,Ship',
    );
    const first = await laptop.print(`${start} THEN ${doHoldfast('advance')}`);
    await holdfast(laptop, ['sync', 'on', 'origin']);
    await holdfast(laptop, ['sync']);

    await holdfast(cloud, ['sync', 'on', 'origin']);
    await cloud.print([
      'DO:BASH echo something else',
      '/compact',
      'go on with something else',
    ]);
    expect(restoredIn(cloud.model.turns().at(-1))).toEqual([]);
    const work = [
      doHoldfast('resume', 'checkout'),
      '/compact',
      doHoldfast('advance'),
    ];
    const second = await cloud.print(work);
    expect(restoredIn(cloud.model.turns().at(-1))).toEqual([
      'Checkout, Phase 2/3',
    ]);
    await holdfast(cloud, ['sync']);

    await holdfast(laptop, ['sync']);
    await laptop.print(['what is new?', '/compact', 'and now?'], {
      resume: first.sessionId,
    });
    const [asked, former] = laptop.model.turns().slice(-2);
    expect(given(asked)).toMatch(/on machine \S+ took Checkout/);
    expect(restoredIn(former)).toEqual([]);
    const { run } = await statusFor(laptop, {});
    expect(run).toMatchObject({
      phase: { current: 3, name: 'Ship' },
      sessions: { current_session_id: second.sessionId.slice(0, 8) },
    });
  });
});
