import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import gitleaks from '../../../../src/sync/secrets/gitleaks-rules.json' with { type: 'json' };
import {
  findSecrets as find,
  redacted,
} from '../../../../src/sync/secrets/find-secrets.ts';

/** Without the values. */
const findSecrets = (value: unknown): { field: string; kind: string }[] =>
  find(value).map(({ field, kind }) => ({ field, kind }));

const NAMED = 'a value whose name says that it is secret';
const ABC = 'abcdefghijklmnopqrstuvwxyz0123456789';
const HEX = '0123456789abcdef'.repeat(4);
const MIX = 'aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY';

const TOKENS = `a Google OAuth token: ya29.ABC; an npm token: npm_ABC; a Hugging Face token: hf_ABC
a Vault token: hvs.ABC; a Docker token: dckr_pat_ABC; a Stripe key: sk_live_ABC
a Prefect key: pnu_ABC; a Twilio key: SKHEX32; a Mailgun key: key-HEX32
a Shopify token: shpat_HEX32; a Databricks token: dapiHEX32; a SonarQube token: squ_HEX40
a Sourcegraph token: sgp_HEX40; a Shippo token: shippo_live_HEX40
a DigitalOcean token: dop_v1_HEX64; a LangSmith key: lsv2_pt_HEX32_HEX10`;

/** Written in parts, so that no scanner takes this file for a leak. */
const SECRETS: [kind: string, text: string][] = [
  ...Array.from(
    TOKENS.matchAll(/(a.*?): (.*?)(?:;|$)/gm),
    ([, kind = '', format = '']): [string, string] => [
      kind,
      format
        .replaceAll(/HEX(\d+)/g, (_, length) => HEX.slice(0, length))
        .replace('ABC', ABC),
    ],
  ),
  ['a private key', ['-----BEGIN RSA', 'PRIVATE KEY-----\nMIIE'].join(' ')],
  ['an AWS access key', ['AKIA', 'ABCDEFGH12345678'].join('')],
  ['a random key', ['wJalrXUtnFEMI', 'K7MDENG', 'bPxRfiCYz3aLM2'].join('/')],
  [NAMED, `aws_secret_access_key = ${['kQ7/bPxRfi', 'CYz9+aLM2'].join('/')}`],
  [
    'a signed address',
    `https://shop.blob.core.windows.net/x?sv=2024&sig=${'aB3%2F'.repeat(6)}`,
  ],
  ['an Azure key', `AccountName=shop;AccountKey=${MIX}==`],
  ['an Azure client secret', ['abc8Q', '~', MIX].join('')],
  ['a Google API key', ['AIza', `SyA-${ABC.slice(0, 31)}`].join('')],
  ['a GitHub token', ['ghp_', ABC].join('')],
  ['a GitHub token', ['github_pat_', `11ABCDEFG0_${ABC}`].join('')],
  ['a GitLab token', ['glpat-', ABC.slice(0, 20)].join('')],
  ['an Atlassian token', ['ATATT3', ABC, ABC].join('')],
  ['a Slack token', ['xoxb-', '123456789012-abcdefghij'].join('')],
  [
    'a Slack webhook',
    `https://hooks.slack.com/${['services', 'T0000', 'B0000', ABC].join('/')}`,
  ],
  [
    'a Discord webhook',
    `https://discord.com/api/webhooks/${['123456789', `${ABC}${ABC}`].join('/')}`,
  ],
  ['a Telegram token', ['123456789', `AA${ABC.slice(0, 33)}`].join(':')],
  ['an API key', ['sk', 'ant', 'api03', ABC].join('-')],
  ['a PyPI token', ['pypi-', ABC, ABC].join('')],
  ['a SendGrid key', ['SG', ABC, ABC].join('.')],
  [
    'a HubSpot token',
    ['pat-na1-', '0199b8a4-7c7e-7e5d-8f6d-3a5d5f0e9a11'].join(''),
  ],
  [
    'a password hash',
    ['ann:$apr1$', ABC.slice(0, 8), '$', ABC.slice(0, 22)].join(''),
  ],
  ['a login in a file', 'machine example.org login ann password hunter22'],
  [
    'a JSON web token',
    ['eyJ', 'hbGciOiJIUzI1', '.eyJ', 'zdWIiOiIxMjM0', '.', ABC].join(''),
  ],
  ['a password in an address', 'postgres://ann:hunter22@db.internal:5432/shop'],
  ['a bearer token', `Authorization: Bearer ${ABC}`],
  [
    'a basic login',
    `Authorization: Basic ${['YW5uOmh1', 'bnRlcjIyMg=='].join('')}`,
  ],
  ['a login in a command', 'curl -u ann:hunter22 https://example.org'],
  ['a login in a command', "curl --user 'ann:hunter22' https://example.org"],
  ['a login in a command', 'sshpass -p hunter22 ssh ann@example.org'],
  ['a login in a command', 'mysql -u ann -phunter22 shop'],
  [NAMED, 'the password is hunter2'],
  [NAMED, 'DB_PASS=hunter2secret npm test'],
  [NAMED, "set dbPassword = 'hunter2secret', then restart"],
  [NAMED, '{"client_secret": "abcd1234"}'],
  [NAMED, 'curl "https://example.org/?token=abcd1234fast&page=2"'],
  [NAMED, 'first line\nsecret: abcd1234\nlast line'],
];

it.each(SECRETS)(
  '%s is found, by the name of its field alone: %#',
  (kind, text) => {
    const found = findSecrets({
      key_reminders: ['fine', text],
      a: { b: [{ c: `use ${text} now` }] },
    });
    expect(found).toEqual([
      { field: 'key_reminders[1]', kind },
      { field: 'a.b[0].c', kind },
    ]);
  },
);

