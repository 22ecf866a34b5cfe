import { describe, expect, it } from 'vitest';
import { sandbox } from '../support/cli.ts';
import { hasTmux, openShell, type Shell } from '../support/terminal.ts';

const TEMPLATE = `name: Delivery
description: Plans, builds and delivers a change.
steps:
  - {id: planning, type: action, instructions: Write the plan into docs/plan.md.}
  - {id: build, type: loop, instructions: Split the plan into tasks.}
  - {id: check, type: approval, instructions: Show the user what was built.}
  - {id: deploy, type: action, context: compact, gate: "true", instructions: Tag the release.}
loops:
  build:
    - {id: code, instructions: 'Write {task.title}.'}
`;

const FILES = {
  'docs/spec.md': '# Spec\n\nPrices are kept in cents.\n',
  'tasks.txt': 'Login form\nLogout button\nPassword reset\n',
  '.claude/holdfast/workflows/deploy.yaml': TEMPLATE,
  'CLAUDE/Plan/001-search/PLAN.md':
    '# Plan: Search\n\n**Status**: 🔄 In Progress\n\n## Phase 1: Index ✅\n\n## Phase 2: Query 🔄\n\n## Phase 3: Ranking\n',
};

/** What a person types, the exit code, and what must be on the screen. */
type Line = [typed: string, code: number, ...shown: (string | RegExp)[]];

const FIRST_STEPS: Line[] = [
  [
    'holdfast',
    0,
    'Search, phase 2/3 Query',
    'not stored yet',
    'Next: holdfast advance search',
    'Hooks    not installed',
  ],
  ['holdfast --help', 0, 'Start here:', 'holdfast help --all'],
  [
    'holdfast help --all',
    0,
    'Start here:',
    'Work on a run:',
    'Templates:',
    'For the host:',
  ],
  [
    'holdfast install',
    2,
    "unknown command 'install'",
    'did you mean `holdfast init`?',
  ],
  ['holdfast init', 0, 'Protected: you, in this project', '/holdfast:start'],
  ['holdfast start', 2, '<name> is missing', '--template'],
  [
    'holdfast start "User Auth" --phases "Design,Build,Docs,Release" --read docs/spec.md',
    0,
    /Started user-auth-/,
    'this terminal is not a Claude Code session',
    'Now: phase 1/4 Design.',
    'When this phase is done: holdfast advance',
    /unread +@docs\/spec\.md/,
  ],
  ['holdfast advance', 1, 'several runs are active', /search-\d+/],
  [
    'holdfast cancel search --reason "not this week"',
    0,
    'Cancelled',
    'Next: holdfast start',
  ],
];

const DAILY: Line[] = [
  [
    'holdfast status',
    0,
    'Phases   ▸ Design  · Build  · Docs  · Release',
    'Begun    just now',
  ],
  [
    'holdfast advance --output "in src/api.ts"',
    0,
    'Finished phase 1/4 Design.',
    'Now: phase 2/4',
  ],
  [
    'holdfast advance --output - < /dev/null',
    1,
    'standard input is empty',
    'nothing was changed',
  ],
  [
    'holdfast fail',
    2,
    "required option '--reason <text>' not specified",
    'holdfast fail --help',
  ],
  [
    'holdfast fail --reason "no db"',
    0,
    'Phase 2/4 Build is blocked.',
    'Next: resolve the blocker',
  ],
  ['holdfast fail --reason "still no db"', 0, 'it has failed 2 times'],
  [
    'holdfast status',
    0,
    'Failed   2 times, the last time: "still no db"',
    'Design: in src/api.ts',
  ],
  [
    'holdfast skip --phase 3 --reason later',
    0,
    'Skipped phase 3/4 Docs: later.',
  ],
  [
    'holdfast advance',
    0,
    '(it was blocked: "still no db")',
    'Now: phase 4/4 Release.',
  ],
  ['holdfast update --remind "tag" --set budget=2', 0, ': reminders, facts.'],
  ['holdfast update', 2, 'holdfast: '],
  ['holdfast tasks build', 1, 'has no template'],
  ['holdfast approve', 1, 'nothing to approve'],
  ['holdfast list', 0, 'RUN', '4/4 Release'],
  ['holdfast release', 0, 'it stays active'],
  [
    'holdfast resume user-auth',
    1,
    'this terminal is not a Claude Code session',
  ],
  [
    'holdfast pause --reason lunch',
    0,
    'Paused user-auth-',
    'Next: holdfast resume user-auth-',
  ],
  ['holdfast', 0, 'Not active', 'paused, lunch'],
  ['holdfast advance', 1, 'no active workflow here', 'holdfast resume'],
  ['holdfast resume', 0, 'Resumed user-auth-', 'No session holds it'],
  ['holdfast export > run.json', 0],
  [
    'holdfast complete',
    0,
    'Completed "User Auth"',
    'Its record is in untracked/workflow-archive/',
  ],
  [
    'holdfast advance user-auth',
    1,
    'completed and in the archive',
    'holdfast reopen user-auth-',
  ],
  [
    'holdfast reopen user-auth',
    0,
    'Reopened user-auth-',
    'at phase 4/4 Release',
  ],
  ['holdfast complete user-auth --purge', 0, 'No record was kept.'],
  ['holdfast list', 0, 'No runs.', 'holdfast start <name>'],
  [
    'holdfast import run.json',
    0,
    'Imported user-auth-',
    'Next: holdfast resume user-auth-',
  ],
  ['holdfast cancel --reason enough', 0, 'Cancelled "User Auth"', 'enough'],
];

