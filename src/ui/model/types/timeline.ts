import type { Fact } from './fact.ts';

/** Decides the icon and the filter that an event belongs to. */
export type EventKind =
  | 'progress'
  | 'context'
  | 'restore'
  | 'reading'
  | 'back'
  | 'trouble'
  | 'person'
  | 'session'
  | 'cost'
  | 'other';

export interface TimelineEntry {
  at: string;
  kind: EventKind;
  title: string;
  /** Reasons, outputs and feedback, as somebody wrote them. */
  text: string | null;
  /** Other fields of the event. */
  facts: Fact[];
  session: string | null;
  /** What a restore gave to the session. */
  restored: RestoredFacts | null;
  cost: number | null;
}

export interface RestoredFacts {
  given: string;
  characters: number | null;
  sections: { name: string; characters: number }[];
}

/** The very text that a restore gave; `sections` is null if no transcript has it. */
export interface RestoredText {
  sections: { name: string; text: string }[] | null;
}
