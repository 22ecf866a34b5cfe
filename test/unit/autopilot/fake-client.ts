import type { Client } from '../../../src/autopilot/client.ts';
import type { ModuleReport } from '../../../src/autopilot/report.ts';
import { createAutopilot } from '../../../src/autopilot/autopilot.ts';
import { nextAction } from '../../../src/templates/next.ts';
import {
  startTemplateRun,
  stateWithMachine,
} from '../../../src/state/template-run.ts';
import type { RunState } from '../../../src/state/types.ts';
import { waitingPhase } from '../../../src/state/waiting-phase.ts';
import {
  action,
  approval,
  aTemplate,
  loop,
  started,
  sub,
} from '../../support/templates.ts';
import { draftRun } from '../../../src/state/run.ts';

/** A client with a run in it, as far as the module can see them. */
export function createFakeClient(steps: readonly FakeStep[]) {
  const log: string[] = [];
  const said: string[] = [];
  const world = {
    step: 0,
    performed: false,
    session: 1,
    holder: 1,
    draft: '',
    attended: true,
    switchedOff: false,
    runningAgents: false,
    hasRun: true,
    hooksWork: true,
    mode: 'auto' as 'auto' | 'ask',
    failure: null as Error | null,
    warnAt: [65, 80],
    asksModel: false,
    /** What waits for the user's answer, and what of that the session was told. */
    wait: null as string | null,
    toldWait: null as string | null,
    /** What `approve` and `reject` are refused with; empty if they are not. */
    refusal: '',
    format: 1,
    takesSecret: true,
    trustReply: {},
    /** What the model answers in a fork; null if that fails. */
    answer: 'nothing' as string | null,
  };

  function report(words: readonly string[]): object {
    const at = words.indexOf('--prompted');
    const session = words[words.indexOf('--session') + 1];
    const step = steps[world.step];
    const isHeld = session === `session-${world.holder}`;
    const { next, position } = nextAction(
      draftRun({
        ...stateAt(steps.slice(world.step), world.performed),
        run_id: 'run',
      }),
      isHeld ? world.mode : 'ask',
      at < 0 ? null : (words[at + 1] ?? null),
    );
    const done = next.perform === 'clear' ? 'Cleared' : 'Compacted';
    return {
      format: world.format,
      holder: `session-${world.holder}`,
      runId: 'run',
      revision: 0,
      next,
      position: isHeld ? position : null,
      wait: world.wait,
      toldWait: world.toldWait,
      told:
        next.stop === null || next.perform !== 'none'
          ? `${done} before ${step?.id}`
          : `Stopped: ${next.stop}`,
      summary: 'KEEP-IT',
      asksModel: world.asksModel,
      warnAt: world.warnAt,
    } satisfies ModuleReport;
  }

  const boundary = async (what: 'compact' | 'clear') => {
    log.push(what);
    if (world.failure !== null) throw world.failure;
    if (what === 'clear') {
      autopilot.sessionEnded();
      world.session += 1;
      if (world.hooksWork) world.holder = world.session;
    }
    if (world.hooksWork) world.performed = true;
  };

  const client: Client = {
    pluginRoot: '/plugin',
    sessionId: async () => `session-${world.session}`,
    projectRoot: async () => '/home/me/shop',
    isAttended: async () => world.attended,
    isSwitchedOff: async () => world.switchedOff,
    draft: async () => world.draft,
    hasRunningAgents: async () => world.runningAgents,
    exists: async (path) =>
      path === '/home/me/untracked/workflow-state' && world.hasRun,
    read: async () => '',
    makeSecret: () => 'SECRET',
    run: async (argv, cwd, options) => {
      const secret = options?.secret ?? '';
      log.push(
        `${cwd}$ ${argv.join(' ')}${secret === '' ? '' : ` <${secret}`}`,
      );
      if (argv.includes('register-client') && !world.takesSecret)
        throw new Error('refused');
      if (argv.includes('trust')) return JSON.stringify(world.trustReply);
      const isAnswer = argv.includes('approve') || argv.includes('reject');
      if (isAnswer && world.refusal !== '') throw new Error(world.refusal);
      return JSON.stringify(report(argv));
    },
    ask: async () => {
      log.push('ask');
      if (world.answer === null) throw new Error('no fork');
      return world.answer;
    },
    compact: () => boundary('compact'),
    clear: () => boundary('clear'),
    submit: async (text) => {
      log.push(`submit ${/at step (\w+)/.exec(text)?.[1]}`);
    },
    say: (text) => said.push(text),
    after: (_ms, callback) => void setImmediate(callback),
  };

  const autopilot = createAutopilot();
  /** A turn of the main conversation, in which the agent may move the run. */
  const turn = async ({
    moves = true,
    isAnswer = true,
  } = {}): Promise<void> => {
    await autopilot.turnStarted();
    if (moves) {
      world.step += 1;
      world.performed = false;
    }
    autopilot.turnCompleted(client, isAnswer);
    await idle();
  };

  return {
    world,
    client,
    autopilot,
    said,
    turn,
    /** What the module did to the conversation, in order. */
    actions: () => log.filter((entry) => !entry.includes('$')),
    calls: () => log.filter((entry) => entry.includes('$')),
    start: async () => {
      autopilot.sessionStarted(client);
      await idle();
    },
  };
}

/** The run at the first of these steps; it is complete if there is none. */
function stateAt(steps: readonly FakeStep[], isPerformed: boolean): RunState {
  const list = steps.map(({ id, lacksTasks, isApproval, context }) => {
    if (isApproval === true) return approval(id);
    const fields = context === undefined ? {} : { context };
    return lacksTasks === true ? loop(id, fields) : action(id, fields);
  });
  const template = aTemplate(list.length === 0 ? [action('end')] : list, {
    loops: { tasks: [sub('do')] },
  });
  const machine = started(template);
  if (list.length === 0) machine.advance();
  machine.markContextActionExecuted();
  if (isPerformed)
    machine.performContextAction('clear', '2025-06-01T12:00:00.000Z');
  const state = stateWithMachine(
    startTemplateRun(template, undefined, new Date()),
    machine,
  );
  return steps[0]?.waits === true
    ? { ...state, phase: waitingPhase(state.phase, new Date()) }
    : state;
}

export interface FakeStep {
  readonly id: string;
  readonly context?: 'compact' | 'clear';
  readonly lacksTasks?: boolean;
  readonly isApproval?: boolean;
  /** Whether it was entered by `advance --wait`. */
  readonly waits?: boolean;
}

export async function idle(): Promise<void> {
  for (let round = 0; round < 60; round += 1)
    await new Promise((resolve) => setImmediate(resolve));
}
