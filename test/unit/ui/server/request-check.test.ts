import { describe, expect, it } from 'vitest';
import {
  checkRequest,
  isSameSecret,
  type RequestFacts,
} from '../../../../src/ui/server/request-check.ts';

const access = { port: 4600, token: 'secret-token' };
const HOST = '127.0.0.1:4600';

function check(url: string, facts: Partial<RequestFacts> = {}): ReturnType<typeof checkRequest> {
  return checkRequest(
    { method: 'GET', url, host: HOST, origin: undefined, fetchSite: undefined, ...facts },
    access,
  );
}

describe('a request with the token', () => {
  it.each([
    ['/secret-token/', { kind: 'page' }],
    ['/secret-token/data/overview', { kind: 'overview' }],
    ['/secret-token/data/run?id=shop-1', { kind: 'run', id: 'shop-1' }],
    ['/secret-token/data/guidance?id=a%2Fb', { kind: 'guidance', id: 'a/b' }],
    ['/secret-token/data/restored?id=a&at=2025', { kind: 'restored', id: 'a', at: '2025' }],
    ['/secret-token/events', { kind: 'events', shown: null }],
    ['/secret-token/events?shown=shop', { kind: 'events', shown: 'shop' }],
  ])('%s is answered', (url, route) => {
    expect(check(url)).toEqual(route);
  });

  it.each([
    '/secret-token/../etc/passwd',
    '/secret-token/data/../../package.json',
    '/secret-token//data/overview',
    '/secret-token/data/overview/',
    '/secret-token/%2e%2e/x',
    '/secret-token/CLAUDE.md',
    `/secret-token/${'x'.repeat(3_000)}`,
  ])('there is nothing else: %s', (url) => {
    expect(check(url)).toBe('not_found');
  });
});

describe('the token', () => {
  it.each([
    '/',
    '',
    '/wrong/',
    '/secret-toke/',
    '/secret-tokens/',
    '/SECRET-TOKEN/',
    '/?secret-token',
  ])('a request without it is refused: "%s"', (url) => {
    expect(['token', 'not_found']).toContain(check(url));
  });

  it('is compared as a whole', () => {
    expect(isSameSecret('a', 'a')).toBe(true);
    expect(isSameSecret('a', 'ab')).toBe(false);
    expect(isSameSecret('', 'a')).toBe(false);
  });
});

describe('the host', () => {
  it.each([
    undefined,
    '',
    'localhost:4600',
    'evil.example',
    '127.0.0.1',
    '127.0.0.1:4601',
    '127.0.0.1:4600.evil.example',
    '[::1]:4600',
  ])('%s is refused, whatever the token', (host) => {
    expect(check('/secret-token/', { host })).toBe('host');
  });
});

describe('port 80', () => {
  const at80 = (facts: Partial<RequestFacts>): ReturnType<typeof checkRequest> =>
    checkRequest(
      {
        method: 'GET',
        url: '/secret-token/data/overview',
        host: '127.0.0.1',
        origin: undefined,
        fetchSite: undefined,
        ...facts,
      },
      { port: 80, token: 'secret-token' },
    );

  it('is left out of Host and Origin by clients', () => {
    expect(at80({})).toEqual({ kind: 'overview' });
    expect(at80({ origin: 'http://127.0.0.1' })).toEqual({ kind: 'overview' });
    expect(at80({ host: '127.0.0.1:80' })).toEqual({ kind: 'overview' });
  });

  it.each(['localhost', 'evil.example', '127.0.0.1:8080', '127.0.0.1.evil.example'])(
    'opens nothing to %s',
    (host) => {
      expect(at80({ host })).toBe('host');
      expect(at80({ origin: `http://${host}` })).toBe('origin');
    },
  );
});

describe('the origin', () => {
  it('of the page itself is answered', () => {
    expect(check('/secret-token/data/overview', { origin: `http://${HOST}` })).toEqual({
      kind: 'overview',
    });
  });

  it.each([
    'null',
    'http://evil.example',
    `https://${HOST}`,
    'http://127.0.0.1:4601',
    'http://localhost:4600',
  ])('%s is refused', (origin) => {
    expect(check('/secret-token/', { origin })).toBe('origin');
  });

  it.each(['cross-site', 'same-site', 'anything'])(
    'data is refused to %s requests',
    (fetchSite) => {
      expect(check('/secret-token/data/overview', { fetchSite })).toBe('origin');
      expect(check('/secret-token/events', { fetchSite })).toBe('origin');
    },
  );

  it('the page itself may be opened by a link anywhere', () => {
    expect(check('/secret-token/', { fetchSite: 'cross-site' })).toEqual({ kind: 'page' });
  });
});

describe('the method', () => {
  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'CONNECT', undefined])(
    '%s is refused',
    (method) => {
      expect(check('/secret-token/', { method })).toBe('method');
    },
  );

  it('HEAD neither opens a stream nor uses up the link for the browser', () => {
    expect(check('/secret-token/', { method: 'HEAD' })).toEqual({ kind: 'page' });
    expect(check('/secret-token/events', { method: 'HEAD' })).toBe('method');
    expect(check('/open/code', { method: 'HEAD' })).toBe('method');
  });
});

it('the link for the browser needs no token: its code is one', () => {
  expect(check('/open/code')).toEqual({ kind: 'open', code: 'code' });
  expect(check('/open/code', { host: 'evil.example' })).toBe('host');
});
