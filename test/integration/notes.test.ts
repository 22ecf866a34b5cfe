import { describe, expect, it } from 'vitest';
import { sandbox, type Sandbox } from '../support/cli.ts';
import { hook, sessionStart } from '../support/hooks.ts';
import { openServer } from '../support/mcp.ts';
import { onlyRun, writeTree } from '../support/state.ts';

const session = 's1';

/** Note 1 is the user's, from a terminal before any session; note 2 is the agent's. */
function noted(): Sandbox {
  const box = sandbox();
  box.run(['start', 'Shop', '--phases', 'Design,Build,Ship']);
  box.run(['note', 'NO-NEW-SERVICES: we pay for each']);
  box.run(['note', 'SQLITE-IT-IS', '--run', 'shop'], { session });
  return box;
}

const numbersIn = (box: Sandbox): (number | undefined)[] =>
  (onlyRun(box.root).notes ?? []).map(({ n }) => n);

const guidanceOf = (box: Sandbox): string =>
  sessionStart(box, session, 'compact').context;

describe('note --list', () => {
  it('shows number, time, phase and who noted it, the newest first', () => {
    const box = noted();
    const { run_id: runId } = onlyRun(box.root);
    expect(box.run(['note', '--list'], { session }).stdout).toBe(
      `Notes of ${runId}, the newest first:\n` +
        '[2] SQLITE-IT-IS (phase 1/3 Design, by an agent, just now)\n' +
        '[1] NO-NEW-SERVICES: we pay for each (phase 1/3 Design, by a person, just now)\n',
    );
    expect(box.json(['note', '--list'])).toEqual({
      run_id: runId,
      notes: [
        {
          n: 2,
          at: expect.any(String),
          phase: '1/3 Design',
          text: 'SQLITE-IT-IS',
          by: 'agent',
        },
        expect.objectContaining({ n: 1, by: 'person' }),
      ],
    });
  });

  it('changes nothing, takes nothing, and stands alone', () => {
    const box = noted();
    const before = onlyRun(box.root);
    box.run(['note', '--list', '--run', 'shop'], { session: 's9' });
    expect(onlyRun(box.root)).toEqual(before);
    for (const words of [['x'], ['--forget', '1'], ['--replace', '1']])
      expect(
        box.run(['note', '--list', ...words], { code: 2 }).stderr,
      ).toContain('--list shows notes and changes none');
  });

  it('says how to record the first one', () => {
    const box = sandbox();
    box.run(['start', 'Shop']);
    expect(box.run(['note', '--list']).stdout).toMatch(
      /^shop-\S+ has no notes\.\nNext: /,
    );
  });
});

it.each([
  ['the guidance', guidanceOf],
  ['status', (box: Sandbox) => box.run(['status'], { session }).stdout],
])("%s marks a person's note, with its number", (_text, textOf) => {
  const text = textOf(noted());
  expect(text).toContain(
    '- [1] NO-NEW-SERVICES: we pay for each (phase 1/3 Design, by a person)',
  );
  expect(text).toContain('- [2] SQLITE-IT-IS (phase 1/3 Design)\n');
});

it('is confirmed by its number; the run is named where it is not the own one', () => {
  const box = noted();
  expect(box.run(['note', 'MINE'], { session }).stdout).toBe('Noted as 3.\n');
  const inPlace = ['note', 'NEWER', '--replace', '3'];
  expect(box.run(inPlace, { session }).stdout).toBe(
    'Noted as 4 in place of 3.\n',
  );
  expect(box.run(['note', 'YOURS', '--run', 'shop']).stdout).toBe(
    'Noted as 5.\n',
  );
  box.run(['start', 'Blog', '--phases', 'A,B'], { session: 's2' });
  expect(box.run(['note', 'THEIRS', '--run', 'shop']).stdout).toMatch(
    /^Noted as 6 in shop-\d+_\d+\.\n$/,
  );
});

describe('a note that is replaced', () => {
  it('leaves the state under its number, which stays in the journal', () => {
    const box = noted();
    const json = box.json(
      ['note', 'POSTGRES: two programs write', '--replace', '2'],
      { session },
    );
    expect(json).toMatchObject({ n: 3, replaced: 2 });
    expect(numbersIn(box)).toEqual([1, 3]);
    const guidance = guidanceOf(box);
    expect(guidance).toContain(
      'Decisions and dead ends\n- [3] POSTGRES: two programs write',
    );
    expect(guidance).not.toContain('SQLITE');
    const { stdout } = box.run(['history']);
    expect(stdout).toContain('recorded note 2: SQLITE-IT-IS');
    expect(stdout).toContain(
      'recorded note 3 in place of 2 (before: SQLITE-IT-IS): "POSTGRES: two programs write"',
    );
  });
});

