import { lineFor } from '../../artifacts/print.ts';
import type { TransitionArtifacts } from '../../operations/artifacts-at-move.ts';

/** What is due after a person has moved a run: the session that works on it loads the content itself. */
export function artifactsDueText({ due, absent }: TransitionArtifacts): string {
  if (due.length === 0) return '';
  const names = due.map(({ id }) => id).join(', ');
  return [
    `Due at this step: ${names}. In the session, holdfast status names what it has to load.`,
    ...absent.map((one) => `Required: ${lineFor(one)}`),
  ].join('\n');
}
