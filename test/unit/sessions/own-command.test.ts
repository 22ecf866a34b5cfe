import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { isOwnCommand as isOwn } from '../../../src/sessions/own-command.ts';

describe('a call of holdfast and nothing else', () => {
  test.each([
    'holdfast',
    'holdfast status',
    '  holdfast status  ',
    'npx holdfast status',
    'npx -y holdfast@1.2.3 status --json',
    `holdfast advance --output "it's done; see docs & notes > x"`,
    `holdfast update --remind 'costs $5, $(not run) \`nor this\`'`,
    'holdfast advance --output "first line\nsecond line"',
    'holdfast advance --output "he said \\"go\\""',
    'holdfast update --remind x && holdfast status',
    'holdfast status; holdfast list',
    'holdfast status\nholdfast list\n',
    'holdfast status 2>&1',
    'holdfast status 2>/dev/null',
    'holdfast start Größe --read docs/*.md',
    "holdfast advance --output - <<'EOF'\nit's $(not run); nor `this`\n\nEOF",
    'holdfast todo set - <<"EOF"\n$(not run)\nEOF',
    `holdfast pivot plan --feedback - <<'END'\nEND`,
  ])('%s', (command) => {
    expect(isOwn(command)).toBe(true);
  });
});

describe('anything else', () => {
  test.each([
    '',
    ' ',
    ';',
    'ls',
    'rm -rf holdfast',
    'holdfast status; rm -rf x',
    'holdfast status && rm -rf x',
    'holdfast status || rm -rf x',
    'holdfast status & rm -rf x',
    'holdfast status &',
    'holdfast status | sh',
    'holdfast status\nrm -rf x',
    'holdfast status\r\nrm -rf x',
    'holdfast status $(rm -rf x)',
    'holdfast status "$(rm -rf x)"',
    'holdfast status `rm -rf x`',
    'holdfast status "`rm -rf x`"',
    "holdfast status $'\\'' ; rm -rf x #'",
    'holdfast status # "\nrm -rf x #"',
    "holdfast status \\'; rm -rf x; echo \\'",
    'holdfast status "\\`rm -rf x`"',
    'holdfast status "a\\\\"; rm -rf x; echo "',
    'holdfast status > src/index.ts',
    'holdfast status >> x',
    'holdfast todo set - <<EOF\nrm\nEOF',
    "holdfast todo set - <<'EOF'\nx\nEOF\nrm -rf x\nEOF",
    "holdfast todo set - <<'EOF'\nEOF\nrm -rf x\nEOF",
    "holdfast todo set - <<'EOF'; rm -rf x\nx\nEOF",
    "holdfast todo set - <<'EOF'\nx",
    "holdfast todo set - <<'EOF'\nx\n EOF",
    "holdfast todo set - <<'EOF' <<'EOF'\nx\nEOF",
    "holdfast todo set '- <<'EOF'\nrm -rf x\nEOF",
    "holdfast status # <<'EOF'\nrm -rf x\nEOF",
    "tee x <<'EOF'\nholdfast status\nEOF",
    'holdfast todo set - < x',
    'holdfast status <(rm -rf x)',
    'holdfast status "unclosed',
    "holdfast status 'unclosed",
    'holdfast status 2>&1; rm -rf x',
    '(holdfast status)',
    '{ holdfast status; }',
    '! holdfast status',
    'X=1 holdfast status',
    'sudo holdfast status',
    'sh -c "holdfast status"',
    './holdfast status',
    'bin/holdfast status',
    '/home/dev/shop/holdfast status',
    'holdfast.cjs status',
    'holdfast2 status',
    'npx holdfast-evil',
    'npx -p evil holdfast',
    'npx evil holdfast',
    'npx holdfast@file:./evil status',
    'npx --package=evil holdfast',
    'node bin/holdfast.cjs status',
    'node /home/dev/.claude/holdfast/bin/holdfast.cjs status',
  ])('%s', (command) => {
    expect(isOwn(command)).toBe(false);
  });

  test('a call with anything unquoted before or after it', () => {
    const joint = fc.constantFrom(';', '&&', '||', '|', '&', '\n', '$(', '`', '>', '<');
    const blank = fc.constantFrom('', ' ');
    fc.assert(
      fc.property(joint, blank, fc.boolean(), (sign, space, isAfter) => {
        const parts = isAfter ? ['holdfast status', 'touch x'] : ['touch x', 'holdfast status'];
        expect(isOwn(parts.join(`${space}${sign}${space}`))).toBe(false);
      }),
    );
  });
});

test.each(['a', '" ', "'", ' ', ';', '\\'])('a command of megabytes of %j is handled', (piece) => {
  expect(isOwn(`holdfast todo add ${piece.repeat(280_000 / piece.length)}`)).toBeTypeOf('boolean');
  expect(isOwn(`holdfast todo add ${piece.repeat(5_000_000)}`)).toBe(false);
});
