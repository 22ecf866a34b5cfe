import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ALLOWED_COMMANDS,
  decidePermission as decide,
  isOwnCommand,
} from '../../../src/sessions/permission.ts';

// cspell:words taskset ionice

test.each(ALLOWED_COMMANDS)('holdfast %s needs no prompt', (name) => {
  expect(decide(`holdfast ${name}`)).toBe('allow');
  expect(decide(`holdfast ${name} user-auth --force`)).toBe('ask');
});

test.each([
  'holdfast',
  'holdfast --help',
  'holdfast help cancel',
  'holdfast doctor',
  '  holdfast status\n',
  '"holdfast" status',
  'holdfast start "User Auth" --phases "A,B,C" --read docs/a.md',
  `holdfast advance --output "it's done; see a & b > c | d"`,
  "holdfast advance --output 'costs $5, `not run`, $(nor this), \\ and --force'",
  'holdfast advance --output "first line\nsecond line # no comment"',
  'holdfast note "use --force? never * [x] {a,b} ~"',
  'holdfast update --set größe=1.5 --remind 日本',
  "holdfast advance --output - <<'EOF'\nit's $(not run); nor `this`\nholdfast cancel\nEOF",
])('%j is allowed', (command) => {
  expect(decide(command)).toBe('allow');
  expect(isOwnCommand(command)).toBe(true);
  expect(isOwnCommand(`${command}; rm -rf x`)).toBe(false);
});

test.each([
  ['holdfast note "a && b; c" && holdfast status', 'allow'],
  ['holdfast note x; holdfast status', 'allow'],
  ['holdfast note x\nholdfast advance\n', 'allow'],
  ["holdfast note 'first\nsecond' && holdfast status --json", 'allow'],
  ['holdfast status && holdfast note x ; holdfast advance', 'allow'],
  ['holdfast note x && holdfast approve x', 'ask'],
  ['holdfast note x\nholdfast advance --force', 'ask'],
  ['holdfast status && holdfast export x', null],
  ['holdfast status && touch x', null],
  ['holdfast status || holdfast note x', null],
  ['holdfast status & holdfast note x', null],
  ['holdfast status | holdfast note x', null],
  ['holdfast status &&& holdfast note x', null],
  ['holdfast status;; holdfast note x', null],
  ['holdfast status && ', null],
  ['&& holdfast status', null],
  ['holdfast status && status', null],
  ['holdfast status && A=1 holdfast status', null],
  ['holdfast status # no\nholdfast status', null],
  ['holdfast status \\\nholdfast status', null],
  ['holdfast status && holdfast note "$(rm -rf x)"', null],
  ['holdfast status > x; holdfast status', null],
  ["holdfast todo set - <<'EOF' && holdfast status\nx\nEOF", null],
  ["holdfast status && holdfast todo set - <<'EOF'\nx\nEOF", null],
  ['(holdfast status; holdfast status)', null],
  ['holdfast status && !holdfast status', null],
  ['holdfast status && { holdfast status; }', null],
])('of several commands %j is decided as %s', (command, decision) => {
  expect(decide(command)).toBe(decision);
});

test.each([
  ['holdfast cancel x', true],
  ['holdfast status 2>&1', true],
  ['npx holdfast status', true],
  ['npx -y holdfast@1.2.3 status --json', true],
  ['npx holdfast-evil', false],
  ['npx -p evil holdfast', false],
  ['npx holdfast@file:./evil status', false],
  ['./holdfast status', false],
  ['holdfast status 2> /dev/null', true],
  ['holdfast status 2>&1; rm -rf x', false],
  ['holdfast status > src/index.ts', false],
  ['holdfast status "$(rm -rf x)"', false],
  ["holdfast todo set - <<'EOF'\nEOF\nrm -rf x\nEOF", false],
  ["holdfast todo set - <<'EOF' <<'EOF'\nx\nEOF", false],
  ["holdfast todo set '- <<'EOF'\nrm -rf x\nEOF", false],
  ["tee x <<'EOF'\nholdfast status\nEOF", false],
  [`holdfast todo add ${'x'.repeat(5_000_000)}`, false],
])('%.80j changes nothing but a run: %s', (command, isOwn) => {
  expect(isOwnCommand(command)).toBe(isOwn);
});

