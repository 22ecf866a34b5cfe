import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderRestoration } from '../../../src/guidance/restore/render-restoration.ts';
import { DEFAULTS } from '../../../src/settings/settings.ts';
import type { SourceFile } from '../../../src/sources/types.ts';
import type { Run } from '../../../src/state/types.ts';
import { anyText } from '../../support/arbitraries.ts';
import { hostTagIn } from '../../support/guidance-text.ts';
import { makeProject } from '../../support/project.ts';
import {
  aPhase,
  aRun,
  aSaid,
  HERE,
  localFile,
  NOW,
} from '../../support/runs.ts';

/** A run with this text in every place where somebody else's may stand. */
const runOf = (text: string): Run =>
  aRun(
    {
      workflow: `W${text}`,
      workflow_type: `T${text}`,
      phase: aPhase({ name: `P${text}` }),
      key_reminders: [`r${text}`],
      required_reading: [`@p${text}`],
    },
    { runId: 'r' },
  );

const stale = (text: string): SourceFile => ({
  ...localFile(aSaid({ workflow: `W${text}`, phase: { name: text } })),
  path: `s${text}`,
});

test('no text forges a line in the notices, or opens a tag of the host', () => {
  const { root } = makeProject();
  const context = {
    root,
    config: '/nowhere',
    launchFolder: root,
    settings: DEFAULTS,
    source: 'resume',
  } as const;
  const nobody = { runs: [], session: null, isAttended: true };
  const noticesOf = (text: string): string[] =>
    (['short', 'frame'] as const).map((kind) => {
      const restoration = {
        kind,
        run: runOf(text),
        reason: { rule: 'held' },
      } as const;
      const told = {
        ...context,
        ...nobody,
        sources: [stale(text)],
        now: NOW,
        hostname: HERE,
      };
      return renderRestoration(restoration, told).text ?? '';
    });
  const plain = noticesOf('harmless').map(
    (notice) => notice.split('\n').length,
  );
  const text = anyText().map((piece) =>
    piece.repeat(Math.ceil(2_000 / (piece.length + 1))),
  );
  fc.assert(
    fc.property(fc.oneof(anyText(), text), (hostile) => {
      const notices = noticesOf(hostile);
      expect(notices.map(hostTagIn)).toEqual([null, null]);
      // A phase without a name is that of the local file.
      const lines = notices.map((notice) => notice.split('\n').length);
      expect(lines.every((count, index) => count <= (plain[index] ?? 0))).toBe(
        true,
      );
    }),
  );
});
