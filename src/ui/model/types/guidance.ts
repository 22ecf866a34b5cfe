/** What a session would get. */
export interface GuidancePage {
  kind: 'guidance' | 'none';
  /** Why this text, or why none. */
  why: string;
  characters: number;
  tokens: number;
  maxCharacters: number;
  sections: GuidanceSectionFacts[];
  leftOut: string[];
  /** The line that the user sees. */
  userLine: string;
}

export interface GuidanceSectionFacts {
  name: string;
  characters: number;
  tokens: number;
  /** Whether it stays the same within a step. */
  isFrame: boolean;
  cut: string | null;
  text: string;
}
