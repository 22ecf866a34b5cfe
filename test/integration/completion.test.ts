import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeProgram } from '../../src/cli/program/program.ts';
import { binary, sandbox, type Sandbox } from '../support/cli.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

/** What the shell offers for each line, asked in the way that tests of completion scripts do it. */
const asking: Record<Shell, string> = {
  bash: `source "$1"; shift
for line in "$@"; do
  COMP_LINE=$line COMP_POINT=\${#line}
  read -ra COMP_WORDS <<<"\${line//=/ = }"
  [[ $line == *' ' ]] && COMP_WORDS+=('')
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)) COMPREPLY=()
  _holdfast
  echo "\${COMPREPLY[*]}"
done`,
  fish: `source $argv[1]
for line in $argv[2..-1]
  echo (complete -C $line | string replace -r '\\t.*' '' | string replace -r '^--[a-z]+=' '')
end`,
  // A pseudo-terminal: the completion system of zsh runs in its line editor only.
  zsh: `script=$1; shift
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= RPS1= PROMPT_EOL_MARK=; autoload -U compinit; compinit -u -D; source $script"
zpty -w shell 'compadd() { local -a found; builtin compadd -O found "$@"; (($#found)) && offered+=($found); builtin compadd "$@"; }'
zpty -w shell 'told() { offered=(); zle complete-word; zle kill-whole-line; print -r -- "<<$offered>>"; zle -R; }; zle -C complete-word complete-word _main_complete; zle -N told; bindkey "^X" told; print READY$((1))'
zpty -r -m shell answer '*READY1*'
for line in "$@"; do
  zpty -w -n shell "$line"$'\\x18'
  zpty -r -m shell answer '*<<*>>*'
  answer=\${answer##*<<}
  print -r -- \${answer%%>>*}
done
zpty -d shell`,
};

function isThere(shell: Shell): boolean {
  return spawnSync(shell, ['-c', 'true']).status === 0;
}

/** The words offered, for each of the lines. */
function offered(box: Sandbox, shell: Shell, lines: string[]): string[][] {
  const bin = join(box.home, 'bin');
  mkdirSync(bin);
  symlinkSync(binary, join(bin, 'holdfast'));
  const script = join(box.home, `completion.${shell}`);
  writeFileSync(script, box.run(['completion', shell]).stdout);
  const call = shell === 'fish' ? ['-c', asking.fish] : ['-c', asking[shell], shell];
  const { stdout, stderr } = spawnSync(shell, [...call, script, ...lines], {
    cwd: box.root,
    encoding: 'utf8',
    timeout: 50_000,
    env: { PATH: `${bin}:${process.env['PATH']}`, HOME: box.home, TERM: 'dumb', LANG: 'C.UTF-8' },
  });
  const answers = stdout.split('\n').slice(0, lines.length);
  if (answers.length < lines.length) throw new Error(`${shell} answered: ${stdout}${stderr}`);
  // Some functions of zsh hand a word over twice; it is shown once.
  return answers.map((answer) =>
    [...new Set(answer.split(' '))].filter((word) => word !== '').toSorted(),
  );
}

describe.each(shells)('in %s', (shell) => {
  // Where the shell is not installed the test counts as skipped, and the report names it.
  const there = it.skipIf(!isThere(shell));

  there('commands, options and their values are completed', () => {
    const box = sandbox({ 'notes.md': '' });
    const expected: Record<string, string[]> = {
      'holdfast st': ['start', 'status', 'statusline'],
      'holdfast help st': ['start', 'status', 'statusline'],
      'holdfast advance --fo': ['--force'],
      'holdfast init --scope ': ['local', 'project', 'user'],
      'holdfast init --scope=l': ['local'],
      'holdfast --session s1 guidance --source c': ['clear', 'compact'],
      'holdfast todo ': ['add', 'done', 'set', 'show'],
      'holdfast completion ': ['bash', 'fish', 'zsh'],
      'holdfast validate no': ['notes.md'],
      'holdfast start --remind ': [],
      'holdfast start --type q': ['qa-loop'],
      'holdfast update --status b': ['blocked'],
    };
    expect(offered(box, shell, Object.keys(expected))).toEqual(Object.values(expected));
  });

  there('runs and templates are completed by name', () => {
    const box = sandbox({ '.claude/holdfast/workflows/deploy.yaml': 'name: Deploy' });
    for (const name of ['Shop', 'Auth', 'Auth']) box.run(['start', name]);
    const [claims = [], archived, templates] = offered(box, shell, [
      'holdfast claim ',
      'holdfast claim shop ',
      'holdfast start --template de',
    ]);
    expect(claims).toEqual([
      expect.stringMatching(/^auth-\d{8}_\d{6}$/),
      expect.stringMatching(/^auth-\d{8}_\d{6}$/),
      'shop',
    ]);
    expect(archived).toEqual([]);
    expect(templates).toEqual(['default', 'deploy']);
  });
});

it('every command that help lists is in every script', () => {
  const box = sandbox();
  const names = makeProgram()
    .createHelp()
    .visibleCommands(makeProgram())
    .map((command) => command.name());
  expect(names.length).toBeGreaterThan(25);
  for (const shell of shells) {
    const { stdout } = box.run(['completion', shell]);
    for (const name of names) expect(stdout, shell).toContain(`holdfast ${name}`);
  }
});

it('a name that a shell could take for something else is not offered', () => {
  const box = sandbox({
    '.claude/holdfast/workflows/$(touch pwned).yaml': 'name: x',
    '.claude/holdfast/workflows/two words.yaml': 'name: y',
    '.claude/holdfast/workflows/-rf.yaml': 'name: z',
    '.claude/holdfast/workflows/größe.yaml': 'name: w',
  });
  const { stdout } = box.run(['completion-words', 'templates']);
  const words = stdout.trim().split('\n');
  expect(words).toContain('größe');
  expect(words.filter((word) => /[$ ()]|^-/.test(word))).toEqual([]);
});

it.each(['start --template ', 'validate '])(
  'bash quotes the name of a file that it puts on the line after %s',
  (words) => {
    const box = sandbox({ 'a $(touch pwned).yaml': '' });
    const asked = join(box.home, 'asked');
    const ask = `asked=$2; source "$1"; compopt() { echo "$@" >> "$asked"; }
COMP_WORDS=(holdfast $3 a) COMP_CWORD=$(($(wc -w <<<"$3") + 1))
_holdfast; echo "\${COMPREPLY[*]}"`;
    const script = join(box.home, 'completion.bash');
    writeFileSync(script, box.run(['completion', 'bash']).stdout);
    const child = spawnSync('bash', ['-c', ask, 'bash', script, asked, words], {
      cwd: box.root,
      encoding: 'utf8',
    });
    expect(child.stdout).toContain('a $(touch pwned).yaml');
    expect(readFileSync(asked, 'utf8')).toContain('-o filenames');
  },
);

it('while somebody types, nothing is written and nobody is warned', () => {
  const box = sandbox({ '.claude/holdfast.json': '{"wrong": 1}' });
  const { code, stdout, stderr } = box.run(['completion-words', 'runs'], { session: 's1' });
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '\n', stderr: '' });
  expect(readdirSync(box.root).toSorted()).toEqual(['.claude', '.git']);
});

it('an unknown shell is refused with those there are', () => {
  const { code, stderr } = sandbox().run(['completion', 'tcsh']);
  expect(code).toBe(2);
  expect(stderr).toContain('bash, zsh, fish');
});
