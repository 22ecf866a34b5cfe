import { expect, test } from 'vitest';
import { callerAt, type Entrance, sessionOf } from '../../../src/sessions/caller.ts';
import * as rights from '../../../src/sessions/rights.ts';

/** The session `old` ended by /clear, and `new` followed it. */
const current = (session: string): string => (session === 'old' ? 'new' : session);
const inShellOf = (session: string) => ({ CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: session });
const shell = (named?: string): Entrance => ({ at: 'shell', named });
const mcp = (named?: string): Entrance => ({ at: 'mcp', named });

const PERSON = { kind: 'person', at: 'terminal' };
const agent = (session: string | null, via = 'shell') => ({ kind: 'agent', via, session });

test.each<[string, Entrance, Record<string, string>, object]>([
  ['a terminal', shell(), {}, PERSON],
  ['a terminal with a blank --session', shell(' '), {}, PERSON],
  ['the module, which names its session', shell('s1'), {}, agent('s1', 'module')],
  ['the module of a cleared session', shell('old'), {}, agent('new', 'module')],
  ["an agent's shell", shell(), inShellOf('s1'), agent('s1')],
  ["an agent's shell that names itself", shell('s1'), inShellOf('s1'), agent('s1')],
  ['that names the session before its /clear', shell('old'), inShellOf('new'), agent('new')],
  ['a shell from before the /clear', shell(), inShellOf('old'), agent('new')],
  ['a blank --session in an agent shell', shell(''), inShellOf('s1'), agent('s1')],
  ['an agent that tells no session', shell(), { CLAUDECODE: '1' }, agent(null)],
  ['another agent that tells no session', shell(), { GEMINI_CLI: '1' }, agent(null)],
  [
    'a gate, from which the variables of the agent are withheld',
    shell(),
    { HOLDFAST_GATE: 'r1' },
    agent(null),
  ],
  ['MCP', mcp(), inShellOf('s1'), agent('s1', 'mcp')],
  ['MCP without a session', mcp(), {}, agent(null, 'mcp')],
  ['MCP whose command line names a session', mcp('s1'), {}, agent('s1', 'mcp')],
  ['the page', { at: 'page' }, inShellOf('s1'), { kind: 'person', at: 'page' }],
  ['the driver', { at: 'driver', session: 's1' }, {}, { kind: 'driver', session: 's1' }],
])('%s', (_what, entrance, environment, expected) => {
  expect(callerAt(entrance, environment, current)).toEqual(expected);
});

test.each<[string, Entrance, Record<string, string>]>([
  ['another session', shell('s2'), inShellOf('s1')],
  ['the session that followed, from one that did not end', shell('s2'), inShellOf('old')],
  ['any session, by an agent that tells none', shell('s1'), { CLAUDECODE: '1' }],
  ['any session, in a gate', shell('s1'), { HOLDFAST_GATE: 'r1' }],
  ['another session, by MCP', mcp('s2'), inShellOf('s1')],
])('an agent may not name %s', (_what, entrance, environment) => {
  expect(() => callerAt(entrance, environment, current)).toThrow(/not the session of this agent/);
});

test('what each caller may do', () => {
  const callers = {
    terminal: callerAt(shell(), {}, current),
    page: callerAt({ at: 'page' }, {}, current),
    agent: callerAt(shell(), inShellOf('s1'), current),
    module: callerAt(shell('s1'), {}, current),
    driver: callerAt({ at: 'driver', session: 's1' }, {}, current),
  };
  const table = Object.entries(rights).map(([right, may]) => {
    const holders = Object.entries(callers).filter(([, caller]) => may(caller));
    return [right, holders.map(([name]) => name).join(' ')];
  });
  expect(Object.fromEntries(table)).toEqual({
    mayDecide: 'terminal page',
    mayChangeHeldRun: 'terminal page driver',
    takesChangedRun: 'agent module',
    mayMeanHeldRun: 'terminal page driver',
    mayEndBeforeGates: 'terminal page driver',
    mayNameAnyFile: 'terminal page driver',
    mayReplaceAnyTodoFile: 'terminal page driver',
  });
  expect(sessionOf(callers.terminal)).toBeNull();
  expect(sessionOf(callers.module)).toBe('s1');
});
