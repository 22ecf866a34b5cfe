import type { JSX } from 'preact';
import type { LoopFacts, StepNode, StepState, TaskNode } from '../model/types/steps.ts';
import { Icon, type IconName } from './icons.tsx';
import { Chevron } from './parts.tsx';

const MARKS: Record<StepState, { icon: IconName | null; word: string }> = {
  done: { icon: 'check', word: 'done' },
  current: { icon: 'play', word: 'in progress' },
  waiting: { icon: 'pause', word: 'waiting' },
  open: { icon: null, word: 'to do' },
  skipped: { icon: 'skip', word: 'skipped' },
  passed: { icon: 'dash', word: 'passed by' },
  failed: { icon: 'cross', word: 'failed' },
  blocked: { icon: 'block', word: 'blocked' },
};

/** The steps on a line from top to bottom, with everything that decides how the run moves. */
export function StepDiagram({ steps }: { steps: StepNode[] }): JSX.Element {
  return (
    <ol class="diagram" start={steps[0]?.n ?? 1}>
      {steps.map((step) => (
        <StepItem key={step.n} step={step} />
      ))}
    </ol>
  );
}

function StepItem({ step }: { step: StepNode }): JSX.Element {
  const { icon, word } = MARKS[step.state];
  const isNow = ['current', 'waiting', 'blocked', 'failed'].includes(step.state);
  return (
    <li
      class={`step step-${step.state} kind-${step.kind}`}
      aria-current={isNow ? 'step' : undefined}
    >
      {step.contextBefore !== null && (
        <div class="boundary">
          <span class="boundary-word">
            <Icon name="compress" /> <code>/{step.contextBefore}</code> before this step
          </span>
        </div>
      )}
      <div class="step-row">
        <span class="step-mark">
          {icon === null ? <span>{step.n}</span> : <Icon name={icon} />}
        </span>
        <div class="step-body">
          <p class="step-head">
            <span class="step-title">{step.title}</span>
            {step.title !== step.id && step.kind !== 'phase' && (
              <span class="step-id">{step.id}</span>
            )}
            <span class="step-state">{word}</span>
          </p>
          <StepFacts step={step} />
          {step.iterations !== null && <Iterations {...step.iterations} state={step.state} />}
          {step.loop !== null && <Loop loop={step.loop} />}
          {step.reason !== null && <p class="step-reason">{step.reason}</p>}
          {step.output !== null && <p class="step-output">{step.output}</p>}
        </div>
      </div>
    </li>
  );
}

function StepFacts({ step }: { step: StepNode }): JSX.Element | null {
  const { kind, agent, gate, until, when, onFail, onReject, files } = step;
  const facts = [
    kind === 'approval' && <FactChip key="kind" icon="person" name="You decide" />,
    agent !== null && <FactChip key="agent" icon="agent" name="Agent" value={agent} />,
    when !== null && <FactChip key="when" icon="dash" name="Only when" value={when} isCode />,
    until !== null && <FactChip key="until" icon="loop" name="Until" value={until} isCode />,
    gate !== null && <FactChip key="gate" icon="gate" name="Gate" value={gate} isCode />,
    onReject !== null && (
      <FactChip key="reject" icon="back" name="If you reject, back to" value={onReject} />
    ),
    onFail !== null && <FactChip key="fail" icon="alert" name="On failure" value={onFail} />,
    ...files.map((path) => (
      <FactChip key={`file ${path}`} icon="file" name="File" value={path} isCode />
    )),
  ].filter((fact) => fact !== false);
  return facts.length === 0 ? null : <ul class="chips">{facts}</ul>;
}

function FactChip(props: {
  icon: IconName;
  name: string;
  value?: string;
  isCode?: boolean;
}): JSX.Element {
  const { icon, name, value, isCode = false } = props;
  return (
    <li class={`chip chip-${icon}`}>
      <Icon name={icon} />
      <span class="chip-name">{name}</span>
      {value !== undefined && (isCode ? <code>{value}</code> : <span>{value}</span>)}
    </li>
  );
}

const MOST_DOTS = 30;

function Iterations(props: {
  current: number | null;
  total: number;
  state: StepState;
}): JSX.Element {
  const { current, total, state } = props;
  const isDone = state === 'done';
  const words =
    current === null ? `up to ${total} times` : `iteration ${current} of ${total} at most`;
  return (
    <div class="iterations">
      <span class="loop-word">
        <Icon name="loop" /> {words}
      </span>
      {total <= MOST_DOTS && !isDone && (
        <span class="dots" aria-hidden="true">
          {Array.from({ length: total }, (_, index) => (
            <span key={index} class={dotClass(index + 1, current)} />
          ))}
        </span>
      )}
    </div>
  );
}

function dotClass(n: number, current: number | null): string {
  if (current === null || n > current) return 'task-dot';
  return n < current ? 'task-dot task-done' : 'task-dot task-in_progress';
}

/** A loop as a frame around its sub-steps, with its tasks below. */
function Loop({ loop }: { loop: LoopFacts }): JSX.Element {
  const { subSteps, tasks, tasksLeftOut } = loop;
  const done = tasks.filter(({ status }) => status === 'done').length;
  const total = tasks.length + tasksLeftOut;
  const current = tasks.find(({ isCurrent }) => isCurrent);
  return (
    <div class="loop">
      <p class="loop-word">
        <Icon name="loop" /> for each task
      </p>
      <ol class="sub-steps">
        {subSteps.map((subStep) => (
          <li key={subStep.id} class={subStep.isCurrent ? 'sub-step sub-step-now' : 'sub-step'}>
            {subStep.contextBefore !== null && (
              <span class="sub-boundary">
                <Icon name="compress" />
                <code>/{subStep.contextBefore}</code>
              </span>
            )}
            <span class="sub-step-box">
              <span class="sub-step-id">{subStep.id}</span>
              {subStep.isCurrent && <span class="visually-hidden"> (now)</span>}
              {subStep.agent !== null && <span class="muted small">{subStep.agent}</span>}
              {subStep.gate !== null && (
                <span class="sub-gate">
                  <Icon name="gate" />
                  <span class="visually-hidden">Gate </span>
                  <code>{subStep.gate}</code>
                </span>
              )}
            </span>
          </li>
        ))}
      </ol>
      {total === 0 ? (
        <p class="muted small">It has no tasks yet.</p>
      ) : (
        <details class="tasks">
          <summary>
            <Chevron />
            <span class="dots" aria-hidden="true">
              {tasks.slice(0, MOST_DOTS).map((task) => (
                <span key={task.id} class={`task-dot task-${task.status}`} />
              ))}
            </span>
            <span>
              {done} of {total} tasks done{current === undefined ? '' : `, now: ${current.title}`}
            </span>
          </summary>
          <ol>
            {tasks.map((task) => (
              <TaskItem key={task.id} task={task} />
            ))}
          </ol>
          {tasksLeftOut > 0 && <p class="muted">{tasksLeftOut} more are not drawn.</p>}
        </details>
      )}
    </div>
  );
}

const TASK_WORDS: Record<TaskNode['status'], string> = {
  pending: 'to do',
  in_progress: 'in progress',
  done: 'done',
  failed: 'failed',
};

function TaskItem({ task }: { task: TaskNode }): JSX.Element {
  return (
    <li class={`task-item task-item-${task.status}`}>
      <span class={`task-dot task-${task.status}`} aria-hidden="true" />
      <span>{task.title}</span>
      <span class="muted small">{TASK_WORDS[task.status]}</span>
    </li>
  );
}
