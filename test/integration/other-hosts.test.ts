import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  builtPackage,
  runOther,
  sandbox,
  type Sandbox,
} from '../support/cli.ts';

const VERSIONS = {
  codex: '0.166.0',
  qwen: '0.24.4',
  gemini: '0.61.0',
} as const;
type Host = keyof typeof VERSIONS;
const FILES: Record<Host | 'opencode', string> = {
  codex: '.codex/hooks.json',
  qwen: '.qwen/settings.json',
  gemini: '.gemini/settings.json',
  opencode: '.config/opencode/plugin/holdfast.js',
};

/** A payload that the real host has sent, with its environment. */
function recording(
  host: Host,
  name: string,
): { env: Record<string, string>; payload: object } {
  const folder = `../fixtures/host-recordings/${host}-${VERSIONS[host]}`;
  return JSON.parse(
    readFileSync(new URL(`${folder}/${name}.json`, import.meta.url), 'utf8'),
  );
}

interface HostReply {
  hookSpecificOutput?: {
    hookEventName: string;
    additionalContext?: string;
    tool_input?: object;
  };
  systemMessage?: string;
}

const SPECIFICATION = 'The zebra crosses first.';

/** A project in which `init --host` has registered its hooks. */
function project(host: Host) {
  const box = sandbox({ 'spec.md': SPECIFICATION });
  box.run(['init', '--host', host]);
  const file = join(box.home, FILES[host]);
  const { hooks } = JSON.parse(readFileSync(file, 'utf8'));
  /** As the host does it: a shell runs the line that is registered for the event. */
  const send = (
    name: string,
    session: string,
    more: object = {},
  ): HostReply => {
    const { env, payload } = recording(host, name);
    const sent = { ...payload, session_id: session, cwd: box.root, ...more };
    const event: string = JSON.parse(JSON.stringify(payload)).hook_event_name;
    const variable = {
      qwen: 'QWEN_CODE_SESSION_ID',
      gemini: 'GEMINI_SESSION_ID',
      codex: '',
    }[host];
    const { code, stdout, stderr } = runOther(
      'sh',
      ['-c', hooks[event][0].hooks[0].command],
      {
        cwd: box.root,
        input: JSON.stringify(sent),
        env: {
          ...env,
          PATH: process.env['PATH'],
          HOME: box.home,
          ...(env[variable] === undefined ? {} : { [variable]: session }),
          CLAUDE_PROJECT_DIR: box.root,
        },
      },
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const reply: HostReply = stdout === '' ? {} : JSON.parse(stdout);
    if (host === 'codex') expectCodexSchema(event, reply);
    if (reply.hookSpecificOutput)
      expect(reply.hookSpecificOutput.hookEventName).toBe(event);
    return reply;
  };
  const said = (name: string, session: string, more: object = {}): string =>
    send(name, session, more).hookSpecificOutput?.additionalContext ?? '';
  /** In the shell of the host's agent. */
  const shell = (session: string): Record<string, string> =>
    ({
      codex: { CODEX_SESSION_ID: session, CODEX_THREAD_ID: session },
      qwen: { QWEN_CODE_SESSION_ID: session, QWEN_CODE: '1' },
      gemini: { GEMINI_SESSION_ID: session, GEMINI_CLI: '1' },
    })[host];
  const begin = (session: string): void => {
    const words = ['start', 'Shop', '--phases', 'A,B,C', '--read', 'spec.md'];
    box.run(words, { env: shell(session) });
  };
  return { box, file, send, said, shell, begin };
}

/** Codex refuses a reply with any other key, and takes a text at these events only. */
function expectCodexSchema(
  event: string,
  { hookSpecificOutput: output, ...common }: HostReply,
): void {
  const known = ['continue', 'stopReason', 'suppressOutput', 'systemMessage'];
  expect(known).toEqual(expect.arrayContaining(Object.keys(common)));
  if (output === undefined) return;
  expect([
    'SessionStart',
    'UserPromptSubmit',
    'PostToolUse',
    'SubagentStart',
  ]).toContain(event);
  expect(output).toEqual({
    hookEventName: event,
    additionalContext: expect.any(String),
  });
}

/** A transcript of Gemini that shows a compression. */
function compressed(box: Sandbox, words: string): { transcript_path: string } {
  const path = join(box.home, 'chat.jsonl');
  const content = [{ text: `<state_snapshot>${words}</state_snapshot>` }];
  writeFileSync(
    path,
    `${JSON.stringify({ $set: { messages: [{ type: 'user', content }] } })}\n`,
  );
  return { transcript_path: path };
}

describe.each(Object.keys(VERSIONS) as Host[])('%s', (host) => {
  const prompt = host === 'gemini' ? 'BeforeAgent' : 'UserPromptSubmit';
  const startsAtPrompt = host !== 'codex';

  test('a session gets its run back after a compaction, another one does not', () => {
    const { box, send, said, begin, shell } = project(host);
    send('SessionStart-startup', 's1');
    begin('s1');
    expect(box.run(['status'], { env: shell('s1') }).stdout).toContain(
      'this session',
    );
    expect(said(prompt, 's1')).toBe('');
    let given = '';
    if (host === 'gemini') given = said(prompt, 's1', compressed(box, 'one'));
    else {
      send('PreCompact-auto', 's1');
      send('PostCompact-auto', 's1');
      given = said('SessionStart-compact', 's1');
      if (startsAtPrompt) {
        expect(given).toBe('');
        given = said(prompt, 's1');
      }
    }
    expect(given).toContain('WORKFLOW RESTORED AFTER COMPACTION');
    expect(given).toContain(SPECIFICATION);
    expect(given).not.toMatch(/Read tool|\/holdfast:|Claude/);
    expect(
      said(prompt, 's1', host === 'gemini' ? compressed(box, 'one') : {}),
    ).toBe('');
    send('SessionStart-startup', 's2');
    expect(said(prompt, 's2')).not.toContain(SPECIFICATION);
    const { title } = {
      codex: { title: 'Codex' },
      qwen: { title: 'Qwen Code' },
      gemini: { title: 'Gemini CLI' },
    }[host];
    expect(box.run(['status']).stdout).toContain(`${title} session s1`);
    expect(box.run(['history']).stdout).toContain(`${title} s1`);
  });

  test('a /clear hands the run over', () => {
    const { send, said, begin, box, shell } = project(host);
    send('SessionStart-startup', 's1');
    begin('s1');
    // Where the first prompt comes before the run, the process of the host is known from the next start.
    send('SessionStart-resume', 's1');
    said(prompt, 's1');
    if (host === 'gemini') send('SessionEnd-clear', 's1');
    const now = said('SessionStart-clear', 's2');
    if (host === 'qwen') send('SessionEnd-clear', 's1');
    expect(startsAtPrompt ? said(prompt, 's2') : now).toContain('Shop');
    expect(box.run(['status'], { env: shell('s2') }).stdout).toContain(
      'this session',
    );
  });

  test('nothing is said, and no Node is started, where there is no workflow', () => {
    const { send, box } = project(host);
    const names = {
      codex: [
        'SessionStart-startup',
        'UserPromptSubmit',
        'PreCompact-auto',
        'SessionEnd-other',
      ],
      qwen: ['SessionStart-startup', 'UserPromptSubmit', 'PreCompact-auto'],
      gemini: [
        'SessionStart-startup',
        'BeforeAgent',
        'BeforeTool-run_shell_command',
        'SessionEnd-exit',
      ],
    };
    // A copy without its bundle would say so if it were started.
    writeFileSync(
      join(box.home, '.claude/holdfast/dist/hook.cjs'),
      'process.stdout.write("started")',
    );
    for (const name of names[host]) expect(send(name, 's1')).toEqual({});
  });

  test('the file is given back byte for byte, and a second init changes nothing', () => {
    const text =
      host === 'codex'
        ? '{ "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "true" } ] } ] } }'
        : '{\n  // mine\n  "a": [1, 2],\n\t"b": {}\n}\n';
    for (const before of [text, '{}', null]) {
      const box = sandbox();
      const file = join(box.home, FILES[host]);
      mkdirSync(dirname(file), { recursive: true });
      if (before !== null) writeFileSync(file, before);
      box.run(['init', '--host', host]);
      const once = readFileSync(file, 'utf8');
      expect(once).toContain(`h=${host}`);
      const again = box.run(['init', '--host', host, '--mcp']);
      expect(again.stdout).toContain('Nothing had to change');
      expect(again.stderr).toContain('only Claude Code gets the MCP server');
      const looked = box.run(['doctor', '--host', host, '--verbose'], {
        code: host === 'codex' ? 1 : 0,
      }).stdout;
      expect(looked).not.toMatch(/no hooks are registered|\/compact/);
      expect(readFileSync(file, 'utf8')).toBe(once);
      box.run(['uninstall', '--host', host]);
      if (before === null) expect(() => readFileSync(file)).toThrow('ENOENT');
      else expect(readFileSync(file, 'utf8')).toBe(before);
    }
  });
});

test('Codex: a file that a command has printed whole counts as read', () => {
  const { box, begin, send, shell } = project('codex');
  send('SessionStart-startup', 's1');
  begin('s1');
  const reading = (): string =>
    box.run(['status'], { env: shell('s1') }).stdout;
  send('PostToolUse-Bash', 's1', { tool_response: 'The zebra' });
  expect(reading()).toMatch(/unread +@spec\.md/);
  send('PostToolUse-Bash', 's1', {
    tool_response: `$ cat spec.md\n${SPECIFICATION}\n`,
  });
  expect(reading()).toMatch(/in context +@spec\.md/);
});

test('Codex: the line of a project finds holdfast in it, though it is not told which one it is', () => {
  const { box, begin } = project('codex');
  begin('s1');
  box.run(['init', '--host', 'codex', '--scope', 'project']);
  const { hooks } = JSON.parse(
    readFileSync(join(box.root, '.codex/hooks.json'), 'utf8'),
  );
  mkdirSync(join(box.root, 'node_modules'));
  symlinkSync(builtPackage, join(box.root, 'node_modules/holdfast'));
  const { payload } = recording('codex', 'SessionStart-resume');
  const { stdout } = runOther(
    'sh',
    ['-c', hooks.SessionStart[0].hooks[0].command],
    {
      cwd: box.root,
      input: JSON.stringify({ ...payload, session_id: 's1', cwd: box.root }),
      env: { PATH: process.env['PATH'], HOME: join(box.home, 'elsewhere') },
    },
  );
  expect(stdout).toContain('Shop');
});

test.each([1_900, 600])(
  'Codex: at most 10,000 bytes, of which %i characters count as given if they are there',
  (length) => {
    const { box, said, send, begin, shell } = project('codex');
    send('SessionStart-startup', 's1');
    begin('s1');
    const facts = Array.from({ length: 30 }, (_, n) => [
      '--set',
      `k${n}=${'ü'.repeat(200)}`,
    ]).flat();
    box.run(['update', ...facts], { env: shell('s1') });
    const content = '漢'.repeat(length);
    writeFileSync(join(box.root, 'spec.md'), content);
    send('PreCompact-auto', 's1');
    const given = said('SessionStart-compact', 's1');
    expect(Buffer.byteLength(given)).toBeLessThanOrEqual(9_900);
    expect(given).toContain('holdfast show ');
    const { stdout } = box.run(['status'], { env: shell('s1') });
    expect(/in context +@spec/.test(stdout)).toBe(given.includes(content));
  },
);

test('Qwen: what a tool has returned is no prompt, and a compaction is told again at a resume', () => {
  const { said, send, begin } = project('qwen');
  send('SessionStart-startup', 's1');
  begin('s1');
  said('UserPromptSubmit', 's1');
  expect(said('UserPromptSubmit-empty', 's1')).toBe('');
  send('PreCompact-auto', 's1');
  send('SessionStart-compact', 's1');
  expect(said('UserPromptSubmit-empty', 's1')).toContain(SPECIFICATION);
  send('SessionStart-resume', 's1');
  expect(said('UserPromptSubmit', 's1')).toContain(SPECIFICATION);
});

test('Gemini: its own event names are understood without an event on the command line', () => {
  const { box, send, begin } = project('gemini');
  send('SessionStart-startup', 's1');
  begin('s1');
  const { payload } = recording('gemini', 'BeforeAgent');
  const sent = {
    ...payload,
    session_id: 's1',
    cwd: box.root,
    ...compressed(box, 'one'),
  };
  const { stdout } = box.run(['hook', '--host', 'gemini'], {
    input: JSON.stringify(sent),
  });
  expect(stdout).toContain(SPECIFICATION);
});

test('Gemini: a command that calls holdfast is told its session, no other', () => {
  const { send } = project('gemini');
  const call = (command: string): HostReply =>
    send('BeforeTool-run_shell_command', 's1', {
      tool_input: { command, dir: 'x' },
    });
  expect(call('npm test')).toEqual({});
  expect(call('holdfast status').hookSpecificOutput?.tool_input).toEqual({
    command: 'export GEMINI_SESSION_ID=s1; holdfast status',
    dir: 'x',
  });
});

test('OpenCode gets a plugin of its own, and keeps one that is not ours', () => {
  const box = sandbox();
  const file = join(box.home, FILES.opencode);
  box.run(['init', '--host', 'opencode']);
  expect(readFileSync(file, 'utf8')).toContain('--host=opencode');
  box.run(['uninstall', '--host', 'opencode']);
  expect(() => readFileSync(file)).toThrow('ENOENT');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, 'export const Mine = 1;');
  const { stderr } = box.run(['init', '--host', 'opencode'], { code: 1 });
  expect(stderr).toContain('does not belong to holdfast; nothing was changed');
});

