// A project with runs in all states, made by real commands and hook calls, for the pictures and the tests of the page.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const binary = fileURLToPath(new URL('../bin/holdfast.cjs', import.meta.url));

const RELEASE = `name: Ship a feature
description: From its rules to production
agents:
  reviewer: {description: reads the change with fresh eyes}
steps:
  - {id: specify, type: action, title: Write the rules, instructions: Write docs/rules.md., artefacts: [docs/rules.md]}
  - {id: build, type: loop, title: Build it, loop: tasks, context: compact}
  - {id: harden, type: ralph, title: Harden it, n: 5, until: npm test, instructions: Find one weak spot and repair it.}
  - {id: review, type: action, title: Review, agent: reviewer, context: clear, gate: sh check.sh, instructions: Read the whole change against docs/rules.md., on_fail: retry}
  - {id: docs, type: action, title: Update the docs, when: state.context.public == true, instructions: Bring docs/ up to date.}
  - {id: approval, type: approval, title: Go live?, on_reject: build}
  - {id: deploy, type: action, title: Deploy, gate: sh check.sh, instructions: Deploy to production.}
loops:
  tasks:
    - {id: implement, instructions: "Task {task.id}: {task.title}. Test first.", on_fail: retry}
    - {id: check, instructions: "Run the checks for {task.title}.", gate: sh check.sh, context: compact}
`;

/** Runs commands and hooks in `root`, for a user whose home folder is `home`. */
export function commandsIn(root, home) {
  const environment = { PATH: process.env.PATH, HOME: home, TZ: 'UTC' };
  const holdfast = (words, { session, input = '' } = {}) =>
    execFileSync(process.execPath, [binary, ...words], {
      cwd: root,
      env: {
        ...environment,
        ...(session === undefined ? {} : { CLAUDE_CODE_SESSION_ID: session }),
      },
      input,
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  let prompts = 0;
  const hook = (event, session, fields = {}) => {
    prompts += 1;
    const payload = {
      hook_event_name: event,
      session_id: session,
      cwd: root,
      prompt_id: `p${prompts}`,
      ...fields,
    };
    return holdfast(['hook'], { input: JSON.stringify(payload) });
  };
  return { holdfast, hook };
}

/** Fills `root` with runs; `home` is the home folder of the user who does it. */
export function makeDemoProject(root, home) {
  const { holdfast, hook } = commandsIn(root, home);
  const write = (path, text) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const compact = (session) => {
    hook('PreCompact', session, { trigger: 'auto' });
    hook('SessionStart', session, { source: 'compact' });
    hook('PostCompact', session, {
      trigger: 'auto',
      compact_summary: 'The work so far.',
    });
  };
  const read = (session, path, text) =>
    hook('PostToolUse', session, {
      tool_name: 'Read',
      tool_input: { file_path: join(root, path) },
      tool_response: {
        file: {
          filePath: join(root, path),
          content: text,
          numLines: 3,
          startLine: 1,
          totalLines: 3,
        },
      },
    });

  const spec = `# Sign-in\n\n${'Links expire after ten minutes and work once.\n'.repeat(60)}`;
  write('check.sh', 'exit 0\n');
  write('docs/spec.md', spec);
  write('docs/style.md', 'Plain words. Prices in cents.\n');
  write('.claude/holdfast/workflows/ship.yaml', RELEASE);
  holdfast(['trust', 'ship', '--yes']);

  const auth = '5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11';
  holdfast(
    [
      'start',
      '--template',
      'ship',
      'Log in with a magic link',
      '--read',
      'docs/spec.md',
      '--read',
      'docs/style.md',
      '--read',
      'docs/threats.md',
      '--remind',
      'Never log a link, not even in tests',
      '--set',
      'ticket=SHOP-412',
    ],
    { session: auth },
  );
  read(auth, 'docs/spec.md', spec);
  write('docs/rules.md', 'A link works once.\n');
  holdfast(
    [
      'advance',
      '--output',
      'docs/rules.md has nine rules; rule 4 (expiry) was unclear and is decided: ten minutes',
    ],
    { session: auth },
  );
  holdfast(['tasks', 'tasks', '--file', '-'], {
    session: auth,
    input: 'Token table and model\nSend the mail\nRedeem a link\nRate limit\n',
  });
  holdfast(['todo', 'set', '-'], {
    session: auth,
    input:
      '- [x] Ask about expiry\n- [ ] Index on token digest\n- [ ] Mail template in two languages\n',
  });
  compact(auth);
  holdfast(['advance', '--output', 'tokens are stored as SHA-256 digests'], {
    session: auth,
  });
  compact(auth);
  holdfast(['advance'], { session: auth });
  holdfast(
    [
      'pivot',
      'specify',
      '--feedback',
      'Rule 7 contradicts rule 2: a link must also end open sessions. Decide which counts before more is built.',
    ],
    { session: auth },
  );
  holdfast(['advance', '--output', 'rule 7 counts; rule 2 is reworded'], {
    session: auth,
  });
  compact(auth);
  holdfast(['advance'], { session: auth });
  holdfast(['advance'], { session: auth });
  read(auth, 'docs/style.md', 'Plain words. Prices in cents.\n');

  const shop = '91f7a3d2-0c44-4b1e-8a77-2d5e6f708192';
  holdfast(
    [
      'start',
      'Shop relaunch',
      '--type',
      'implementation',
      '--phases',
      'Design,Catalogue,Checkout,Payment,Launch',
      '--read',
      'docs/style.md',
    ],
    { session: shop },
  );
  holdfast(['advance', '--output', 'the design is in docs/design.md'], {
    session: shop,
  });
  holdfast(['skip', '--phase', '4', '--reason', 'the bank is not ready'], {
    session: shop,
  });

  const approval = 'c0ffee00-5d11-4e0f-9f00-aa11bb22cc33';
  write(
    '.claude/holdfast/workflows/change.yaml',
    'name: Small change\ndescription: A change that you approve\nsteps:\n  - {id: change, type: action, title: Make the change, instructions: Do it.}\n  - {id: approval, type: approval, title: Approve it}\n  - {id: merge, type: action, title: Merge it, instructions: Merge it.}\n',
  );
  holdfast(['start', '--template', 'change', 'Rename the basket to cart'], {
    session: approval,
  });
  holdfast(['advance', '--output', '14 files, no behaviour changes'], {
    session: approval,
  });

  holdfast([
    'start',
    'Move to Postgres 17',
    '--phases',
    'Rehearse,Migrate,Watch',
  ]);
  holdfast([
    'fail',
    'move-to-postgres-17',
    '--reason',
    'the rehearsal ran out of disk on the replica',
  ]);
  holdfast(['start', 'Newsletter sign-up', '--phases', 'Text,Form']);
  holdfast([
    'pause',
    'newsletter-sign-up',
    '--reason',
    'waits for the legal text',
  ]);
  for (const name of [
    'Upgrade to Node 22',
    'Invoice PDF',
    'Search index',
    'Cookie banner',
  ]) {
    holdfast(['start', name, '--phases', 'Plan,Build']);
    const run = name.toLowerCase().replaceAll(' ', '-');
    if (name === 'Cookie banner')
      holdfast(['cancel', run, '--reason', 'no cookies left']);
    else {
      holdfast(['advance', run]);
      holdfast(['advance', run]);
    }
  }
  return { holdfast, hook, write, sessions: { auth, shop, approval } };
}
