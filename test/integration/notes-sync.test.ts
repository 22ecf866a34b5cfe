import { describe, expect, it } from 'vitest';
import { exchange, ok, prepareHub } from '../support/clones.ts';
import { onlyRun } from '../support/state.ts';

const TOKEN = ['ghp', 'abcdefghijklmnopqrstuvwxyz0123456789'].join('_');

/** Two clones that have the same run, with sync on. */
const pair = prepareHub((hub) => {
  const [a, b] = [hub.clone('a'), hub.clone('b')];
  ok(a.run(['start', 'Shop', '--phases', 'Design,Build,Ship']));
  ok(a.run(['note', 'FIRST']));
  ok(a.run(['sync', 'on', 'origin']));
  ok(a.run(['sync']));
  ok(b.run(['sync', 'on', 'origin']));
  return { a, b };
});

describe('sync of notes', () => {
  it('gives the later of two equal numbers the next free one, and tells of no conflict', () => {
    const { a, b } = pair();
    ok(b.run(['note', 'FROM-B'], { now: '2031-01-01T10:00:00Z' }));
    ok(a.run(['note', 'FROM-A'], { now: '2031-01-01T09:00:00Z' }));
    exchange(b, a);
    for (const { root } of [a, b])
      expect(onlyRun(root)).toMatchObject({
        notes: [
          { n: 1, text: 'FIRST' },
          { n: 2, text: 'FROM-A' },
          { n: 3, text: 'FROM-B' },
        ],
        last_note: 3,
      });
    expect(ok(b.run(['status']))).not.toContain('changed on');
    ok(b.run(['note', 'NEXT']));
    exchange(b, a);
    expect(onlyRun(a.root).notes?.at(-1)).toMatchObject({ n: 4, text: 'NEXT' });
  });

  it('forgets a note everywhere, also one that got another number meanwhile', () => {
    const { a, b } = pair();
    ok(b.run(['note', 'FROM-B'], { now: '2031-01-01T10:00:00Z' }));
    ok(b.run(['sync']));
    ok(a.run(['note', 'FROM-A'], { now: '2031-01-01T09:00:00Z' }));
    ok(a.run(['sync']));
    // Here it still has the number that it has got.
    ok(b.run(['note', '--forget', '2']));
    exchange(b, a);
    for (const { root } of [a, b])
      expect(onlyRun(root).notes).toMatchObject([
        { text: 'FIRST' },
        { n: 2, text: 'FROM-A' },
      ]);
  });

  it('sends no text of a note that was replaced or forgotten, though the journal here has it', () => {
    const { a, b } = pair();
    // Nothing about it looks like a secret.
    ok(a.run(['note', 'the door opens with blue elephant']));
    ok(a.run(['note', 'the door opens with green elephant', '--replace', '2']));
    ok(a.run(['note', '--forget', '3']));
    ok(a.run(['note', 'STAYS']));
    exchange(a, b);
    expect(b.everythingSent()).not.toContain('elephant');
    expect(a.run(['history']).stdout).toContain(
      'forgot note 3: "the door opens with green',
    );
    const { stdout } = b.run(['history']);
    expect(stdout).toMatch(/recorded note 3 in place of 2 on machine/);
    expect(stdout).toMatch(/forgot note 3 on machine/);
    expect(b.run(['note', '--list']).stdout).toContain('[4] STAYS');
    expect(ok(a.run(['sync']))).toContain('everything was in step');
  });

  it('goes on once a note with a secret is forgotten, and no object ever has it', () => {
    const { a } = pair();
    ok(a.run(['note', `deploy with ${TOKEN}`]));
    ok(a.run(['note', 'HARMLESS']));
    const refused = ok(a.run(['sync']));
    expect(refused).toContain('notes[1].text of shop-');
    expect(refused).not.toContain(TOKEN);
    const way =
      /`holdfast (note --forget 2 --run \S+)`/.exec(refused)?.[1] ?? '';
    ok(a.run(way.split(' ')));
    expect(ok(a.run(['sync']))).toContain('1 sent');
    expect(a.git('cat-file', '--batch-all-objects', '--batch')).not.toContain(
      TOKEN,
    );
  });
});