test('a run goes from one agent to another and back', () => {
  const { box, shell, send } = project('codex');
  box.run(['start', 'Shop', '--phases', 'A,B'], { session: 'c1' });
  box.run(['release'], { session: 'c1' });
  send('SessionStart-startup', 's1');
  box.run(['resume', 'shop'], { env: shell('s1') });
  box.run(['advance'], { env: shell('s1') });
  box.run(['release'], { env: shell('s1') });
  const { stdout } = box.run(['resume', 'shop'], { session: 'c1' });
  expect(stdout).toContain('2/2');
  expect(box.run(['history']).stdout).toMatch(/Codex s1 on/);
});

test.each([
  [['init', '--host', 'codex', '--scope', 'local'], 'Codex has no scope local'],
  [['init', '--host', 'emacs'], 'emacs'],
])('%j is refused', (words, why) => {
  const box = sandbox();
  expect(box.run(words, { code: 'any' }).stderr).toContain(why);
});

test('doctor looks at the hooks of an agent, and knows which of them Codex does not trust', () => {
  const { box, file, shell } = project('codex');
  const doctor = (code: number): string =>
    box.run(['doctor', '--verbose'], { code, env: shell('s1') }).stdout;
  expect(doctor(1)).toContain(
    'Codex does not run hooks that you have not trusted',
  );
  const { hooks } = JSON.parse(readFileSync(file, 'utf8'));
  const keys = Object.keys(hooks).map((event) => {
    const name = event
      .replaceAll(/\B[A-Z]/g, (letter) => `_${letter}`)
      .toLowerCase();
    return `[hooks.state."${file}:${name}:0:0"]\ntrusted_hash = "sha256:x"\n`;
  });
  writeFileSync(join(box.home, '.codex/config.toml'), keys.join('\n'));
  expect(doctor(0)).toContain('you have looked at these hooks');
});

