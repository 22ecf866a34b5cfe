import { expect, test } from 'vitest';
import {
  callerAt,
  type Entrance,
  sessionOf,
} from '../../../src/sessions/caller.ts';
import * as rights from '../../../src/sessions/rights.ts';

/** The session `old` ended by /clear, and `new` followed it. */
const current = (session: string): string =>
  session === 'old' ? 'new' : session;
const inShellOf = (session: string) => ({
  CLAUDECODE: '1',
  CLAUDE_CODE_SESSION_ID: session,
});
const shell = (named?: string): Entrance => ({ at: 'shell', named });
const mcp = (named?: string): Entrance => ({ at: 'mcp', named });

const CLIENT = { pid: '7', start: 'boot-1-100' };
const typed = (proven: typeof CLIENT | null, named?: string): Entrance => ({
  at: 'client',
  named,
  proven,
});

const PERSON = { kind: 'person', at: 'terminal' };
const agent = (session: string | null, via = 'shell') => ({
  kind: 'agent',
  via,
  session,
});

test.each<[string, Entrance, Record<string, string>, object]>([
  ['a terminal', shell(), {}, PERSON],
  ['a terminal with a blank --session', shell(' '), {}, PERSON],
  [
    'the module, which names its session',
    shell('s1'),
    {},
    agent('s1', 'module'),
  ],
  ['the module of a cleared session', shell('old'), {}, agent('new', 'module')],
  ["an agent's shell", shell(), inShellOf('s1'), agent('s1')],
  [
    "an agent's shell that names itself",
    shell('s1'),
    inShellOf('s1'),
    agent('s1'),
  ],
  [
    'that names the session before its /clear',
    shell('old'),
    inShellOf('new'),
    agent('new'),
  ],
  ['a shell from before the /clear', shell(), inShellOf('old'), agent('new')],
  [
    'a blank --session in an agent shell',
    shell(''),
    inShellOf('s1'),
    agent('s1'),
  ],
  ['an agent that tells no session', shell(), { CLAUDECODE: '1' }, agent(null)],
  [
    'another agent that tells no session',
    shell(),
    { GEMINI_CLI: '1' },
    agent(null),
  ],
  [
    'a gate, from which the variables of the agent are withheld',
    shell(),
    { HOLDFAST_GATE: 'r1' },
    agent(null),
  ],
  ['MCP', mcp(), inShellOf('s1'), agent('s1', 'mcp')],
  ['MCP without a session', mcp(), {}, agent(null, 'mcp')],
  ['MCP whose command line names a session', mcp('s1'), {}, agent('s1', 'mcp')],
  [
    'what a person typed in a client',
    typed(CLIENT),
    {},
    { kind: 'person', at: 'client', client: CLIENT },
  ],
  [
    "an agent's shell, whatever it proves",
    typed(CLIENT),
    inShellOf('s1'),
    agent('s1'),
  ],
  [
    'an agent without a session, whatever it proves',
    typed(CLIENT),
    { CLAUDECODE: '1' },
    agent(null),
  ],
  [
    'another agent, whatever it proves',
    typed(CLIENT),
    { QWEN_CODE: '1' },
    agent(null),
  ],
  ['an agent that proves nothing', typed(null), inShellOf('s1'), agent('s1')],
  [
    'a named session, whatever it proves',
    typed(CLIENT, 's1'),
    {},
    agent('s1', 'module'),
  ],
  ['the page', { at: 'page' }, inShellOf('s1'), { kind: 'person', at: 'page' }],
  [
    'the driver',
    { at: 'driver', session: 's1' },
    {},
    { kind: 'driver', session: 's1' },
  ],
])('%s', (_what, entrance, environment, expected) => {
  expect(callerAt(entrance, environment, current)).toEqual(expected);
});

test.each<[string, Entrance, Record<string, string>]>([
  ['another session', shell('s2'), inShellOf('s1')],
  [
    'the session that followed, from one that did not end',
    shell('s2'),
    inShellOf('old'),
  ],
  [
    'any session, by an agent that tells none',
    shell('s1'),
    { CLAUDECODE: '1' },
  ],
  ['any session, in a gate', shell('s1'), { HOLDFAST_GATE: 'r1' }],
  ['another session, by MCP', mcp('s2'), inShellOf('s1')],
])('an agent may not name %s', (_what, entrance, environment) => {
  expect(() => callerAt(entrance, environment, current)).toThrow(
    /not the session of this agent/,
  );
});

test('without its secret, nobody has typed in a client', () => {
  expect(() => callerAt(typed(null), {}, current)).toThrow(
    /nothing proves that a person typed/,
  );
});

test('what each caller may do', () => {
  const callers = {
    terminal: callerAt(shell(), {}, current),
    page: callerAt({ at: 'page' }, {}, current),
    agent: callerAt(shell(), inShellOf('s1'), current),
    module: callerAt(shell('s1'), {}, current),
    driver: callerAt({ at: 'driver', session: 's1' }, {}, current),
    client: callerAt(typed(CLIENT), {}, current),
  };
  const table = Object.entries(rights).map(([right, may]) => {
    const holders = Object.entries(callers).filter(([, caller]) =>
      may(caller, CLIENT),
    );
    return [right, holders.map(([name]) => name).join(' ')];
  });
  expect(Object.fromEntries(table)).toEqual({
    mayDecide: 'terminal page client',
    mayAnswerFor: 'terminal page client',
    mayBringSecret: 'terminal',
    mayChangeHeldRun: 'terminal page driver client',
    takesChangedRun: 'agent module',
    mayMeanHeldRun: 'terminal page driver client',
    mayEndBeforeGates: 'terminal page driver client',
    mayNameAnyFile: 'terminal page driver client',
    mayReplaceAnyTodoFile: 'terminal page driver client',
  });
  expect(sessionOf(callers.terminal)).toBeNull();
  expect(sessionOf(callers.module)).toBe('s1');
});

test.each<[string, typeof CLIENT | null, boolean]>([
  ['the same process', CLIENT, true],
  ['another process', { ...CLIENT, pid: '8' }, false],
  [
    'a process that had the same id before',
    { ...CLIENT, start: 'boot-1-99' },
    false,
  ],
  ['no process that is known', null, false],
])(
  'what was typed in a client counts for a run that is held in %s: %s',
  (_what, holder, expected) => {
    expect(
      rights.mayAnswerFor(callerAt(typed(CLIENT), {}, current), holder),
    ).toBe(expected);
  },
);

test('where no start of a process can be read, an equal id counts', () => {
  const [one, other] = ['7', '8'].map((pid) => ({ pid, start: null }));
  const caller = callerAt(
    { at: 'client', named: undefined, proven: one ?? null },
    {},
    current,
  );
  expect(rights.mayAnswerFor(caller, one ?? null)).toBe(true);
  expect(rights.mayAnswerFor(caller, other ?? null)).toBe(false);
});
