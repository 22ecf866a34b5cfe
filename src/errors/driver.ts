import type { Messages } from './messages.ts';

/** Failures of `holdfast run`. */
export interface DriverFailures {
  not_drivable: { run: string };
  nothing_to_drive: object;
  client_replaced: { run: string };
  no_client: { why: string };
  client_too_old: { version: string; least: string; missing: string };
  hooks_off: object;
  second_driver: { run: string; pid: number; host: string | null };
  held_by_session: { run: string; session: string; seen: string };
  project_not_trusted: { root: string; brings: string[] };
  driver_in_driver: { run: string };
  run_finished: { run: string; status: string };
  driver_lost: { run: string };
}

export const driverMessages: Messages<DriverFailures> = {
  not_drivable: ({ run }) => ({
    message: `${run} has no template, so there are no steps to drive`,
    hint: 'start one with `holdfast run --template <template>`; `holdfast templates` lists them',
  }),
  nothing_to_drive: () => ({
    message: 'no run here can be driven',
    hint: 'start one with `holdfast run --template <template>`; `holdfast templates` lists them',
  }),
  client_replaced: ({ run }) => ({
    message: `another client works on ${run} now`,
    hint: 'nothing was changed; this command belongs to a client that `holdfast run` has replaced',
  }),
  no_client: ({ why }) => ({
    message: `Claude Code was not found: \`claude\` ${why}`,
    hint: 'install it (npm install -g @anthropic-ai/claude-code), or add its folder to the PATH',
  }),
  client_too_old: ({ version, least, missing }) => ({
    message: `Claude Code ${version} cannot be driven: it has no ${missing}`,
    hint: `update it with \`claude update\`; ${least} or newer is needed`,
  }),
  hooks_off: () => ({
    message: 'HOLDFAST=off is set, so no hook would do anything, and a driven run depends on them',
    hint: 'unset HOLDFAST and repeat the command; nothing was started',
  }),
  second_driver: ({ run, pid, host }) => ({
    message: `${run} is being driven already, by process ${pid}${host === null ? '' : ` on ${host}`}`,
    hint: 'wait for it, or end it with Ctrl-C in its terminal; nothing was started',
  }),
  held_by_session: ({ run, session, seen }) => ({
    message: `${run} belongs to the live session ${session}, seen ${seen}`,
    hint: `end that session, or let go of the run there with \`holdfast release ${run}\``,
  }),
  project_not_trusted: ({ root, brings }) => ({
    message: `${root} is not trusted in Claude Code, and it brings ${brings.join(', ')}`,
    hint: 'read them, then start `claude` there once and accept its question; driven sessions would run them without asking',
  }),
  driver_in_driver: ({ run }) => ({
    message: `this command runs inside a session that \`holdfast run\` drives for ${run}`,
    hint: 'finish the step with `holdfast advance`; the driver continues the run',
  }),
  run_finished: ({ run, status }) => ({
    message: `${run} is ${status}`,
    hint: `bring it back with \`holdfast reopen ${run}\`, or start another with \`holdfast run --template <template>\``,
  }),
  driver_lost: ({ run }) => ({
    message: `another process drives ${run} now, because this one did not answer for a while`,
    hint: '`holdfast status` shows where the run stands',
  }),
};