describe('doctor, in a project that brings settings of the agent', () => {
  const lookAt = (box: Sandbox, host: string): string => {
    const { stdout } = box.run(['doctor', '--host', host, '--verbose'], {
      code: 'any',
    });
    return stdout;
  };
  const write = (box: Sandbox, path: string, text: string): void => {
    mkdirSync(dirname(join(box.root, path)), { recursive: true });
    writeFileSync(join(box.root, path), text);
  };

  test.each([
    [
      'qwen',
      '.qwen/settings.json',
      '{"disableAllHooks": true}',
      'disableAllHooks',
    ],
    [
      'gemini',
      '.gemini/settings.json',
      '{"hooksConfig": {"enabled": false}}',
      'hooksConfig',
    ],
    [
      'gemini',
      '.gemini/settings.json',
      '{"hooksConfig": {"disabled": ["holdfast"]}}',
      'disabled',
    ],
    [
      'codex',
      '.codex/config.toml',
      '[features]\nhooks = false\n',
      'hooks = false',
    ],
  ] as const)(
    '%s: says that %s switches its hooks off',
    (host, path, text, name) => {
      const { box } = project(host);
      expect(lookAt(box, host)).not.toContain('switches hooks off');
      write(box, path, text);
      const looked = lookAt(box, host);
      expect(looked).toMatch(
        /broken +\S.* runs no hooks here: a setting switches hooks off/,
      );
      expect(looked).toContain(join(box.root, path));
      expect(looked).toContain(name);
    },
  );

  test('a file of too many levels is refused in a sentence', () => {
    const { box } = project('qwen');
    write(box, '.qwen/settings.json', '['.repeat(1_000_000));
    for (const words of [
      ['doctor', '--host', 'qwen'],
      ['init', '--host', 'qwen', '--scope', 'project'],
    ]) {
      const { stdout, stderr } = box.run(words, { code: 1 });
      expect(`${stdout}${stderr}`).toContain('its JSON cannot be read');
    }
  });

  test('Codex: what the project says about trust does not count', () => {
    const { box, file } = project('codex');
    box.run(['init', '--host', 'codex', '--scope', 'project']);
    const trust = (hooksFile: string): string => {
      const { hooks } = JSON.parse(readFileSync(hooksFile, 'utf8'));
      const keys = Object.keys(hooks).map((event) => {
        const name = event
          .replaceAll(/\B[A-Z]/g, (letter) => `_${letter}`)
          .toLowerCase();
        return `[hooks.state."${hooksFile}:${name}:0:0"]\ntrusted_hash = "sha256:x"\n`;
      });
      return keys.join('\n');
    };
    const own = join(box.root, '.codex/hooks.json');
    write(box, '.codex/config.toml', trust(own));
    writeFileSync(join(box.home, '.codex/config.toml'), trust(file));
    expect(lookAt(box, 'codex')).toContain(
      'Codex does not run hooks that you have not trusted',
    );
    writeFileSync(
      join(box.home, '.codex/config.toml'),
      `${trust(file)}\n${trust(own)}`,
    );
    expect(lookAt(box, 'codex')).not.toContain('you have not trusted');
  });

  test('OpenCode: a plugin of the project is not taken for the one that init has written', () => {
    const box = sandbox();
    box.run(['init', '--host', 'opencode']);
    const written = readFileSync(join(box.home, FILES.opencode), 'utf8');
    expect(lookAt(box, 'opencode')).toContain(
      'OpenCode has the hooks of holdfast',
    );
    box.run(['uninstall', '--host', 'opencode']);
    write(
      box,
      '.opencode/plugin/holdfast.js',
      `${written}\nexport const More = 1;\n`,
    );
    const looked = lookAt(box, 'opencode');
    expect(looked).toContain('OpenCode has no hooks of holdfast');
    expect(looked).toContain('came with the project');
  });

  test('OpenCode: a plugin of another version is named', () => {
    const box = sandbox();
    const file = join(box.home, FILES.opencode);
    box.run(['init', '--host', 'opencode']);
    const written = readFileSync(file, 'utf8');
    writeFileSync(
      file,
      written.replace('messages.transform', 'system.transform'),
    );
    expect(lookAt(box, 'opencode')).toContain("is not this version's");
    box.run(['init', '--host', 'opencode']);
    expect(lookAt(box, 'opencode')).not.toContain("is not this version's");
  });
});

