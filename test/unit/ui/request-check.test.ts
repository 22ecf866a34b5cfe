import { expect, it } from 'vitest';
import { checkRequest } from '../../../src/ui/request-check.ts';

const HOST = '127.0.0.1:4600';
const PAGE = '/secret-token/';
const DATA = `${PAGE}data/overview`;

interface Facts {
  method?: string | undefined;
  host?: string;
  origin?: string;
  site?: string;
  port?: number;
}

/** The route of a request, or the status and the first word or two of a refusal. */
function check(url: string, facts: Facts = {}): object | string {
  const { method = 'GET', host = HOST, origin, site, port = 4600 } = facts;
  const headers = {
    host,
    ...(origin === undefined ? {} : { origin }),
    ...(site === undefined ? {} : { 'sec-fetch-site': site }),
  };
  const checked = checkRequest(
    { method, url, headers },
    { port, token: 'secret-token', mayChangeRuns: false },
  );
  if (!('status' in checked)) return checked;
  const why = [
    'token',
    'host name',
    'other sites',
    'only shows',
    'nothing at',
  ].find((words) => checked.body.includes(words));
  return `${checked.status} ${why}`;
}

const data = (
  view: string,
  id = '',
  project = 'runs',
  kind = 'data',
): object => ({
  kind,
  view,
  project,
  id,
});

it.each<[string, object]>([
  [PAGE, { kind: 'page' }],
  [DATA, data('overview')],
  [`${PAGE}data/run?id=shop-1`, data('run', 'shop-1')],
  [`${PAGE}data/run?project=0a&id=a`, data('run', 'a', '0a')],
  [`${PAGE}events`, data('overview', '', 'runs', 'events')],
  [`${PAGE}events?view=run&project=0a&id=a`, data('run', 'a', '0a', 'events')],
])('%s is answered', (url, route) => {
  expect(check(url)).toEqual(route);
});

it.each([
  `${PAGE}../etc/passwd`,
  `${PAGE}/data/overview`,
  `${PAGE}CLAUDE.md`,
  `${PAGE}${'x'.repeat(3_000)}`,
  '',
])('there is nothing at "%s"', (url) => {
  expect(check(url)).toBe('404 nothing at');
});

it.each([
  '/',
  '/wrong/',
  '/secret-toke/',
  '/secret-tokens/',
  '/SECRET-TOKEN/',
  '/?secret-token',
])('%s has no valid token', (url) => {
  expect(check(url)).toBe('403 token');
});

it.each([
  '',
  'localhost:4600',
  'evil.example',
  '127.0.0.1',
  '127.0.0.1:4601',
  '[::1]:4600',
])('the host "%s" is refused, whatever the token', (host) => {
  expect(check(PAGE, { host })).toBe('403 host name');
});

it.each([
  'null',
  'http://evil.example',
  `https://${HOST}`,
  'http://127.0.0.1:4601',
])('the origin %s is refused', (origin) => {
  expect(check(PAGE, { origin })).toBe('403 other sites');
});

it('the page may ask for data, and a link anywhere may open the page; other sites get no data', () => {
  expect(
    check(DATA, { origin: `http://${HOST}`, site: 'same-origin' }),
  ).toEqual(data('overview'));
  expect(check(PAGE, { site: 'cross-site' })).toEqual({ kind: 'page' });
  for (const site of ['cross-site', 'same-site', 'anything'])
    for (const url of [DATA, `${PAGE}events`])
      expect(check(url, { site })).toBe('403 other sites');
});

it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'CONNECT', ''])(
  'the method "%s" is refused',
  (method) => {
    expect(check(PAGE, { method })).toBe('405 only shows');
  },
);
