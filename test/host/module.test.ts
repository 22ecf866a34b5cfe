import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readdirSync, readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { afterAll, beforeAll, describe, it, type TestContext } from 'vitest';
import { archived, onlyRun, readRun, stateFiles } from '../support/state.ts';
import type { ClientVersion } from './support/client.ts';
import { given, occurrences, restoredIn } from './support/given.ts';
import { doHoldfast, holdfast, openHost } from './support/holdfast.ts';
import type { Host, HostOptions } from './support/host.ts';
import type { Answer } from './support/model.ts';
import { client, type Package, unpackPackage } from './support/package.ts';
import {
  isSummariser,
  isTurn,
  lastPrompt,
  type ModelRequest,
  sessionOf,
} from './support/request.ts';
import { obey } from './support/script.ts';
import type { Terminal } from './support/terminal.ts';

let unpacked: Package;
beforeAll(async () => {
  unpacked = await unpackPackage();
});
afterAll(() => unpacked.remove());

const TEMPLATE = `name: Five
description: Five steps with every kind of boundary
steps:
  - {id: plan, type: action, instructions: PLAN-IT}
  - {id: design, type: action, instructions: DESIGN-IT, context: compact}
  - {id: build, type: action, instructions: BUILD-IT}
  - {id: review, type: action, instructions: REVIEW-IT, context: clear}
  - {id: ship, type: action, instructions: SHIP-IT, context: compact}
`;
const STEPS = ['plan', 'design', 'build', 'review', 'ship'];
/** Its first two steps, in place of the whole: enough to see that the module is there. */
const SHORT = {
  '.claude/holdfast/workflows/five.yaml': TEMPLATE.split('\n')
    .slice(0, 5)
    .join('\n'),
};
const START = doHoldfast('start', '--template', 'five');
const ADVANCE = doHoldfast('advance', '--output', 'done');

/** Long enough for the module to have asked holdfast, performed and prompted, if it were to. */
const QUIET_MS = 8_000;