it.each(gitleaks)(
  'what a rule of gitleaks describes is found: $kind',
  (rule) => {
    const { words, value, pattern = value } = rule;
    // Generated strings match from end to end and need no look around.
    const whole = pattern?.replaceAll(
      /\(\?!.*\)$|\\b|\(\?:\^.*?\)|\(\?:\$.*\)$/g,
      '',
    );
    const secret = fc
      .stringMatching(new RegExp(`^${whole}$`))
      .filter((text) => /\d/.test(text));
    fc.assert(
      fc.property(secret, (text) => {
        expect(findSecrets({ note: `${words[0]}_key: ${text}` })).toHaveLength(
          1,
        );
      }),
      { numRuns: 1 },
    );
  },
);

it.each([
  ...[
    'password',
    'db_password',
    'dbPassword',
    'API_KEY',
    'api-key',
    'apiKey',
    'secret',
    'pwd',
  ],
  ...[
    'client_secret',
    'token',
    'auth.token',
    'refreshToken',
    'DB_PASS',
    'signing_key',
  ],
])(
  'a value called %s is taken for a secret, also if it has a slash',
  (name) => {
    for (const value of ['hunter2!', ['kQ7/bPxRfi', 'CYz9+aLM2'].join('/')])
      expect(findSecrets({ context: { [name]: value } })).toHaveLength(1);
  },
);

it.each([
  ['secret', 'docs/secret.md'],
  ['password', '${DB_PASSWORD}'],
  ['api_key', 'API_KEY'],
  ['token', ''],
  ['compass', 'hunter2!'],
])('a field %s with %s is not a secret', (key, value) => {
  expect(findSecrets({ context: { [key]: value } })).toEqual([]);
});

describe('the value that a finding stands for, of which its fingerprint is made', () => {
  const valuesIn = (text: string): string[] =>
    find({ text }).map(({ value }) => value);

  it('is the secret without the text around it, each by itself', () => {
    const text =
      'DB_PASS=hunter2secret on staging; the token: abcd1234fast expires in May';
    expect(valuesIn(text)).toEqual(['hunter2secret', 'abcd1234fast']);
    expect(valuesIn(`Note: ${text}`)).toEqual(valuesIn(text));
  });

  it('is all of a private key, so that one of the same form is another one', () => {
    const pem = (body: string): string =>
      [
        ['-----BEGIN RSA', 'PRIVATE KEY-----'].join(' '),
        'Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF\n',
        `${body}\n-----END`,
      ].join('\n');
    const [one, two] = [MIX, MIX.toLowerCase()].map((body) =>
      valuesIn(pem(body)),
    );
    expect(one).toHaveLength(1);
    expect(one?.[0]).toContain(MIX);
    expect(two).not.toEqual(one);
  });

  it('is all that two rules find in one place', () => {
    const token = ['ghp_', ABC].join('');
    expect(valuesIn(`API_TOKEN=${token},${MIX}`)).toEqual([`${token},${MIX}`]);
    expect(valuesIn(`password = ${token}`)).toEqual([token]);
  });
});

it.each(['a-', 'x.', 'mysql ', 'Cookie: a=', 'login a ', 'jira ', 'ey'])(
  'a long text of "%s" takes no time',
  (part) => {
    expect(findSecrets({ note: part.repeat(50_000) })).toEqual([]);
  },
);

it.each([
  'A_TOKEN=',
  'password: |\n',
  'token for a b ',
  '<a b="',
  '"name": "token",\n',
  'pass ',
])('many beginnings of secrets in "%s" take no time', (part) => {
  expect(findSecrets({ note: part.repeat(10_000) }).length).toBeLessThan(100);
});

it('a journal loses the value and keeps the rest', () => {
  const [, token = ''] = SECRETS[0] ?? [];
  expect(
    redacted({
      event: 'advanced',
      output: `done with ${token}`,
      n: 1,
      list: ['a'],
    }),
  ).toEqual({
    event: 'advanced',
    output: '[removed: looks like a secret]',
    n: 1,
    list: ['a'],
  });
});

describe('after the name of a secret', () => {
  const name = fc.constantFrom(
    'password',
    'Token',
    'API key',
    'secret',
    'DB_PASSWORD',
    '--token',
  );
  const word = fc.oneof(
    name,
    fc.constantFrom(
      'the',
      'review',
      'is required',
      'rotated',
      'vault',
      'OAuth2',
      'SHA-256',
      'v2',
    ),
    fc.constantFrom(
      'src/auth/token2.ts',
      '$TOKEN2',
      '<your key>',
      '***',
      '1.24.0',
      'RS256',
    ),
    fc.constantFrom(
      'aws-s3-bucket',
      'two-factor',
      'PROJ-1234',
      '2026-11-16',
      'WORK_ID_2',
    ),
    fc.nat({ max: 9_999_999 }).map(String),
  );
  const sign = fc.constantFrom(' ', ': ', ', ', '. ', ' (', ') ', '\n');

  it('ordinary words are fine', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(word, sign), { maxLength: 20 }),
        (parts) => {
          expect(
            findSecrets({ key_reminders: [parts.flat().join('')] }),
          ).toEqual([]);
        },
      ),
    );
  });

  it('any value of letters and digits is stopped', () => {
    const value = fc
      .stringMatching(/^[a-z]{5,20}\d[a-z]{3,20}\d?$/)
      .filter(
        (text) =>
          !/^(?:your|example|placeholder|changeme|dummy|redacted|xxx)/.test(
            text,
          ),
      );
    fc.assert(
      fc.property(name, value, (key, text) => {
        expect(
          findSecrets({ note: `note: ${key}=${text} for it` }),
        ).toHaveLength(1);
      }),
    );
  });
});
