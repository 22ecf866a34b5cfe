import { describe, expect, it } from 'vitest';
import { apiTrouble, describeApiTrouble } from '../../../../src/headless/turn/api-trouble.ts';

describe('trouble with the API', () => {
  // As the clients 2.1.197 and 2.1.325 word it.
  it.each([
    [429, 'API Error: Request rejected (429) · slow down', 'rate_limit'],
    [529, 'API Error: 529 Overloaded', 'overloaded'],
    [500, 'API Error: 500 Internal server error', 'server'],
    [503, '', 'server'],
    [404, "There's an issue with the selected model", 'model'],
    [413, 'Request too large (max 32MB)', 'too_large'],
    [400, 'API Error: 400 bad', 'request'],
    [null, 'API Error: Unable to connect to API (ConnectionRefused)', 'refused'],
    [
      null,
      'API Error: Connection refused — a firewall may be blocking it (ECONNREFUSED)',
      'refused',
    ],
    [null, 'API Error: Connection to the API was lost (ECONNRESET). Try again.', 'cut'],
    [null, 'API Error: Unable to connect to API (FailedToOpenSocket)', 'unreachable'],
    [
      null,
      "API Error: Can't reach the API server — check your internet (ENOTFOUND)",
      'unreachable',
    ],
    [null, '', 'unreachable'],
  ] as const)('status %s, "%s" is %s', (status, words, trouble) => {
    expect(apiTrouble(status, words)).toBe(trouble);
  });

  it('is described differently for every kind', () => {
    const kinds = [
      'rate_limit',
      'overloaded',
      'server',
      'refused',
      'unreachable',
      'cut',
      'model',
      'too_large',
      'request',
    ] as const;
    const texts = kinds.map((kind) => describeApiTrouble(kind));
    expect(new Set(texts.map(({ message }) => message)).size).toBe(kinds.length);
    expect(new Set(texts.map(({ advice }) => advice)).size).toBe(kinds.length);
  });
});
