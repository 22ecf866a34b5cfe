import fc from 'fast-check';
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

const NAMED = 'a value whose name says that it is secret';

describe('a secret that a text names', () => {
  it.each([
    'password: hunter2secret',
    'Password:hunter2secret',
    'DB_PASSWORD=abcd1234 npm test',
    'export API_KEY=abcd1234fast5678',
    'password=hunter2secret',
    "set dbPassword = 'hunter2secret', then restart",
    '{"client_secret": "abcd1234"}',
    'the api key: abcd1234fast.',
    'access token => abcd1234',
    'API_KEY=ABCD1234FAST5678',
    'passphrase: correct-horse-battery-staple9x',
    'docker login --password hunter2secret',
    'deploy --auth-token=abcd1234fast',
    'curl "https://example.org/?token=abcd1234fast&page=2"',
    'first line\nsecret: abcd1234\nlast line',
  ])('%s', (text) => {
    const named = { kind: NAMED };
    expect(findSecrets({ key_reminders: [text], context: { v: text } })).toEqual([
      { field: 'key_reminders[0]', ...named },
      { field: 'context.v', ...named },
    ]);
  });
});

describe('a text that only speaks of secrets is not one', () => {
  it.each([
    'password: required',
    'token: see vault',
    'Password: at least 12 characters, with letters and digits',
    'TOKEN=$X',
    'TOKEN=${GITHUB_TOKEN2} npm publish',
    'token: ${{ secrets.NPM_TOKEN_2 }}',
    'API_KEY=<your key>',
    'API_KEY=your-key-12345',
    'password: ***',
    'password: abc123***',
    'token: GITHUB_TOKEN_2',
    'set PASSWORD=%DB_PASSWORD2%',
    'secret: docs/secret2.md',
    'token: https://example.org/vault/item42',
    'token: base64-encoded',
    'secret: k8s-secret-v2',
    'token: oauth2-client-credentials',
    'token: 2026-11-16T10:00:00Z',
    'access token: v1.2.3-rc1',
    'secret: WORK-00258',
    'token === getToken2()',
    'token = readToken2(file)',
    'credentials: step 2 of 3',
    'The tokens: abcd1234fast is a test fixture',
  ])('%s', (text) => {
    expect(findSecrets({ key_reminders: [text], context: { v: text } })).toEqual([]);
  });

  const name = fc.constantFrom(
    'password',
    'Token',
    'API key',
    'secret',
    'DB_PASSWORD',
    'credentials',
    '--token',
  );
  const word = fc.oneof(
    name,
    fc.constantFrom('the', 'review', 'is required', 'rotated', 'vault', 'OAuth2', 'SHA-256', 'v2'),
    fc.constantFrom('src/auth/token2.ts', '$TOKEN2', '<your key>', '***', '1.24.0', 'RS256'),
    fc.constantFrom('aws-s3-bucket', 'two-factor', 'PROJ-1234', '2026-11-16', 'WORK_ID_2'),
    fc.nat({ max: 99_999_999 }).map(String),
  );
  const sign = fc.constantFrom(' ', ': ', ', ', '. ', ' (', ') ', '\n');

  it('whatever ordinary words follow a name', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(word, sign), { maxLength: 20 }), (parts) => {
        const text = parts.flat().join('');
        expect(findSecrets({ key_reminders: [text] })).toEqual([]);
      }),
    );
  });

  it('whatever value a name is given, the text is stopped if the value is letters and digits', () => {
    const value = fc
      .stringMatching(/^[a-z]{5,20}\d[a-z]{3,20}\d?$/)
      .filter((text) => !/^(?:your|example|placeholder|changeme|dummy|redacted|xxx)/.test(text));
    fc.assert(
      fc.property(name, value, (key, text) => {
        expect(findSecrets({ note: `note: ${key}=${text} for it` })).toHaveLength(1);
      }),
    );
  });
});

it('hashes of packages, keys and commits are no secrets', () => {
  const sha512 =
    'sha512-cjBr8Y0S0ea7RYSM8PtIsXqvz9ZZS4IeNc1aRdVMVL3qUnD0fzaNZPnw2mKmtmbsT7qCzVkEN2hAR8rJbZnyWg==';
  const sha256 = 'SHA256:p2QAMXNIC1TJYWeIOttrVc98/R1BUFWu3/LiyKgUfQM';
  for (const text of [
    sha512,
    `"integrity": "${sha512}"`,
    `host key ${sha256}`,
    'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=',
    'fixed in 4b825dc642cb6eb9a060e54bf8d69288fbee4904',
    `image@sha256:${'e3b0c442'.repeat(8)}`,
  ])
    expect(findSecrets({ key_reminders: [text] })).toEqual([]);
  // Not of the length of a digest.
  expect(findSecrets({ key_reminders: [sha512.replace('==', 'Ab3')] })).toHaveLength(1);
});