test.each([
  ...'takeover approve reject cancel reopen import trust untrust run sync ui init uninstall answer hook autopilot mcp statusline'
    .split(' ')
    .map((name) => `holdfast ${name}`),
  'holdfast doctor --fix',
  'holdfast complete --purge',
  'holdfast resume x --force',
  'holdfast resume x --fo"rce"',
  "holdfast resume x '--force'",
  'holdfast resume x --f\\orce',
  'holdfast resume x \\\n  --force',
  'F=--force; holdfast resume x $F',
  'holdfast --cwd /elsewhere status',
  'holdfast status --cwd /elsewhere',
  'holdfast --session --session cancel',
  'holdfast --session s1 status',
  'holdfast --session=s1 advance',
  'holdfast advance --session s1',
  'holdfast advance "--session" s1',
  'holdfast advance --ses"sion=s1"',
  'S=--session; holdfast note x $S s1',
  'holdfast note x $(printf %s --session) s1',
  'holdfast status --{session,x} s1',
  'F=force; holdfast resume x --$F',
  'holdfast resume x "--$(echo fo)rce"',
  'env holdfast --session s1 note x',
  'FOO=1 holdfast --session s1 note x',
  'sh -c "holdfast --session s1 note x"',
  "bash -c 'exec holdfast note x --session s1'",
  'echo "$(holdfast --session s1 guidance)"',
  'holdfast status && holdfast --session s1 release',
  'holdfast answer < answer.json',
  'holdfast hook UserPromptExpansion < answer.json',
  'cat answer.json | holdfast answer',
  'holdfast register-client < secret',
  'env -i holdfast register-client < secret',
  'exec holdfast approve auth --proof < secret',
  'env -i "$(command -v holdfast)" approve auth --proof < secret',
  'sh -c "holdfast mcp < requests.jsonl"',
  'CLAUDE_CODE_SESSION_ID=s1 holdfast advance',
  'export CLAUDE_CODE_SESSION_ID=s1; holdfast advance',
  'unset CLAUDECODE && holdfast note x',
  'env -u CLAUDECODE holdfast note x',
  'env -i holdfast note x',
  'env "-i" holdfast note x',
  'env $X holdfast note x',
  'env `cat e` holdfast note x',
  'e"n"v \\\n-i holdfast note x',
  '(exec -c /usr/local/bin/holdfast note x)',
  'unset "CLAUDE"CODE; holdfast note x',
  'unset ${!CL*}; holdfast note x',
  'read CLAUDE_CODE_SESSION_ID < id; holdfast note x',
  'export "HOME"=/tmp/other; holdfast note x',
  'read -r HOME < folder; holdfast note x',
  'unset HOME; holdfast note x',
  'CLAUDE_PID=1 holdfast resume x',
  'CODEX_SESSION_ID=s1 sh -c "holdfast note x"',
  'HOLDFAST_HOST=codex holdfast note x',
  'HOME=/tmp/other holdfast note x',
  "holdfast todo set - <<'EOF'\nx\nE\0OF\nrm -rf x\nEOF",
  'holdfast note "a\0b"',
  'holdfast -- cancel x',
  "holdfast reject --feedback - <<'EOF'\nno\nEOF",
  'holdfast status --force | head',
  'holdfast status; holdfast cancel x',
  'holdfast status\nholdfast cancel x',
  'yes | holdfast init',
  'holdfast cancel x > out',
  '2>/dev/null holdfast cancel x',
  '(holdfast cancel x)',
  'if true; then holdfast cancel x; fi',
  'f() { holdfast cancel x; }; f',
  'case x in x) holdfast cancel x;; esac',
  'FOO=1 holdfast cancel x',
  'env -u FOO BAR=1 holdfast cancel x',
  'sudo -u bob holdfast cancel x',
  'npx -y holdfast cancel x',
  'node /home/dev/.claude/holdfast/bin/holdfast.cjs cancel x',
  '"$HOME/bin/holdfast" cancel x',
  'hold""fast can"cel" x',
  "holdfast $'cancel' x",
  "echo $'it\\'s'; holdfast cancel x",
  'holdfast $COMMAND x',
  'holdfast "$(cat command)" x',
  'h=holdfast; $h cancel x',
  '"$(command -v holdfast)" cancel x',
  'echo "$(holdfast cancel x)"',
  'echo "a `holdfast cancel x` b"',
  'cat <<EOF\n$(holdfast cancel x)\nEOF',
  'sh -c "holdfast cancel x"',
  "bash -lc 'cd sub && holdfast cancel x'",
  `sh -c "sh -c 'holdfast cancel x'"`,
  'eval holdfast cancel x',
  'echo "holdfast cancel x" | sh',
  'bash -s <<EOF\nholdfast cancel x\nEOF',
  'echo x | xargs holdfast cancel',
  "echo x | xargs -I{} sh -c 'holdfast cancel {}'",
  'echo --force | xargs holdfast resume x',
  'echo cancel | xargs -I% holdfast % x',
  'printf "holdfast %s x" cancel | sh',
  "bash <<< 'holdfast cancel x'",
  'sh -s a b <<EOF\nholdfast cancel x\nEOF',
  'echo holdfast cancel x | sh /dev/stdin',
  ". /dev/stdin <<< 'holdfast cancel x'",
  'source <(echo holdfast cancel x)',
  "env -S 'holdfast cancel x'",
  "env -S'holdfast cancel x'",
  "env --split-string='holdfast cancel x'",
  "su dev -c'holdfast takeover x'",
  'setsid holdfast cancel x',
  'stdbuf -oL holdfast cancel x',
  'builtin command holdfast cancel x',
  'coproc holdfast cancel x',
  'flock lock holdfast takeover x',
  'taskset 1 holdfast takeover x',
  'ionice -c 2 holdfast --session s1 note x',
  'systemd-run --user holdfast approve x',
  'ssh localhost holdfast approve x',
  'parallel holdfast takeover ::: x',
  "parallel ::: 'holdfast takeover x'",
  "flock lock -c 'holdfast takeover x'",
  'npm exec -- holdfast run x',
  "script -qc 'holdfast takeover x' /dev/null",
  "script -c 'holdfast note x --session s1'",
  "tmux new -d 'holdfast approve x'",
  "su - dev -c 'holdfast approve x'",
  "fish -c 'holdfast takeover x'",
  "busybox sh -c 'holdfast takeover x'",
  'sudo holdfast note --forget 1',
  "su - dev -c 'holdfast release x'",
  'ssh localhost holdfast release x',
  "tmux new -d 'holdfast note --forget 1'",
  'systemd-run --user --pipe holdfast advance x',
  '$NOTHING holdfast cancel x',
  'A[0]=1 holdfast cancel x',
  'cat <<E"O"F\nx\nEOF\nholdfast cancel x',
  "cat <<'EOF'\n\tEOF\n'\nEOF\nholdfast cancel x #'",
])('%j is asked about', (command) => {
  expect(decide(command)).toBe('ask');
});

