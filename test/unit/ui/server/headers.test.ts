import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { pagePolicy, SAFE_HEADERS } from '../../../../src/ui/server/headers.ts';

const hash = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

it('only the script and the style of the page may run', () => {
  const policy = pagePolicy('<style>p{}</style><body><script>run()</script></body>').split('; ');
  expect(policy).toEqual(
    expect.arrayContaining([
      "default-src 'none'",
      `script-src ${hash('run()')}`,
      `style-src ${hash('p{}')}`,
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]),
  );
  expect(policy.join()).not.toMatch(/unsafe|\*|https?:/);
});

it('a page without a script may run none', () => {
  expect(pagePolicy('<p>')).toContain("script-src 'none'");
});

it('no answer is stored, framed or readable by other sites', () => {
  expect(SAFE_HEADERS).toMatchObject({
    'Cache-Control': 'no-store',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  });
  expect(Object.keys(SAFE_HEADERS).join()).not.toMatch(/access-control/i);
});
