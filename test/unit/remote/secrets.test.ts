import { describe, expect, it } from 'vitest';
import { findSecrets, redacted } from '../../../src/remote/secrets.ts';

/** Written in parts, so that no scanner takes this file for a leak. */
const SECRETS: [kind: string, value: string][] = [
  ['a private key', ['-----BEGIN RSA', 'PRIVATE KEY-----\nMIIE'].join(' ')],
  ['an AWS access key', ['AKIA', 'ABCDEFGH12345678'].join('')],
  ['a GitHub token', ['ghp_', 'abcdefghijklmnopqrstuvwxyz0123456789'].join('')],
  ['a GitHub token', ['github_pat_', '11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz'].join('')],
  ['a GitLab token', ['glpat-', 'abcdefghij0123456789'].join('')],
  ['a Slack token', ['xoxb-', '123456789012-abcdefghij'].join('')],
  ['an API key', ['sk', 'ant', 'api03', 'abcdefghijklmnop'].join('-')],
  ['a Stripe key', ['sk_live_', 'abcdefghij0123456789'].join('')],
  ['a Google API key', ['AIza', 'SyA-abcdefghijklmnopqrstuvwxyz01234'].join('')],
  ['an npm token', ['npm_', 'abcdefghijklmnopqrstuvwxyz0123456789'].join('')],
  [
    'a JSON web token',
    ['eyJ', 'hbGciOiJIUzI1', '.eyJ', 'zdWIiOiIxMjM0', '.', 'SflKxwRJSMeKKF2QT4'].join(''),
  ],
  ['a password in an address', 'postgres://ann:hunter22@db.internal:5432/shop'],
  ['a bearer token', ['Authorization: Bearer ', 'abcdefghijklmnopqrstuvwx'].join('')],
  ['a random key', 'wJalrXUtnFEMIK7MDENGbPxRfiCYzEXAMPLEKEY1'],
];

it.each(SECRETS)('%s is found, by the name of its field alone', (kind, value) => {
  const found = findSecrets({ context: { note: `use ${value} for it` } });
  expect(found).toEqual([{ field: 'context.note', kind }]);
  expect(JSON.stringify(found)).not.toContain(value);
});

it.each([
  'password',
  'db_password',
  'dbPassword',
  'API_KEY',
  'api-key',
  'apiKey',
  'secret',
  'client_secret',
  'token',
  'auth.token',
])('a value called %s is taken for a secret', (name) => {
  expect(findSecrets({ context: { [name]: 'hunter2!' } })).toHaveLength(1);
});

it('fields in lists and objects are named by their path', () => {
  const [kind, value] = SECRETS[2] ?? ['', ''];
  expect(findSecrets({ key_reminders: ['fine', value], a: { b: [{ c: value }] } })).toEqual([
    { field: 'key_reminders[1]', kind },
    { field: 'a.b[0].c', kind },
  ]);
});

describe('what people write about a workflow is not a secret', () => {
  it.each([
    ['a commit', '4b825dc642cb6eb9a060e54bf8d69288fbee4904'],
    ['a digest', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['a uuid', '0199b8a4-7c7e-7e5d-8f6d-3a5d5f0e9a11'],
    ['a path', '{project_root}/src/components/UserProfileSettings2/index.generated.test.ts'],
    ['a long path', 'packages/Api2/src/main/java/org/example/Shop/OrderServiceImplementation.java'],
    ['a branch', 'feature/WORK-00258-log-in-with-a-magic-link-for-returning-customers'],
    ['a sentence', 'Keep the API stable: tokens are rotated by the platform team every 30 days.'],
    ['an address', 'https://example.org/shop/issues/42?filter=open#comment-1234567890'],
    ['a port', 'http://localhost:8080/path@2'],
    ['a template', 'postgres://${USER}:${PASSWORD}@localhost/shop'],
    ['a run', 'a-rather-long-name-of-a-workflow-with-many-words-20261115_200550'],
    ['a command', 'npm run test -- --project unit --reporter=verbose && npm run build'],
    ['a camel case name', 'WorkflowStateMachineContextActionExecutedHandlerFactoryImplementation'],
  ])('%s', (_, value) => {
    expect(findSecrets({ context: { note: value }, key_reminders: [value] })).toEqual([]);
  });

  it.each([
    ['token', 'the one from the vault'],
    ['secret', 'docs/secret.md'],
    ['password', '${DB_PASSWORD}'],
    ['api_key', 'API_KEY'],
    ['token', ''],
    ['tokens', 'hunter2!'],
  ])('%s: %s', (key, value) => {
    expect(findSecrets({ context: { [key]: value } })).toEqual([]);
  });
});

it('a journal loses the value and keeps the rest', () => {
  const [, token = ''] = SECRETS[2] ?? [];
  expect(redacted({ event: 'advanced', output: `done with ${token}`, n: 1, list: ['a'] })).toEqual({
    event: 'advanced',
    output: '[removed: looks like a secret]',
    n: 1,
    list: ['a'],
  });
});
