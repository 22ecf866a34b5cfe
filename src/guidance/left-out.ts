import { sanitizeLine, truncate } from '../text/sanitize.ts';
import type { Guidance } from './guidance.ts';

const MAX_PATH = 240;

/** What a guidance leaves out, and why. Only people ask for it, so hooks do not load it. */
export function leftOutOf(guidance: Guidance): string[] {
  return [
    ...guidance.omitted.map(
      ({ title, shownBy }) => `${title}: left out for lack of space; \`${shownBy}\` shows it`,
    ),
    ...notPreserved(guidance),
    ...notInlined(guidance),
  ];
}

/** What a clear does not carry over stays in the state file and is only left out of the text. */
function notPreserved({ input: { step, run } }: Guidance): string[] {
  if (step === null) return [];
  const isLeft = (kind: 'context' | 'artifact', key: string): boolean =>
    !step.given.has(`${kind} ${key}`) && !step.isListed(kind, key);
  const { context, artifacts } = run.state;
  const keys = [
    ...Object.keys(context ?? {}).filter((key) => isLeft('context', key)),
    ...Object.keys(artifacts ?? {}).filter((key) => isLeft('artifact', key)),
  ];
  return [
    ...step.unknown.map(
      (key) => `"${sanitizeLine(key)}" should be preserved, but does not exist yet`,
    ),
    ...keys.map(
      (key) =>
        `${truncate(sanitizeLine(key), 100)}: the transition into this step does not preserve it`,
    ),
  ];
}

function notInlined({ input, inlined }: Guidance): string[] {
  const { reading, contentOf, inlineChars } = input;
  const given = new Set(inlined.map(({ id }) => id));
  return reading.flatMap(({ path, state }) => {
    if (given.has(path) || state === 'missing' || state === 'outside' || state === 'host')
      return [];
    const content = contentOf(path);
    if (content?.trim() === '') return [];
    const why =
      content === undefined
        ? 'not a text file, too large, or withheld from agents'
        : content.length > inlineChars
          ? `its ${content.length} characters exceed the limit of ${inlineChars} for inlined files`
          : `no space is left for its ${content.length} characters`;
    return [
      `content of ${truncate(sanitizeLine(path), MAX_PATH)}: ${why}; listed for the Read tool`,
    ];
  });
}