const WITH_TEMPLATE: Line[] = [
  ['holdfast templates', 0, 'deploy', 'holdfast trust deploy'],
  ['holdfast templates show delpoy', 1, 'holdfast: ', 'deploy'],
  [
    'holdfast templates new release',
    0,
    'Created .claude/holdfast/workflows/release.yaml.',
  ],
  [
    'holdfast start --template deploy "magic links"',
    0,
    'Now: step 1 of 4 (planning).',
  ],
  ['holdfast advance', 0, 'Now: step 2 of 4 (build), waiting for its tasks.'],
  ['holdfast advance', 1, 'this step needs the tasks of "build"'],
  ['holdfast tasks build', 0, 'has no tasks yet', '--file'],
  [
    'holdfast tasks build --file tasks.txt',
    0,
    '"build" was given 3 tasks.',
    'task 1 of 3',
  ],
  ['holdfast advance', 0, 'task 2 of 3 ("Logout button")'],
  [
    'holdfast tasks build',
    0,
    'Tasks (1 of 3 done)',
    '[x] Login form',
    '▸ [ ] Logout button',
  ],
  ['holdfast status', 0, 'Tasks (1 of 3 done)', '[x] Login form'],
  [
    'holdfast advance && holdfast advance',
    0,
    "waiting for the user's approval",
  ],
  ['holdfast advance', 1, "waits for the user's approval", 'holdfast approve'],
  [
    'holdfast reject --feedback "the tests are missing"',
    0,
    'the work goes back to build',
  ],
  [
    'holdfast pivot planning --feedback "start over"',
    0,
    'Now: step 1 of 4 (planning).',
  ],
  [
    'holdfast advance && holdfast tasks build --file tasks.txt',
    0,
    'given 3 tasks',
  ],
  ['holdfast skip --reason "done before"', 0, 'Skipped phase 2/4 build'],
  [
    'holdfast approve --note ship',
    0,
    'Approved step 3 of 4 (check).',
    'step 4 of 4 (deploy).',
  ],
  ['holdfast skip --reason hurry', 1, 'has a gate'],
  ['holdfast context --done', 0, '/compact is recorded as performed'],
  ['holdfast advance', 1, 'holdfast trust'],
];

const LAST_STEPS: Line[] = [
  ['holdfast advance', 0, 'Completed "magic links"'],
  ['holdfast untrust deploy', 0],
  ['holdfast doctor', 0, 'Nothing is broken'],
  ['holdfast uninstall', 0],
  ['holdfast help advance', 0, 'Usage: holdfast advance'],
];

/** Lines that ask before they do something. */
const ASKS = new Set([
  'holdfast reject --feedback "the tests are missing"',
  'holdfast approve --note ship',
]);

function follow(shell: Shell, lines: readonly Line[]): void {
  for (const [typed, expected, ...wanted] of lines) {
    const { shown, code } = ASKS.has(typed)
      ? shell.answer(typed, /\[y\/N\]/, 'y')
      : shell.type(typed);
    // A terminal breaks lines where it likes.
    const flat = shown.replaceAll(/\s+/g, ' ');
    const missing = wanted.filter((part) =>
      typeof part === 'string'
        ? !flat.includes(part.replaceAll(/\s+/g, ' '))
        : !part.test(shown),
    );
    expect(missing, shown).toEqual([]);
    expect(code, shown).toBe(expected);
  }
}

describe.runIf(hasTmux)('the first hour in a terminal', () => {
  it(
    'every command, and the slips, say what happened and what to type next',
    { timeout: 900_000 },
    () => {
      const box = sandbox(FILES);
      const shell = openShell(box, 80);
      follow(shell, FIRST_STEPS);
      follow(shell, DAILY);
      follow(shell, WITH_TEMPLATE);
      const trusted = shell.answer(
        'holdfast trust deploy',
        /\[y\/N\]|\(y\/n\)|yes/i,
        'y',
      );
      expect(trusted.code, trusted.shown).toBe(0);
      follow(shell, LAST_STEPS);
    },
  );
});
