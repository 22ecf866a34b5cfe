import { describe, it } from 'vitest';
import { onlyRun } from '../support/state.ts';
import { CLIENT_VERSIONS } from './support/client.ts';
import { given, occurrences, restoredIn } from './support/given.ts';
import {
  doHoldfast,
  guidanceFor,
  holdfastSettings,
  openHost,
  RULES,
} from './support/holdfast.ts';
import { lastPrompt } from './support/request.ts';
import { obeyAndFillUp, SMALL_WINDOW, SUMMARY } from './support/script.ts';

const START = doHoldfast(
  'start',
  'Checkout',
  '--phases',
  'Design,Build,Ship',
  '--read',
  'docs/RULES.md',
);
const LOCAL_FILE = `# Workflow State

Workflow: Catalogue
Phase: 2/4 - Mapping
`;

describe.each(CLIENT_VERSIONS)('compaction by client %s', (version) => {
  it('on command tells the summariser what to keep and gives the whole guidance', async (context) => {
    const { expect } = context;
    const host = await openHost(version, context);

    const { sessionId } = await host.print([
      START,
      '/compact KEEP-THIS',
      'go on',
    ]);

    const [summariser] = host.model.summaries();
    expect(given(summariser)).toMatch(
      /KEEP-THIS\s+A workflow is in progress\. Keep the following/,
    );
    expect(given(summariser)).toContain('Phase: 1/3 - Design (in_progress)');
    const next = host.model.turns().at(-1);
    const guidance = await guidanceFor(host, { session: sessionId });
    expect(guidance).toMatch(
      /^WORKFLOW RESTORED AFTER COMPACTION\n[^]*\nACTION REQUIRED\n/,
    );
    expect(guidance).toContain(RULES.trim());
    expect(given(next)).toContain(SUMMARY);
    expect(occurrences(given(next), guidance)).toBe(1);
    expect(restoredIn(next)).toEqual(['Checkout, Phase 1/3']);
    expect(onlyRun(host.project.root).context_metadata).toMatchObject({
      compaction_count: 1,
      artifacts_in_context: [
        { artifact_id: '@docs/RULES.md', load_trigger: 'compaction' },
      ],
    });
  });

  it('by itself restores what CLAUDE.local.md declares, and then what the state says', async (context) => {
    const { expect } = context;
    const files = { 'CLAUDE.local.md': LOCAL_FILE };
    const host = await openHost(version, context, {
      files,
      answer: obeyAndFillUp,
      env: SMALL_WINDOW,
    });

    const move = doHoldfast('advance');
    const { sessionId } = await host.print(['one', 'two', move, 'four']);
    const declared = host.model
      .turns()
      .find((turn) => lastPrompt(turn).text.includes(move));
    const advanced = host.model.turns().at(-1);

    expect(host.model.summaries().length).toBeGreaterThanOrEqual(2);
    expect(given(host.model.summaries().at(-2))).toContain(
      'Phase: 2/4 - Mapping (in_progress)',
    );
    expect(given(host.model.summaries().at(-1))).toContain(
      'Phase: 3/4 (in_progress)',
    );
    expect(restoredIn(declared)).toEqual(['Catalogue, Phase 2/4']);
    expect(restoredIn(advanced)).toEqual(['Catalogue, Phase 3/4']);
    const guidance = await guidanceFor(host, { session: sessionId });
    expect(guidance).toContain(
      'This replaces the Phase line of CLAUDE.local.md',
    );
    expect(occurrences(given(advanced), guidance)).toBe(1);
  });

  it('gives the guidance with the next prompt, once, where SessionStart never came', async (context) => {
    const { expect } = context;
    const settings = holdfastSettings({ without: ['SessionStart'] });
    const host = await openHost(version, context, {
      files: { '.claude/settings.json': settings },
    });

    const { sessionId } = await host.print([START, '/compact']);
    const guidance = await guidanceFor(host, { session: sessionId });
    await host.print(['go on', 'and on'], { resume: sessionId });
    const [next, later] = host.model.turns().slice(-2);

    expect(occurrences(given(next), guidance)).toBe(1);
    // Still there, as a part of the conversation, and not a second time.
    expect(restoredIn(later)).toEqual(['Checkout, Phase 1/3']);
    expect(onlyRun(host.project.root).context_metadata?.compaction_count).toBe(
      1,
    );
  });

  it('is answered once where the hooks are wired twice', async (context) => {
    const { expect } = context;
    const local = holdfastSettings({ byCommand: true });
    const host = await openHost(version, context, {
      files: { '.claude/settings.local.json': local },
    });

    await host.print([START, '/compact', 'go on']);

    const asked = 'Keep the following verbatim in the summary';
    expect(occurrences(given(host.model.summaries()[0]), asked)).toBe(1);
    expect(restoredIn(host.model.turns().at(-1))).toEqual([
      'Checkout, Phase 1/3',
    ]);
    expect(onlyRun(host.project.root).context_metadata?.compaction_count).toBe(
      1,
    );
  });
});
