import type { Messages } from './messages.ts';

/** Failures of the server behind `holdfast ui`. */
export interface ServerFailures {
  /** `reason` is the code of the system. */
  port_refused: { port: number; reason: string };
}

export const serverMessages: Messages<ServerFailures> = {
  port_refused: ({ port, reason }) => ({
    message: portProblem(port, reason),
    hint: 'choose another with --port, or leave --port out to use any free one',
  }),
};

function portProblem(port: number, reason: string): string {
  switch (reason) {
    case 'EADDRINUSE':
      return `port ${port} is in use by another program`;
    case 'EACCES':
      return `you are not permitted to use port ${port}`;
    default:
      return `the system refused port ${port} (${reason})`;
  }
}