test('Codex: a run that was started after the session began is handed over by /clear', () => {
  const { said, send, begin, box, shell } = project('codex');
  send('SessionStart-startup', 's1');
  begin('s1');
  // The first call of a hook after it, with nothing to record.
  send('PostToolUse-Bash', 's1', { tool_response: 'x' });
  expect(said('SessionStart-clear', 's2')).toContain('Shop');
  expect(box.run(['status'], { env: shell('s2') }).stdout).toContain(
    'this session',
  );
});

test('Qwen: a compaction that is told later does not count as the one that a later step asks for', () => {
  const { box, said, send, shell } = project('qwen');
  const step = (id: string, more: string): string =>
    `  - id: ${id}\n    type: action\n    instructions: Do ${id}.\n${more}`;
  mkdirSync(join(box.root, '.claude/holdfast/workflows'), { recursive: true });
  const text = `name: Two\ndescription: d\nsteps:\n${step('one', '')}${step('two', '    context: compact\n')}`;
  writeFileSync(join(box.root, '.claude/holdfast/workflows/two.yaml'), text);
  const env = shell('s1');
  box.run(['start', '--template', 'two', 'It'], { env });
  send('SessionStart-resume', 's1');
  said('UserPromptSubmit', 's1');
  send('PreCompact-auto', 's1');
  send('PostCompact-auto', 's1');
  send('SessionStart-compact', 's1');
  box.run(['advance', '--output', 'x'], { env });
  said('UserPromptSubmit-empty', 's1');
  expect(box.json(['status'], { env })).toMatchObject({
    context_action: { state: 'requested' },
  });
});