test.each([
  '',
  'ls',
  'holdfast --version',
  'holdfast export x',
  './holdfast status',
  'npx holdfast status',
  'node /home/dev/.claude/holdfast/bin/holdfast.cjs status',
  'holdfast status && touch x',
  'holdfast status | head -1',
  'holdfast status > f',
  'holdfast status\ntouch x',
  'holdfast status\r',
  '\uFEFFholdfast status',
  'holdfast status # now',
  'holdfast start X --read docs/*.md',
  'holdfast start {a,b}',
  'holdfast start $NAME',
  'holdfast advance --output "$(cat out.txt)"',
  'holdfast advance --output "a\\"b"',
  'holdfast status "unclosed',
  'holdfast todo set - <<EOF\n$(ls)\nEOF',
  "holdfast todo set - <<'EOF'\nx\nEOF\nrm -rf x\nEOF",
  "holdfast todo set - <<'EOF'; rm -rf x\nx\nEOF",
  'FOO=1 holdfast status',
  'sh -c "holdfast status"',
  'echo $(holdfast status)',
  'holdfast list | xargs -n1 holdfast show',
  'command -v holdfast',
  'cat <<EOF\nholdfast cancel\nEOF',
  'git commit -m "holdfast cancel now asks"',
  `git commit -m "$(cat <<'EOF'\nUse holdfast cancel\n\nholdfast init\nEOF\n)"`,
  "cat > notes.md <<'EOF'\nholdfast cancel x\nEOF",
  `bash -c "git commit -m 'holdfast cancel'"`,
  'grep -rl x . | xargs grep -l "holdfast sync"',
  'git push holdfast --force',
  'npm install holdfast && npm run build',
  'which holdfast; git log --grep holdfast',
  'flock lock holdfast status',
  'cat ~/.ssh/config; holdfast status',
  'cd /home/dev/holdfast && ./run.sh',
  '# holdfast cancel x',
  'git commit -m "holdfast --session is refused"',
  'echo CLAUDE_CODE_SESSION_ID=x > holdfast.env',
  'git add CLAUDE.md && holdfast advance',
  'cat CLAUDE/Plan/1/PLAN.md; holdfast status',
  'cd "$CLAUDE_PROJECT_DIR" && holdfast status',
  'ls ${CLAUDE_CONFIG_DIR}; holdfast status',
  'GEMINI_API_KEY=x npm test && holdfast advance',
  'git commit -m "HOME screen" && holdfast advance',
  'cd $HOME && holdfast status',
  'cat .env - x; holdfast status',
  'holdfast advance --output "force-pushed $BRANCH"',
  'holdfast note "session cookies expire after $TTL seconds"',
  'holdfast advance --output "$(cat session.md)"',
  'cat session.txt | xargs holdfast show',
  'holdfast advance --output="$TEXT"',
  '. ./env.sh; holdfast status',
  '$EDITOR notes.md; holdfast status',
])('%j is left to the client', (command) => {
  expect(decide(command)).toBe(null);
});

