import { expect, test } from 'vitest';
import { sandbox, type Sandbox } from '../support/cli.ts';
import { preCompact, sessionStart } from '../support/hooks.ts';

/** Session s1 was restored: it has the small file and still has to read the large one. */
function restored(): Sandbox {
  const box = sandbox({ 'docs/s.md': 'small\n', 'docs/b.md': 'line\n'.repeat(600) });
  box.run(['start', 'U', '--phases', 'a,b', '--read', 'docs/s.md', '--read', 'docs/b.md'], {
    session: 's1',
  });
  preCompact(box, 's1');
  sessionStart(box, 's1', 'compact');
  return box;
}

const small = (state: string): object => ({
  reading: [{ path: '@docs/s.md', state }, { path: '@docs/b.md' }],
});

test('what one session has read is not in the context of another', () => {
  const { json, run } = restored();
  expect(json(['status'], { session: 's1' })).toMatchObject(small('in_context'));
  expect(json(['status'])).toMatchObject(small('in_context'));
  expect(json(['status'], { session: 's2' })).toMatchObject(small('unread'));
  expect(run(['status'], { session: 's2' }).stdout).not.toContain('in context');
});
