import { describe, expect, it } from 'vitest';
import { findSecrets } from '../../../../src/sync/secrets/find-secrets.ts';
import { HARMLESS_TEXTS } from './harmless-texts.ts';
import { SECRET_TEXTS } from './secret-texts.ts';

/** A text in each of the places of a run where people and agents write. */
const inPlaces = (text: string): Record<string, object> => ({
  note: { notes: [{ at: '2026-11-16T10:00:00Z', phase: '1/3', text }] },
  fact: { context: { remark: text } },
  reminder: { key_reminders: ['Run the tests first.', text] },
  output: { outputs: { '1': { text } } },
  'text of several lines': {
    summary: `What we know so far\n\n${text}\n\nThen deploy.`,
  },
});

const placesWithSecret = (text: string): string[] =>
  Object.entries(inPlaces(text)).flatMap(([place, state]) =>
    findSecrets(state).length > 0 ? [place] : [],
  );

describe.each(Object.entries(SECRET_TEXTS))(
  'a secret is found in %s',
  (_where, texts) => {
    it.each(texts)('%s', (text) => {
      expect(placesWithSecret(text)).toEqual(Object.keys(inPlaces(text)));
    });
  },
);

describe.each(Object.entries(HARMLESS_TEXTS))(
  'no secret is found in %s',
  (_what, texts) => {
    it.each(texts)('%s', (text) => {
      expect(placesWithSecret(text)).toEqual([]);
    });
  },
);
