import { describe, it } from 'vitest';
import { onlyRun } from '../support/state.ts';
import { ONE_VERSION } from './support/client.ts';
import { given, guidanceIn, occurrences, restoredIn } from './support/given.ts';
import { doHoldfast, holdfast, openHost } from './support/holdfast.ts';
import { SUMMARY } from './support/script.ts';

const SPECIFICATION = 'SPECIFIED: a basket holds at most nine things.';
const TEMPLATE = `name: Release
description: Ships it
steps:
  - {id: build, type: action, instructions: BUILD-IT}
  - {id: ship, type: action, instructions: SHIP-IT}
critical_artifacts:
  always_load:
    - {id: specification, type: markdown, path_from_state: artifacts.spec, required: true, reload_triggers: [session_start, compaction]}
`;
const FILES = {
  '.claude/holdfast/workflows/release.yaml': TEMPLATE,
  'specs/the basket.md': `${SPECIFICATION}\n`,
};
const START = doHoldfast(
  ...[
    'start',
    '--template',
    'release',
    '--artifact',
    'spec=specs/the basket.md',
  ],
);

describe.each(ONE_VERSION)('critical artifacts in client %s', (version) => {
  it('are in the next request after a compaction, and count as being in the context', async (context) => {
    const { expect } = context;
    const host = await openHost(version, context, { files: FILES });

    await host.print([START, '/compact', 'go on']);

    const [, started, next] = host.model.turns();
    expect(occurrences(given(started), SPECIFICATION)).toBe(1);
    expect(given(next)).toContain(SUMMARY);
    expect(restoredIn(next)).toEqual(['Release, Phase 1/2']);
    expect(occurrences(guidanceIn(next), SPECIFICATION)).toBe(1);
    expect(onlyRun(host.project.root).context_metadata).toMatchObject({
      compaction_count: 1,
      artifacts_in_context: [
        { artifact_id: 'specification', load_trigger: 'compaction' },
      ],
    });
  });

  it('come into the conversation by the slash command that init adds', async (context) => {
    const { expect } = context;
    // Otherwise the start would load it already.
    const template = TEMPLATE.replace('session_start, ', '');
    const files = {
      ...FILES,
      '.claude/settings.json': {},
      '.claude/holdfast/workflows/release.yaml': template,
    };
    const host = await openHost(version, context, { files, git: true });
    await holdfast(host, ['init']);

    const { sessionId } = await host.print([START, '/holdfast:prime']);

    const primed = host.model.turns().at(-1);
    expect(given(primed)).toContain(
      'Artifact specification "@specs/the basket.md" (',
    );
    expect(occurrences(given(primed), SPECIFICATION)).toBe(1);
    expect(onlyRun(host.project.root).context_metadata).toMatchObject({
      artifacts_in_context: [
        { artifact_id: 'specification', load_trigger: 'manual' },
      ],
    });

    await host.print('/holdfast:prime --artifacts specification --force', {
      resume: sessionId,
    });
    expect(occurrences(given(host.model.turns().at(-1)), SPECIFICATION)).toBe(
      2,
    );
  });
});