test('whatever is allowed, the shell takes it for one call of holdfast', () => {
  const piece = fc.constantFrom(
    ...Array.from('ab-= \t\n\'"\\$`;&|<>()*?[]{}~#!^%'),
    'é',
    ' x',
    ' --f',
    "'a b'",
  );
  const words = fc.string({ unit: piece, maxLength: 12 });
  const found: string[] = [];
  fc.assert(
    fc.property(words, (rest) => {
      const command = `holdfast note ${rest}`;
      if (decide(command) === 'allow') found.push(command);
    }),
    { numRuns: 3_000 },
  );
  // One shell for all of them: each prints how often holdfast was called.
  const script = found
    .map((command) => `n=0; eval ${quoted(command)}; echo "$n"`)
    .join('\n');
  const lines = execFileSync(
    'bash',
    ['-c', `holdfast() { n=$((n + 1)); }\n${script}`],
    {
      encoding: 'utf8',
    },
  );
  expect(found.length).toBeGreaterThan(50);
  expect(lines).toBe('1\n'.repeat(found.length));
});

test('a text of any length, also a hostile one, gets a decision', () => {
  const pieces = [
    'a',
    '" ',
    ' ',
    ';',
    '\\',
    '$(',
    'sh ',
    '"$(',
    "<<'E'\n",
    '- ',
    '{ ',
  ];
  for (const piece of pieces)
    for (const length of [49_000, 500_000]) {
      const command = `holdfast note ${piece.repeat(length / piece.length)}`;
      expect(['allow', 'ask', null]).toContain(decide(command));
    }
});

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