describe('the module in client 2.1.325', () => {
  const version = '2.1.325';

  it.sequential('passes its own tests in the environment of the client', async (context) => {
    const host = await openProject(version, context);
    const folder = host.project.beside('plugin');
    await cp(unpacked.folder, folder, { recursive: true });
    const tests = fileURLToPath(
      new URL('../module/register.test.ts', import.meta.url),
    );
    await cp(tests, join(folder, 'tests/register.test.ts'));
    context
      .expect(await client(version, host, ['plugin', 'test', folder]))
      .toContain('0 fail');
  });

  it('takes a template run to its end after one prompt, with real boundaries', async (context) => {
    const { expect } = context;
    const actions: unknown[] = [];
    const { host, terminal } = await open(version, context, {
      answer: (request) => {
        if (isPromptOfModule(request))
          actions.push(onlyRun(root).machine?.['contextAction']);
        return advancing(request);
      },
    });
    const { root } = host.project;
    await terminal.say(START);
    await terminal.until('the end of the run', () => archived(root).length > 0);

    expect(stepsPromptedFor(host)).toEqual(STEPS);
    const performed = (command: string) => ({
      command,
      performedAt: expect.any(String),
    });
    expect(actions).toMatchObject([
      undefined,
      performed('/compact'),
      undefined,
      performed('/clear'),
      performed('/compact'),
    ]);
    expect(host.model.summaries()).toHaveLength(2);
    for (const summary of host.model.summaries())
      expect(
        occurrences(
          given(summary),
          'Keep the following verbatim in the summary',
        ),
      ).toBe(1);
    const sessions = host.model.turns().map(sessionOf);
    expect(new Set(sessions).size).toBe(2);

    const firstOf = (step: string) =>
      host.model
        .turns()
        .find((request) => promptedStep(lastPrompt(request).text) === step);
    expect(restoredIn(firstOf('design'))).toEqual(['Five, Phase 2/5']);
    expect(given(firstOf('design'))).toContain('DESIGN-IT');
    expect(restoredIn(firstOf('review'))).toEqual(['Five, Phase 4/5']);
    expect(given(firstOf('review'))).not.toContain('PLAN-IT');
    expect(
      sessionOf(firstOf('review') ?? { model: '', messages: [] }),
    ).not.toBe(sessions[0]);
    expect(archivedRun(root)).toMatchObject({ status: 'completed' });
    expect(await terminal.screen()).toContain(
      'Compacted the conversation because step ship',
    );
    await terminal.quit();
  });

  it('passes on a typed answer, and goes on by itself after an answer from elsewhere', async (context) => {
    const { expect } = context;
    const step = (id: string, more: string): string =>
      `  - {id: ${id}, ${more}}\n`;
    const template = `name: Five\ndescription: d\nsteps:\n${step('plan', 'type: action, instructions: PLAN-IT')}${step('first', 'type: approval')}${step('build', 'type: action, instructions: BUILD-IT')}${step('second', 'type: approval, on_reject: build')}`;
    const { host, terminal } = await open(version, context, {
      files: { '.claude/holdfast/workflows/five.yaml': template },
    });
    const { root } = host.project;
    const at = (id: string) => () =>
      stateFiles(root).length === 1 && onlyRun(root).machine?.['step'] === id;
    await terminal.say(START);
    await terminal.until('the first approval', at('first'));
    await terminal.until('the stop', async () =>
      (await terminal.screen()).includes('stops at'),
    );
    await terminal.say('/compact');
    await terminal.until(
      'the summary',
      () => host.model.summaries().length > 0,
    );
    const [summary] = host.model.summaries();
    expect(
      occurrences(given(summary), 'Keep the following verbatim in the summary'),
    ).toBe(1);
    expect(given(summary)).toContain('- Workflow: Five');
    await sleep(QUIET_MS);
    expect(await terminal.screen()).not.toContain(
      'Keep the following verbatim',
    );
    await terminal.say('/holdfast:approve looks good');
    await terminal.until('the second approval', at('second'));
    expect(await terminal.screen()).toContain('Approved step 2 of 4 (first).');
    expect(onlyRun(root).machine).toMatchObject({
      outputs: { first: 'looks good' },
    });
    await sleep(QUIET_MS);
    await holdfast(host, ['reject', '--feedback', 'once more']);
    await terminal.until(
      'the work to be done again',
      () => stepsPromptedFor(host).filter((id) => id === 'build').length > 1,
    );
    await terminal.quit();
  });

  it('waits when the agent ends its turn without having moved the run, after a /clear that the user types, and while it is paused', async (context) => {
    const { expect } = context;
    const { host, terminal } = await open(version, context, {
      answer: onlyOnRequest,
    });
    const { root } = host.project;
    const expectQuiet = async (): Promise<void> => {
      await sleep(QUIET_MS);
      expect(stepsPromptedFor(host)).toEqual(['plan']);
      expect(host.model.summaries()).toHaveLength(0);
    };
    await terminal.say(START);
    await terminal.until(
      'the prompt for the first step',
      () => stepsPromptedFor(host).length > 0,
    );
    await expectQuiet();
    expect(await terminal.screen()).toContain('waits for you');
    await terminal.say('/clear');
    await terminal.until('the hand-over', () => sessionsOf(root).length === 2);
    await expectQuiet();
    await terminal.say(
      `${ADVANCE} THEN ${doHoldfast('pause', '--reason', 'lunch')}`,
    );
    await terminal.until('the pause', () => onlyRun(root).status === 'paused');
    await expectQuiet();
    await terminal.quit();
  });

  it('lets the user go first', async (context) => {
    const { expect } = context;
    const { host, terminal } = await open(version, context, {
      answer: onlyOnRequest,
    });
    await terminal.say(START);
    await terminal.until(
      'the prompt for the first step',
      () => stepsPromptedFor(host).length > 0,
    );
    await terminal.say(ADVANCE);
    await type(terminal, 'not yet');
    await sleep(QUIET_MS);
    expect(onlyRun(host.project.root).machine?.['step']).toBe('design');
    expect(host.model.summaries()).toHaveLength(0);
    expect(stepsPromptedFor(host)).toEqual(['plan']);
  });

  it('lets a prompt that waits in the queue go first, and then continues once', async (context) => {
    const { expect } = context;
    const slow = slowAfterMove();
    const { host, terminal } = await open(version, context, {
      answer: slow.answer,
    });
    await terminal.say(START);
    await terminal.until(
      'the prompt for the first step',
      () => stepsPromptedFor(host).length > 0,
    );
    await terminal.say(ADVANCE);
    await terminal.until('the move', () => slow.isWaiting());
    await type(terminal, 'blue please');
    const isTyped = async () =>
      (await terminal.typed()) === ['blue', 'please'].join('');
    await terminal.until('the words', isTyped);
    await terminal.press('Enter');
    // The prompt is in the queue once it has left the input line.
    await terminal.until('the queue', async () => !(await isTyped()));
    slow.goOn();
    await terminal.until(
      'the next prompt',
      () => stepsPromptedFor(host).length > 1,
    );
    await sleep(QUIET_MS);
    expect(stepsPromptedFor(host)).toEqual(['plan', 'design']);
    expect(host.model.summaries()).toHaveLength(1);
    const { requests } = host.model;
    const prompted = requests.findIndex((request) =>
      given(request).includes('blue please'),
    );
    expect(prompted).toBeGreaterThan(0);
    expect(prompted).toBeLessThan(requests.findIndex(isSummariser));
  });

  it('performs nothing after an interruption, until the user goes on', async (context) => {
    const { expect } = context;
    const slow = slowAfterMove();
    const { host, terminal } = await open(version, context, {
      answer: slow.answer,
    });
    const { root } = host.project;
    await terminal.say(START);
    await terminal.until(
      'the prompt for the first step',
      () => stepsPromptedFor(host).length > 0,
    );
    await terminal.say(ADVANCE);
    await terminal.until('the move', () => slow.isWaiting());
    await terminal.press('Escape');
    await terminal.until('the end of the turn', async () =>
      (await terminal.screen()).includes('Interrupted'),
    );
    slow.goOn();
    await sleep(QUIET_MS);
    expect(stepIn(host)).toBe('design');
    expect(onlyRun(root).machine?.['contextAction']).not.toHaveProperty(
      'performedAt',
    );
    expect(host.model.summaries()).toHaveLength(0);
    expect(stepsPromptedFor(host)).toEqual(['plan']);

    await terminal.say('hello');
    await terminal.until(
      'the next prompt',
      () => stepsPromptedFor(host).length > 1,
    );
    await sleep(QUIET_MS);
    expect(host.model.summaries()).toHaveLength(1);
    expect(stepsPromptedFor(host)).toEqual(['plan', 'design']);
  });

  it('tells the agent once for each threshold how full its context is', async (context) => {
    const { expect } = context;
    let inputTokens = 1_000;
    const { host, terminal } = await open(version, context, {
      answer: async (request) => ({
        ...(await onlyOnRequest(request)),
        inputTokens,
      }),
    });
    const warnings = (): string[] =>
      given(host.model.turns().at(-1)).match(/context is at \d+ %/g) ?? [];
    const sessions = join(host.home.path, '.claude/holdfast/sessions');
    const ask = async (
      prompt: string,
      tokens: number,
      fill?: number,
    ): Promise<void> => {
      const before = host.model.turns().length;
      inputTokens = tokens;
      await terminal.say(prompt);
      await terminal.until(
        'the answer',
        () => host.model.turns().length > before,
      );
      if (fill === undefined) return;
      // The module is told the fill after the turn, and starts holdfast; it is kept until the agent is told.
      await terminal.until('the fill', () =>
        readdirSync(sessions)
          .filter((name) => name.endsWith('.json'))
          .some((name) =>
            readFileSync(join(sessions, name), 'utf8').includes(
              `"percent":${fill}`,
            ),
          ),
      );
    };
    await terminal.say(START);
    await terminal.until(
      'the prompt for the first step',
      () => stepsPromptedFor(host).length > 0,
    );
    // The window of this model has a million tokens, of which the client compacts at 967,000.
    await ask('one', 700_000, 72);
    expect(warnings()).toEqual([]);
    await ask('two', 701_000);
    expect(warnings()).toEqual(['context is at 72 %']);
    expect(given(host.model.turns().at(-1))).toContain(
      'Save what later phases need now',
    );
    await ask('three', 815_000, 84);
    expect(warnings()).toHaveLength(1);
    await ask('four', 815_000);
    expect(warnings()).toEqual(['context is at 72 %', 'context is at 84 %']);
  });

  it('says so when a compaction fails, and leaves it to the user', async (context) => {
    const { expect } = context;
    const { host, terminal } = await open(version, context, {
      answer: (request) =>
        isSummariser(request) ? { text: '' } : advancing(request),
    });
    const { root } = host.project;
    await terminal.say(START);
    const isTold = async () =>
      (await terminal.screen()).includes('Could not run /compact for you');
    await terminal.until('the message', isTold);
    await sleep(QUIET_MS);
    expect(stepsPromptedFor(host)).toEqual(['plan']);
    expect(onlyRun(root).machine).toMatchObject({ step: 'design' });
    expect(onlyRun(root).machine?.['contextAction']).not.toHaveProperty(
      'performedAt',
    );
  });

  it('keeps two sessions with two runs apart', async (context) => {
    const { expect } = context;
    const { host, terminal } = await open(version, context, { files: SHORT });
    const other = await host.terminal(['--plugin-dir', unpacked.folder]);
    const { root } = host.project;
    await terminal.say(START);
    await other.say(START);
    const bothEnded = () =>
      archived(root).filter((name) => !name.includes('events')).length === 2;
    await terminal.until('the end of both runs', bothEnded);
    expect(stepsPromptedFor(host).toSorted()).toEqual([
      'design',
      'design',
      'plan',
      'plan',
    ]);
  });

  it('performs nothing where the project asks', async (context) => {
    const { expect } = context;
    const { host, terminal } = await open(version, context, {
      files: { '.claude/holdfast.json': { context: { perform: 'ask' } } },
    });
    await terminal.say(`${START} THEN ${ADVANCE}`);
    await terminal.until('the second step', () => stepIn(host) === 'design');
    await sleep(QUIET_MS);
    expect(stepsPromptedFor(host)).toEqual([]);
    expect(host.model.summaries()).toHaveLength(0);
  });

  it('performs nothing for a run that the user has switched to ask, until it is switched back', async (context) => {
    const { expect } = context;
    const { host, terminal } = await open(version, context, {
      answer: onlyOnRequest,
    });
    await terminal.say(START);
    await terminal.until(
      'the prompt for the first step',
      () => stepsPromptedFor(host).length > 0,
    );
    await terminal.say('/holdfast:ask');
    await terminal.until(
      'the switch',
      () => onlyRun(host.project.root).perform === 'ask',
    );
    await terminal.say(ADVANCE);
    await terminal.until('the second step', () => stepIn(host) === 'design');
    await sleep(QUIET_MS);
    expect(stepsPromptedFor(host)).toEqual(['plan']);
    expect(host.model.summaries()).toHaveLength(0);
    await terminal.say('/holdfast:auto');
    await terminal.until(
      'the next prompt',
      () => stepsPromptedFor(host).length > 1,
    );
    expect(stepsPromptedFor(host)).toEqual(['plan', 'design']);
    expect(host.model.summaries()).toHaveLength(1);
  });

  it('leaves alone what a repository brings along', async (context) => {
    const { expect } = context;
    const host = await openProject(version, context, {
      files: {
        '.claude/holdfast.json': {
          context: { perform: 'auto' },
          restore: { startup: 'full' },
        },
        '.claude/holdfast/workflows/five.yaml': `resume: auto\n${TEMPLATE}`,
        ...foreignModule(),
      },
    });
    await holdfast(host, ['init', '--scope', 'user']);
    await holdfast(host, ['start', '--template', 'five']);
    await holdfast(host, ['advance', '--output', 'done']);
    const terminal = await host.terminal();
    await terminal.say('hello');
    await terminal.until('the answer', () => host.model.turns().length > 0);
    await sleep(QUIET_MS);
    expect(onlyRun(host.project.root).hold).toEqual({ by: 'only' });
    await terminal.say(ADVANCE);
    await terminal.until('the third step', () => stepIn(host) === 'build');
    await sleep(QUIET_MS);
    expect(onlyRun(host.project.root).hold).toEqual({
      by: 'only',
      touched: true,
    });
    expect(stepsPromptedFor(host)).toEqual([]);
    expect(host.model.summaries()).toHaveLength(0);
    expect(await terminal.screen()).not.toContain('FOREIGN-MODULE');
    expect(await holdfast(host, ['doctor'])).toContain(
      'has a module under the name of holdfast that init did not write',
    );
  });

  it.for(['local', 'user'])(
    'comes with init --scope %s, without the plugin',
    async (scope, context) => {
      const { expect } = context;
      const host = await openProject(version, context, {
        git: true,
        files: SHORT,
      });
      await holdfast(host, ['init', '--scope', scope]);
      expect(await host.project.git('status', '--porcelain')).toBe('');
      const terminal = await host.terminal();
      await terminal.say(START);
      await terminal.until(
        'the end of the run',
        () => archived(host.project.root).length > 0,
      );
      expect(stepsPromptedFor(host)).toEqual(['plan', 'design']);
      expect(host.model.summaries()).toHaveLength(1);
      expect(await holdfast(host, ['doctor', '--verbose'])).toMatch(
        /module last seen .* \(version \d/,
      );
      await terminal.quit();
    },
  );

  it('is loaded once where the plugin stands beside a folder of the project that has it', async (context) => {
    const { expect } = context;
    const { host, terminal } = await open(version, context, {
      files: { ...SHORT, ...skillFolder() },
    });
    await terminal.say(START);
    await terminal.until(
      'the end of the run',
      () => archived(host.project.root).length > 0,
    );
    expect(stepsPromptedFor(host)).toEqual(['plan', 'design']);
  });
});

describe('the same plugin in client 2.1.197', () => {
  it('asks as before', async (context) => {
    const { expect } = context;
    const { host, terminal } = await open('2.1.197', context);
    await terminal.say(`${START} THEN ${ADVANCE}`);
    await terminal.until('the second step', () => stepIn(host) === 'design');
    await sleep(QUIET_MS);
    expect(given(host.model.turns().at(-1))).toContain(
      'Please run `/compact` first',
    );
    expect(stepsPromptedFor(host)).toEqual([]);
  });
});

/** A model that does what the module prompts for: it finishes the step. */
function advancing(request: ModelRequest): ReturnType<Answer> {
  if (!isTurn(request) || promptedStep(lastPrompt(request).text) === undefined)
    return obey(request);
  if (!isPromptOfModule(request)) return { text: 'DONE' };
  const [, command = ''] = /^DO:BASH (.*)$/.exec(ADVANCE) ?? [];
  return {
    tools: [{ name: 'Bash', input: { command, description: 'scripted' } }],
  };
}

/** A model that answers the module with a question. */
function onlyOnRequest(request: ModelRequest): ReturnType<Answer> {
  const isPrompted =
    isTurn(request) && promptedStep(lastPrompt(request).text) !== undefined;
  return isPrompted ? { text: 'Which colour shall it have?' } : obey(request);
}

/** A model that answers as `onlyOnRequest`, but after a move of the run waits to be told to go on. */
function slowAfterMove() {
  let isWaiting = false;
  let goOn = (): void => undefined;
  const told = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const answer: Answer = async (request) => {
    if (
      isTurn(request) &&
      lastPrompt(request).text === ADVANCE &&
      lastPrompt(request).toolCalls > 0
    ) {
      isWaiting = true;
      await told;
    }
    return onlyOnRequest(request);
  };
  return { answer, isWaiting: () => isWaiting, goOn: () => goOn() };
}

/** Key by key, as `say` would wait for the end of the turn. */
async function type(terminal: Terminal, text: string): Promise<void> {
  for (const key of text) await terminal.press(key === ' ' ? 'Space' : key);
}

function promptedStep(prompt: string): string | undefined {
  return /Continue the holdfast run \S+ at step (\w+)\./.exec(prompt)?.[1];
}

/** The steps that the model was prompted for by the module, in order. */
function stepsPromptedFor(host: Host): string[] {
  return host.model
    .turns()
    .filter(isPromptOfModule)
    .flatMap((request) => promptedStep(lastPrompt(request).text) ?? []);
}

/** The first request of a turn that the module started. */
function isPromptOfModule(request: ModelRequest): boolean {
  if (!isTurn(request)) return false;
  const { text, toolCalls } = lastPrompt(request);
  return toolCalls === 0 && promptedStep(text) !== undefined;
}

function stepIn(host: Host): unknown {
  const [path] = stateFiles(host.project.root);
  return path === undefined
    ? undefined
    : readRun(host.project.root, path).machine?.['step'];
}

function sessionsOf(root: string): readonly unknown[] {
  return onlyRun(root).sessions?.session_history ?? [];
}

function archivedRun(root: string): unknown {
  const name = archived(root).find((file) => !file.includes('events')) ?? '';
  return JSON.parse(
    readFileSync(join(root, 'untracked/workflow-archive', name), 'utf8'),
  );
}

/** The hooks come with the plugin, so the project's settings register none. */
function openProject(
  version: ClientVersion,
  context: TestContext,
  { files = {}, ...options }: HostOptions = {},
): Promise<Host> {
  return openHost(version, context, {
    answer: advancing,
    ...options,
    files: {
      '.claude/settings.json': {},
      '.claude/holdfast/workflows/five.yaml': TEMPLATE,
      ...files,
    },
  });
}

async function open(
  version: ClientVersion,
  context: TestContext,
  options: HostOptions = {},
) {
  const host = await openProject(version, context, options);
  return {
    host,
    terminal: await host.terminal(['--plugin-dir', unpacked.folder]),
  };
}

/** What `init` writes, and the hooks of the plugin in place of those in the settings. */
function skillFolder(): Record<string, string | object> {
  const folder = '.claude/skills/holdfast';
  const read = (path: string) =>
    readFileSync(join(unpacked.folder, path), 'utf8');
  const { hooks }: { hooks: object } = JSON.parse(
    read('hooks/hooks.json').replaceAll(
      '${CLAUDE_PLUGIN_ROOT}',
      unpacked.folder,
    ),
  );
  return {
    [`${folder}/SKILL.md`]: read('skills/holdfast/SKILL.md'),
    [`${folder}/.claude-plugin/plugin.json`]: read(
      '.claude-plugin/plugin.json',
    ),
    [`${folder}/hooks/hooks.json`]: { modules: ['./register.js'], hooks },
    [`${folder}/hooks/register.js`]: read('dist/module/register.js'),
    [`${folder}/program.json`]: [process.execPath, unpacked.program],
  };
}

/** A module that a cloned repository brings under the name of holdfast. */
function foreignModule(): Record<string, string | object> {
  const folder = '.claude/skills/holdfast';
  return {
    [`${folder}/SKILL.md`]: '---\nname: holdfast\ndescription: none\n---\n',
    [`${folder}/.claude-plugin/plugin.json`]: {
      name: 'holdfast',
      version: '9.9.9',
    },
    [`${folder}/hooks/hooks.json`]: { modules: ['./register.js'], hooks: {} },
    [`${folder}/hooks/register.js`]: `export function register(on) {
  on('session.start', async ($, e, next) => {
    $.ui.log('FOREIGN-MODULE');
    return next(e);
  });
}
`,
  };
}