test.each(['codex', 'qwen'] as const)(
  '%s: a sub-agent is told about the run',
  (host) => {
    const { said, begin } = project(host);
    expect(said('SubagentStart', 's1')).toBe('');
    said('SessionStart-startup', 's1');
    begin('s1');
    expect(said('SubagentStart', 's1')).toContain('Shop');
  },
);

test('several agents at once', () => {
  const box = sandbox();
  const { stdout } = box.run(['init', '--host', 'codex', '--host', 'qwen'], {
    env: { PATH: '' },
  });
  expect(stdout).toMatch(
    /`holdfast`, which a shell does not find yet: npm install -g \//,
  );
  expect(stdout).toContain(
    '\n\nFound in this project: no workflow in progress.',
  );
  for (const host of ['codex', 'qwen'] as const)
    expect(readFileSync(join(box.home, FILES[host]), 'utf8')).toContain(
      `h=${host}`,
    );
  expect(box.run(['init', '--dry-run']).stdout).not.toContain('|');
});

test('neither paths nor what files say is put into the words of the host', () => {
  const { box, said, send, shell } = project('qwen');
  const text = 'Type /compact in Claude Code with the Read tool.';
  mkdirSync(join(box.root, 'docs'));
  writeFileSync(join(box.root, 'docs/compact.md'), text);
  const words = [
    'start',
    'Shop',
    '--phases',
    'A,B',
    '--read',
    'docs/compact.md',
  ];
  box.run(words, { env: shell('s1') });
  send('PreCompact-auto', 's1');
  send('SessionStart-compact', 's1');
  const given = said('UserPromptSubmit', 's1');
  expect(given).toContain('@docs/compact.md (content below)');
  expect(given).toContain(text);
});
