// OpenCode runs this in its own process. Guidance belongs to every request, so it is kept in memory, and holdfast is
// asked only when something may have changed. It goes to the end of the user's last message and not into the system
// prompt: it quotes files of the repository, which must not have the rank of the person's own rules.
import { spawn } from 'node:child_process';

const NODE = '{{node}}';
const PROGRAM = '{{program}}';
const HEADING = 'Added by holdfast, not typed by the user:';

export const Holdfast = async ({ directory }) => {
  /** A promise of the guidance of each session: OpenCode does not wait for what an event starts. */
  const guidance = new Map();
  /** The sessions that are being compacted. */
  const compacting = new Set();

  /** What holdfast prints, as the session's own agent would see it; nothing if it cannot be asked. */
  const call = (words, session, input = '') =>
    new Promise((resolve) => {
      const child = spawn(NODE, [PROGRAM, ...words], {
        cwd: directory,
        env: { ...process.env, OPENCODE_SESSION_ID: session },
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      let output = '';
      child.stdout.on('data', (part) => (output += part));
      child.stdin.on('error', () => {});
      child.on('error', () => resolve(''));
      child.on('close', (code) => resolve(code === 0 ? output : ''));
      child.stdin.end(input);
    });

  /** The text that a hook of holdfast has for the model, or nothing: a request must not fail because of it. */
  const ask = async (event, session, more) => {
    const payload = {
      session_id: session,
      cwd: directory,
      hook_event_name: event,
      ...more,
    };
    const words = ['hook', event, '--host=opencode'];
    const reply = await call(words, session, JSON.stringify(payload));
    try {
      return JSON.parse(reply).hookSpecificOutput?.additionalContext ?? '';
    } catch {
      return '';
    }
  };

  const start = (session, source) =>
    guidance.set(session, ask('SessionStart', session, { source }));

  /** Whatever ends a compaction first: the request that goes on waits for one of them only, and not for every one. */
  const endCompaction = (session) => {
    if (compacting.delete(session)) start(session, 'compact');
  };

  /** The guidance as it is by now. Anything else that was said, such as an offer, is not repeated. */
  const newer = async (session, former) => {
    if (!(await former)?.startsWith('WORKFLOW')) return '';
    const text = await call(['guidance', '--session', session], session);
    return text.startsWith('WORKFLOW') ? text : '';
  };
  const refresh = (session) =>
    guidance.set(session, newer(session, guidance.get(session)));

  return {
    event: async ({ event }) => {
      if (event.type === 'session.compacted')
        endCompaction(event.properties.sessionID);
      if (event.type !== 'session.deleted') return;
      const session = event.properties.info.id;
      guidance.delete(session);
      await ask('SessionEnd', session, { reason: 'other' });
    },
    'chat.message': async ({ sessionID }) => {
      // A compaction that has failed tells no end.
      compacting.delete(sessionID);
      if (guidance.has(sessionID)) refresh(sessionID);
      else start(sessionID, 'resume');
    },
    'tool.execute.after': async ({ sessionID, args }) => {
      if (String(args?.command).includes('holdfast')) refresh(sessionID);
    },
    'shell.env': async ({ sessionID }, output) => {
      if (sessionID) output.env.OPENCODE_SESSION_ID = sessionID;
    },
    'experimental.session.compacting': async ({ sessionID }, output) => {
      compacting.add(sessionID);
      const text = await ask('PreCompact', sessionID, { trigger: 'auto' });
      if (text) output.context.push(text);
    },
    // OpenCode waits for this one before it sends "Continue", but does not call it after every compaction.
    'experimental.compaction.autocontinue': async ({ sessionID }) =>
      endCompaction(sessionID),
    'experimental.chat.messages.transform': async (_input, { messages }) => {
      const at = messages.findLastIndex(({ info }) => info.role === 'user');
      const message = messages[at];
      if (message === undefined) return;
      const { id: messageID, sessionID } = message.info;
      // These messages are to be summarised, and the guidance is given again after that.
      if (compacting.has(sessionID)) return;
      const text = await guidance.get(sessionID);
      if (!text) return;
      const added = {
        id: 'prt_holdfast',
        messageID,
        sessionID,
        type: 'text',
        synthetic: true,
      };
      const part = { ...added, text: `${HEADING}\n\n${text}` };
      // The request for a title is made from the same list. It copies the list as soon as this function waits, and reads
      // the messages later, so the list is changed after that, and the message never.
      await new Promise((resolve) => setImmediate(resolve));
      messages[at] = { ...message, parts: [...message.parts, part] };
    },
  };
};