describe('a note that is forgotten', () => {
  it('is given to nobody, and its number to no other note', () => {
    const box = noted();
    const { stdout } = box.run(['note', '--forget', '2'], { session });
    expect(stdout).toBe('Forgot note 2: "SQLITE-IT-IS".\n');
    box.run(['note', 'LATER'], { session });
    expect(numbersIn(box)).toEqual([1, 3]);
    expect(guidanceOf(box)).not.toContain('SQLITE');
    expect(box.run(['history']).stdout).toMatch(
      / {2}forgot note 2: SQLITE-IT-IS by session s1/,
    );
  });

  it('is whole in the journal up to 2,000 characters, for it stands nowhere else', () => {
    const box = noted();
    const text = `START ${'x'.repeat(1_900)} END`;
    box.run(['note', text], { session });
    box.run(['note', '--forget', '3'], { session });
    expect(box.run(['history']).stdout).toContain(
      `forgot note 3: "${text}" by`,
    );
  });

  it('leaves its number given also where the file was edited by hand meanwhile', () => {
    const box = noted();
    const { run_id: runId, ...state } = onlyRun(box.root);
    const file = `untracked/workflow-state/shop/state-${runId}.json`;
    writeTree(box.root, { [file]: JSON.stringify({ ...state, notes: [] }) });
    box.run(['note', 'LATER'], { session });
    expect(numbersIn(box)).toEqual([3]);
  });
});

describe('an agent', () => {
  const REFUSED =
    /note 1 of shop-\S+ was not recorded by an agent, so only a person can (forget|replace) it; ask the user to type `holdfast note (--forget 1|"<text>" --replace 1) --run shop-\S+` in a terminal/;

  it("cannot replace or forget a person's note, on the command line or by MCP", async () => {
    const box = noted();
    const before = onlyRun(box.root).notes;
    for (const words of [
      ['--forget', '1'],
      ['x', '--replace', '1'],
    ]) {
      const refused = box.run(['note', ...words, '--json'], {
        session,
        code: 1,
      });
      expect(refused.stderr).toMatch(REFUSED);
      expect(JSON.parse(refused.stdout)).toMatchObject({
        error: { code: 'note_of_person' },
      });
      // In an agent's shell that tells no session, too.
      const env = { CLAUDECODE: '1' };
      box.run(['note', ...words, '--run', 'shop'], { env, code: 1 });
    }
    const { refusal } = await openServer(box, { session });
    expect(await refusal('workflow_note', { forget: 1 })).toMatch(REFUSED);
    expect(await refusal('workflow_note', { text: 'x', replace: 1 })).toMatch(
      REFUSED,
    );
    expect(onlyRun(box.root).notes).toEqual(before);
  });

  it('cannot touch a note that does not tell who wrote it', () => {
    const box = noted();
    const { run_id: runId, ...state } = onlyRun(box.root);
    const file = `untracked/workflow-state/shop/state-${runId}.json`;
    writeTree(box.root, {
      [file]: JSON.stringify({ ...state, notes: ['by hand'] }),
    });
    expect(
      box.run(['note', '--forget', '3'], { session, code: 1 }).stderr,
    ).toContain('was not recorded by an agent');
  });

  it('can replace and forget its own and what the model noted, by MCP', async () => {
    const box = noted();
    box.run(['note', 'MODEL-SAYS', '--model'], { session });
    const { reply, refusal } = await openServer(box, { session });
    expect(
      await reply('workflow_note', { text: 'BETTER', replace: 2 }),
    ).toMatchObject({
      n: 4,
      replaced: 2,
      message: expect.stringContaining('Noted as 4 in place of 2'),
    });
    expect(await reply('workflow_note', { text: '', forget: 3 })).toMatchObject(
      { forgotten: 3 },
    );
    expect(numbersIn(box)).toEqual([1, 4]);
    expect(await refusal('workflow_note', { text: 'x', forget: 4 })).toContain(
      'one call cannot forget a note and write another; call workflow_note with forget alone',
    );
    expect(
      await refusal('workflow_note', { text: 'x', replace: 'first' }),
    ).toContain('replace of workflow_note must be a whole number');
    expect(await refusal('workflow_note', {})).toContain(
      'text of workflow_note must be text',
    );
  });
});

