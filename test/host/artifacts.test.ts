import { describe, it } from 'vitest';
import { onlyRun } from '../support/state.ts';
import { CLIENT_VERSIONS } from './support/client.ts';
import { given, occurrences } from './support/given.ts';
import { doHoldfast, holdfast, openHost } from './support/holdfast.ts';

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
  ...['start', '--template', 'release', '--artifact', 'spec=specs/the basket.md'],
);

describe.each(CLIENT_VERSIONS)('critical artifacts in client %s', (version) => {
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

    const { sessionId } = await host.print(START);
    await host.print('/holdfast:prime', { resume: sessionId });

    const primed = host.model.turns().at(-1);
    expect(given(primed)).toContain('Artifact specification @specs/the basket.md (');
    expect(occurrences(given(primed), SPECIFICATION)).toBe(1);
    expect(onlyRun(host.project.root).context_metadata).toMatchObject({
      artifacts_in_context: [{ artifact_id: 'specification', load_trigger: 'manual' }],
    });

    await host.print('/holdfast:prime --artifacts specification --force', { resume: sessionId });
    expect(occurrences(given(host.model.turns().at(-1)), SPECIFICATION)).toBe(2);
  });
});
