import { afterAll, beforeAll, describe, it } from 'vitest';
import { archived, onlyRun, stateFiles } from '../support/state.ts';
import { CLIENT_VERSIONS, ONE_VERSION } from './support/client.ts';
import { given } from './support/given.ts';
import { holdfast, openHost } from './support/holdfast.ts';
import { fromPackage, type Package, unpackPackage } from './support/package.ts';
import { isTurn, lastPrompt, type ModelRequest } from './support/request.ts';
import { obey } from './support/script.ts';

let unpacked: Package;
beforeAll(async () => {
  unpacked = await unpackPackage();
});
afterAll(() => unpacked.remove());

const TEMPLATE = `name: Two answers
description: d
steps:
  - {id: plan, type: action, instructions: PLAN-IT}
  - {id: agree, type: approval, instructions: LOOK-AT-THE-PLAN}
  - {id: build, type: action, instructions: BUILD-IT}
  - {id: accept, type: approval, on_reject: build}
`;
/** What no screen of a new user should show. */
const NOISE =
  /⚠|hook error|process\.argv|require\(|not found|SyntaxError|undefined|\[object/i;

/** An agent that looks when it is told to: by the module's prompt, by a recorded answer, or when it is woken. */
function asTold(request: ModelRequest) {
  const { text, toolCalls } = lastPrompt(request);
  const isTold =
    text.includes('holdfast status') ||
    given(request).slice(-4_000).includes('holdfast status');
  return isTurn(request) && !text.includes('DO:') && isTold && toolCalls === 0
    ? {
        tools: [
          {
            name: 'Bash',
            input: { command: 'holdfast status', description: 'look' },
          },
        ],
      }
    : obey(request);
}

/** What the plugin does in the older client is tested in module.test.ts. */
const WAYS = { init: CLIENT_VERSIONS, plugin: ONE_VERSION };

describe.each(Object.entries(WAYS))(
  'the first hours with %s',
  (way, versions) => {
    for (const version of versions)
      it(`in client ${version}: answers typed and given elsewhere, every screen`, async (context) => {
        const { expect } = context;
        const host = await openHost(version, context, {
          answer: asTold,
          git: true,
          files: {
            '.claude/settings.json': {},
            '.claude/holdfast/workflows/two.yaml': TEMPLATE,
          },
        });
        const { root } = host.project;
        // Where none runs, nothing proves that a person has typed an answer.
        const hasModule = version !== '2.1.197';
        if (way === 'init')
          await fromPackage(unpacked, host, ['init', '--statusline']);
        const terminal = await host.terminal(
          way === 'init' ? [] : ['--plugin-dir', unpacked.folder],
        );
        const at = (id: string) => () => onlyRun(root).machine?.['step'] === id;
        const see = async (what: string, text: string): Promise<void> => {
          const screen = await terminal.until(what, async () => {
            const shown = await terminal.screen();
            return shown.includes(text) ? shown : undefined;
          });
          expect(screen).not.toMatch(NOISE);
          if (hasModule)
            expect(screen).not.toContain('Keep the following verbatim');
        };

        /** To the end of the turn: a prompt that is typed before it joins the turn. */
        const act = async (line: string, how = 'BASH'): Promise<void> => {
          const before = host.model.turns().length;
          await terminal.say(`DO:${how} ${line}`);
          await terminal.until(
            'the turn',
            () => host.model.turns().length >= before + 2,
          );
        };
        await act('holdfast start --template two');
        await terminal.until(
          'the run',
          () => stateFiles(root).length > 0 && at('plan')(),
        );
        await act('docs/RULES.md', 'READ');
        await act('holdfast advance --output planned');
        await terminal.until('the first approval', at('agree'));
        await terminal.say('/compact');
        await terminal.until(
          'the summary',
          () => host.model.summaries().length > 0,
        );
        await see('how to answer', '/holdfast:approve');
        await terminal.say('/holdfast:approve looks good');
        if (hasModule) await see('the answer', 'Approved step 2 of 4 (agree).');
        else {
          await see('where to answer', 'only a terminal can take this here');
          await holdfast(host, ['approve', '--note', 'looks good']);
        }
        await terminal.until('the next step', at('build'));
        expect(onlyRun(root).machine).toMatchObject({
          outputs: { agree: 'looks good' },
        });
        await terminal.until('the agent at work', () =>
          given(host.model.turns().at(-1)).includes('BUILD-IT'),
        );

        await act('holdfast advance --output built');
        await terminal.until('the second approval', at('accept'));
        const turns = host.model.turns().length;
        await holdfast(host, ['reject', '--feedback', 'ONCE-MORE']);
        await terminal.until('the agent to be woken', () =>
          host.model
            .turns()
            .slice(turns)
            .some((request) => given(request).includes('ONCE-MORE')),
        );
        expect(onlyRun(root).machine?.['step']).toBe('build');
        await terminal.say('/clear');
        await see('the run after /clear', 'holdfast:release');
        await act('holdfast advance --output again');
        await terminal.until('the second approval again', at('accept'));
        if (hasModule) await terminal.say('/holdfast:approve');
        else await holdfast(host, ['approve']);
        await terminal.until('the end', () => archived(root).length > 0);
        await terminal.quit();
      });
  },
);