describe('a person', () => {
  it('can replace and forget every note; the live session is told, with the text', () => {
    const box = noted();
    const told = (): string =>
      hook(box, 'userpromptsubmit', { session_id: session, prompt: 'go on' })
        .stdout;
    box.run(['note', 'USE-POSTGRES', '--replace', '2']);
    expect(told()).toMatch(
      /`holdfast note`, by the user, changed Shop .*: it is at phase 1\/3 Design; note 3 in place of 2 says: \\"USE-POSTGRES\\"/,
    );
    box.run(['note', 'AND-REDIS']);
    expect(told()).toContain(String.raw`note 4 says: \"AND-REDIS\"`);
    box.run(['note', '--forget', '1']);
    expect(told()).toContain('note 1 is forgotten');
    expect(onlyRun(box.root).notes).toMatchObject([
      { n: 3, by: 'person' },
      { n: 4, by: 'person' },
    ]);
  });
});

describe('a number', () => {
  it.each([
    [
      ['--forget', '9'],
      1,
      /shop-\S+ has no note 9; `holdfast note --list --run shop-\S+` shows/,
    ],
    [['x', '--replace', '9'], 1, /shop-\S+ has no note 9; /],
    [
      ['--forget', 'two'],
      2,
      /invalid value "two" for --forget; expected a whole number/,
    ],
    [['--forget', '0'], 2, /expected a whole number, at least 1/],
    [['--replace', '2'], 2, /<text> is blank/],
    [
      ['x', '--forget', '2'],
      2,
      /one call cannot forget a note and write another/,
    ],
    [
      ['--forget', '2', '--replace', '2'],
      2,
      /one call cannot forget a note and write another/,
    ],
    [
      ['x', '--model', '--replace', '2'],
      2,
      /cannot be used with option '--model'/,
    ],
  ])(
    'that cannot be meant is refused in a sentence: %s',
    (words, code, sentence) => {
      const box = noted();
      expect(box.run(['note', ...words], { code }).stderr).toMatch(sentence);
      expect(numbersIn(box)).toEqual([1, 2]);
    },
  );

  it('of a note that is gone is told apart from one that was never given', () => {
    const box = noted();
    box.run(['note', '--forget', '2']);
    expect(box.run(['note', '--forget', '2'], { code: 1 }).stderr).toMatch(
      /shop-\S+ does not have note 2 any more; `holdfast history shop-\S+` shows what became of it/,
    );
  });
});

describe('notes of an earlier version, or written by hand', () => {
  it('have numbers at once, and keep them', () => {
    const box = noted();
    const { run_id: runId, last_note: _last, ...state } = onlyRun(box.root);
    const file = `untracked/workflow-state/shop/state-${runId}.json`;
    const old = {
      at: '2026-01-01T00:00:00Z',
      phase: '1/3 Design',
      text: 'OLD',
    };
    writeTree(box.root, {
      [file]: JSON.stringify({ ...state, notes: [old, 'PLAIN'] }),
    });
    expect(box.run(['note', '--list']).stdout).toContain(
      '[2] PLAIN\n[1] OLD (phase 1/3 Design,',
    );
    box.run(['note', '--forget', '1']);
    expect(onlyRun(box.root)).toMatchObject({
      notes: [{ n: 2, text: 'PLAIN' }],
      last_note: 2,
    });
  });

  it('are valid without a number, but not with a wrong one', () => {
    const box = noted();
    const { run_id: runId, ...state } = onlyRun(box.root);
    const file = `untracked/workflow-state/shop/state-${runId}.json`;
    const note = {
      at: '2026-01-01T00:00:00Z',
      phase: '1/3 Design',
      text: 'OLD',
    };
    const validate = (notes: object[], code: number): string => {
      writeTree(box.root, { [file]: JSON.stringify({ ...state, notes }) });
      return box.run(['validate', file], { code }).stdout;
    };
    expect(validate([note, { ...note, n: 3, by: 'model' }], 0)).toContain(
      'no problems',
    );
    expect(validate([{ ...note, n: 0, by: 'nobody' }], 1)).toMatch(
      /"notes\.0\.n" must be at least 1, .*\n.*"notes\.0\.by" must be one of person, agent, model/,
    );
  });
});

it('an import gives no number again that was given here', () => {
  const box = noted();
  const file = box.run(['export', 'shop']).stdout;
  box.run(['note', 'THREE']);
  box.run(['note', 'FOUR']);
  box.run(['import', '-', '--force'], { input: file });
  expect(numbersIn(box)).toEqual([1, 2]);
  box.run(['note', 'FIVE']);
  expect(numbersIn(box)).toEqual([1, 2, 5]);
});
