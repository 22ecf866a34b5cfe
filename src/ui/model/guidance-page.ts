import { estimatedTokens } from '../../guidance/budget.ts';
import { leftOutOf } from '../../guidance/left-out.ts';
import { describeRestoration } from '../../restore/describe-reason.ts';
import type { RenderedRestoration } from '../../restore/render-restoration.ts';
import { sectionTitle } from './restored.ts';
import { manyLines, oneLine } from './text.ts';
import type { GuidancePage } from './types/guidance.ts';

/** What a session would get, section by section. */
export function guidancePage(
  { choice, text, guidance, userLine }: RenderedRestoration,
  maxCharacters: number,
): GuidancePage {
  const sections = guidance?.sections ?? [];
  const characters = text?.length ?? 0;
  return {
    kind: text === null ? 'none' : 'guidance',
    why: oneLine(describeRestoration(choice)),
    characters,
    tokens: estimatedTokens(characters),
    maxCharacters,
    sections: sections.map(({ name, part, text: content, cut }) => ({
      name: sectionTitle(name),
      characters: content.length,
      tokens: estimatedTokens(content.length),
      isFrame: part === 'frame',
      cut: cut === null ? null : oneLine(cut),
      text: manyLines(content, 20_000),
    })),
    leftOut: (guidance === null ? [] : leftOutOf(guidance)).map((line) => oneLine(line)),
    userLine: oneLine(userLine),
  };
}

/** For a run that no session would be given. */
export function noGuidance(why: string, maxCharacters: number): GuidancePage {
  return {
    kind: 'none',
    why,
    characters: 0,
    tokens: 0,
    maxCharacters,
    sections: [],
    leftOut: [],
    userLine: '',
  };
}
