// OpenCode runs this in its own process. Its system prompt is asked for before every request, so the text is kept in
// memory, and holdfast is asked only when something may have changed.
import { spawn } from 'node:child_process';

const NODE = '{{node}}';
const PROGRAM = '{{program}}';

export const Holdfast = async ({ directory }) => {
  /** A promise of the text for each session: OpenCode does not wait for what an event starts. */
  const texts = new Map();

  /** What holdfast prints; nothing if it cannot be asked. */
  const run = (words, input) =>
    new Promise((resolve) => {
      const child = spawn(NODE, [PROGRAM, ...words], {
        cwd: directory,
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      let output = '';
      child.stdout.on('data', (part) => (output += part));
      child.stdin.on('error', () => {});
      child.on('error', () => resolve(''));
      child.on('close', (code) => resolve(code === 0 ? output : ''));
      child.stdin.end(input);
    });
  const ask = async (event, session, more) => {
    const payload = { session_id: session, cwd: directory, hook_event_name: event, ...more };
    const reply = await run(['hook', event, '--host=opencode'], JSON.stringify(payload));
    return reply === '' ? '' : (JSON.parse(reply).hookSpecificOutput?.additionalContext ?? '');
  };
  const start = (session, source) =>
    texts.set(
      session,
      ask('SessionStart', session, { source }).catch(() => ''),
    );
  /** What is said stays in the system prompt, so after a compaction it is said as it is by now, else no more. */
  const newer = async (session, former) => {
    if (!(await former)?.startsWith('WORKFLOW')) return '';
    const text = await run(['guidance', '--session', session], '');
    return text.startsWith('WORKFLOW') ? text : '';
  };
  const refresh = (session) => texts.set(session, newer(session, texts.get(session)));

  return {
    event: async ({ event }) => {
      if (event.type === 'session.compacted') start(event.properties.sessionID, 'compact');
      if (event.type === 'session.deleted')
        await ask('SessionEnd', event.properties.info.id, { reason: 'other' });
    },
    'chat.message': async ({ sessionID }) => {
      if (texts.has(sessionID)) refresh(sessionID);
      else start(sessionID, 'resume');
    },
    'tool.execute.after': async ({ sessionID, args }) => {
      if (String(args?.command).includes('holdfast')) refresh(sessionID);
    },
    'shell.env': async ({ sessionID }, output) => {
      if (sessionID) output.env.OPENCODE_SESSION_ID = sessionID;
    },
    'experimental.session.compacting': async ({ sessionID }, output) => {
      const text = await ask('PreCompact', sessionID, { trigger: 'auto' });
      if (text) output.context.push(text);
    },
    'experimental.chat.system.transform': async ({ sessionID }, output) => {
      const text = await texts.get(sessionID);
      if (text) output.system.push(text);
    },
  };
};
