import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import fse from 'fs-extra';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { GuidancePage } from '../../src/ui/model/types/guidance.ts';
import type { Overview } from '../../src/ui/model/types/overview.ts';
import type { RunPage } from '../../src/ui/model/types/run.ts';
import { binary, repository, sandbox, type Sandbox } from '../support/cli.ts';
import { ask, startPage, type Reply, type RunningPage } from '../support/page-server.ts';
import { PATIENCE } from '../support/patience.ts';
import { archived, onlyRun, stateFiles } from '../support/state.ts';

const pathOf = ({ url }: RunningPage, rest = ''): string => `${new URL(url).pathname}${rest}`;

async function json<T>(page: RunningPage, rest: string): Promise<T> {
  return JSON.parse((await ask(page.port, pathOf(page, rest))).text);
}

function shop(tree: Record<string, string> = {}): Sandbox {
  const box = sandbox({ 'docs/spec.md': 'x\n', ...tree });
  box.run(['start', 'Shop', '--phases', 'Design,Build', '--read', 'docs/spec.md'], {
    session: 's1',
  });
  return box;
}

/** Every file below a folder with its content and times. */
function snapshot(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => {
      const stat = statSync(path);
      return `${path} ${stat.mtimeMs} ${stat.isFile() ? readFileSync(path, 'utf8') : ''}`;
    });
}

describe('what is answered', () => {
  it('the page, its data, and nothing from elsewhere', async () => {
    const box = shop();
    const page = await startPage(box);
    const html = await ask(page.port, pathOf(page));
    expect(html.status).toBe(200);
    expect(html.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(html.text).not.toMatch(/(?:src|href)=["']?(?:https?:)?\/\//);
    const { active } = await json<Overview>(page, 'data/overview');
    expect(active).toMatchObject([{ workflow: 'Shop', status: 'in_progress' }]);
    const id = active[0]?.id ?? '';
    const run = await json<RunPage>(page, `data/run?id=${id}`);
    expect(run).toMatchObject({
      steps: [{ title: 'Design', state: 'current' }, { title: 'Build' }],
      reading: [{ path: 'docs/spec.md', state: 'unread' }],
    });
    const guidance = await json<GuidancePage>(page, `data/guidance?id=${id}`);
    const text = guidance.sections.map((section) => section.text).join('\n\n');
    expect(box.json(['guidance', id])).toMatchObject({ text });
  });

  it('has strict headers everywhere, and no permission for other sites', async () => {
    const page = await startPage(shop());
    const paths = [pathOf(page), pathOf(page, 'data/overview'), pathOf(page, 'nothing'), '/wrong/'];
    for (const path of paths) {
      const { headers } = await ask(page.port, path);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(headers['content-security-policy']).toContain("default-src 'none'");
      expect(Object.keys(headers).join()).not.toMatch(/access-control|x-powered|set-cookie/);
    }
    const { headers } = await ask(page.port, pathOf(page));
    expect(headers['content-security-policy']).toMatch(/script-src 'sha256-[\w+/=]+'/);
    expect(headers['content-security-policy']).not.toMatch(/unsafe/);
  });

  it('changes nothing: no file of the project or the home folder is written', async () => {
    const box = shop({
      'CLAUDE.local.md': '# Workflow State\nWorkflow: Later\nPhase: 1/2 - One\n',
    });
    const id = onlyRun(box.root).run_id;
    // The first command of a process keeps the code that V8 has compiled.
    box.run(['guidance'], { session: 's1', ownProcess: true });
    const before = [...snapshot(box.root), ...snapshot(box.home)];
    const page = await startPage(box, ['--no-open'], { CLAUDE_CODE_SESSION_ID: 's1' });
    for (const rest of [
      '',
      'data/overview',
      `data/run?id=${id}`,
      `data/guidance?id=${id}`,
      `data/restored?id=${id}&at=x`,
    ])
      expect((await ask(page.port, pathOf(page, rest))).status).toBe(200);
    await page.stop();
    expect([...snapshot(box.root), ...snapshot(box.home)]).toEqual(before);
  });

  it('sends an event when a run moves', async () => {
    const box = shop();
    const page = await startPage(box);
    const response = await fetch(`${page.url}events`);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const until = async (word: string): Promise<void> => {
      while (!text.includes(word)) text += (await reader?.read())?.value ?? '';
    };
    await until('event: hello');
    box.run(['advance'], { session: 's1' });
    await until('event: change');
    await page.stop();
    await until('event: stopped');
  });
});

describe('who is refused', () => {
  it('a request without the token, or for or from another site', async () => {
    const page = await startPage(shop());
    const HERE = pathOf(page);
    const requests: [what: string, path: string, headers: Record<string, string>][] = [
      ['without a token', '/', {}],
      ['with a wrong token', '/wrong-token-0000000000000000000000/', {}],
      ['with another Host', HERE, { Host: 'evil.example' }],
      ['with a name for this machine', HERE, { Host: `localhost:${page.port}` }],
      ['with another Origin', HERE, { Origin: 'http://evil.example' }],
      ['from a file', HERE, { Origin: 'null' }],
    ];
    for (const [what, path, headers] of requests)
      for (const rest of ['', 'data/overview', 'events']) {
        const reply = await ask(page.port, `${path}${rest}`, { headers });
        expect(reply.status, what).toBe(403);
        expect(reply.text, what).toMatch(/^holdfast: .+\.\n$/);
        expect(reply.text, what).not.toContain('Shop');
      }
  });

  it('every method but GET and HEAD', async () => {
    const page = await startPage(shop());
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const { status, headers } = await ask(page.port, pathOf(page), { method });
      expect(status, method).toBe(405);
      expect(headers['allow'], method).toBe('GET, HEAD');
    }
  });

  it('a path to any file, in the project or outside', async () => {
    const box = shop();
    const page = await startPage(box);
    const tries = [
      'docs/spec.md',
      '../docs/spec.md',
      '..%2f..%2fetc/passwd',
      'data/run?id=../../docs/spec.md',
      `data/run?id=${encodeURIComponent('../'.repeat(8))}etc/passwd`,
      `data/guidance?id=${encodeURIComponent(box.root)}`,
      'data/restored?id=shop&at=../../x',
      `data/run?id=${'a'.repeat(1_500)}`,
      'data/run?id=%00',
      'data/run?id=%ff%fe',
    ];
    for (const rest of tries) {
      const { status, text } = await ask(page.port, pathOf(page, rest));
      expect(status, rest).toBe(404);
      expect(text).not.toMatch(/root:|^x\n/);
    }
  });

  it('a required file that leads out of the project is named, never shown', async () => {
    const box = sandbox();
    writeFileSync(join(box.home, 'secret.md'), 'SECRET-CONTENT');
    symlinkSync(join(box.home, 'secret.md'), join(box.root, 'link.md'));
    box.run(['start', 'Shop', '--read', 'link.md'], { session: 's1' });
    const page = await startPage(box);
    const id = onlyRun(box.root).run_id;
    const texts = await Promise.all(
      ['data/overview', `data/run?id=${id}`, `data/guidance?id=${id}`].map(
        async (rest) => (await ask(page.port, pathOf(page, rest))).text,
      ),
    );
    expect(texts.join()).not.toContain('SECRET-CONTENT');
    expect(JSON.parse(texts[1] ?? '').reading).toEqual([{ path: 'link.md', state: 'outside' }]);
  });

  it('a client that sends garbage, and the server goes on', async () => {
    const page = await startPage(shop());
    for (const bytes of [
      '\0\0\0',
      'GET\r\n\r\n',
      `GET / HTTP/1.1\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`,
    ]) {
      const socket = connect(page.port, '127.0.0.1');
      socket.on('error', () => {
        // The server may close the connection before everything is sent.
      });
      socket.resume();
      socket.end(bytes);
      await once(socket, 'close');
    }
    expect((await ask(page.port, pathOf(page))).status).toBe(200);
  });

  it('other machines: it listens on 127.0.0.1 only', async () => {
    const page = await startPage(shop());
    const free = createServer();
    // The same port on another address of this machine is still free.
    free.listen({ host: '127.0.0.2', port: page.port });
    await once(free, 'listening');
    free.close();
  });
});

describe('the link for the browser', () => {
  /** A browser that only writes down what it was started with. */
  function recorder(box: Sandbox): { env: Record<string, string>; opened: () => string } {
    const program = join(box.home, 'browser.sh');
    const log = join(box.home, 'opened');
    writeFileSync(program, `#!/bin/sh\nprintf '%s' "$1" >'${log}'\n`);
    chmodSync(program, 0o755);
    return {
      env: { BROWSER: program },
      opened: () => (existsSync(log) ? readFileSync(log, 'utf8') : ''),
    };
  }

  it('does not contain the token, leads to the page and works once', async () => {
    const box = shop();
    const browser = recorder(box);
    const page = await startPage(box, [], browser.env);
    await expect.poll(browser.opened, PATIENCE).toMatch(/\/open\/[\w-]{20,}$/);
    const { pathname } = new URL(browser.opened());
    expect(page.url).not.toContain(pathname.split('/')[2]);
    const first = await ask(page.port, pathname);
    expect(first).toMatchObject({ status: 303, headers: { location: pathOf(page) } });
    const second = await ask(page.port, pathname);
    expect(second).toMatchObject({ status: 403, text: expect.stringContaining('works once') });
    expect(page.stderr()).toBe('');
  });

  it('is not opened with --no-open', async () => {
    const box = shop();
    const browser = recorder(box);
    const page = await startPage(box, ['--no-open'], browser.env);
    await page.stop();
    expect(browser.opened()).toBe('');
  });

  it.each([
    ['no screen', {}],
    ['no such program', { BROWSER: '/nowhere/browser' }],
    ['a program that fails', { BROWSER: '/bin/false' }],
  ])('with %s the address is printed and a sentence says what to do', async (_, env) => {
    const page = await startPage(shop(), [], env);
    await expect
      .poll(page.stderr, PATIENCE)
      .toBe('holdfast: no browser could be opened here. Open the address yourself.\n');
    expect(page.stdout()).toContain(page.url);
    expect((await ask(page.port, pathOf(page))).status).toBe(200);
  });
});

describe('the command', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'ends with %s, also while a page listens',
    async (signal) => {
      const page = await startPage(shop());
      const stream = await fetch(`${page.url}events`);
      const closed = once(page.process, 'close');
      page.process.kill(signal);
      expect(await closed).toEqual([0, null]);
      await expect(stream.text()).resolves.toContain('event: stopped');
    },
  );

  it('says in a sentence that a port is in use', async () => {
    const box = shop();
    const page = await startPage(box);
    const second = box.run(['ui', '--no-open', '--port', String(page.port)], { code: 1 });
    expect(second).toEqual({
      code: 1,
      stdout: '',
      stderr: `holdfast: port ${page.port} is in use by another program; choose another with --port, or leave --port out to use any free one\n`,
    });
    expect(box.json(['ui', '--no-open', '--port', String(page.port)], { code: 1 })).toMatchObject({
      error: { code: 'port_refused' },
    });
  });

  it.each(['untracked', 'untracked/workflow-state'])(
    'says in a sentence that %s is not a folder, and starts nothing',
    (path) => {
      const box = sandbox();
      mkdirSync(join(box.root, path, '..'), { recursive: true });
      writeFileSync(join(box.root, path), 'a file');
      expect(box.run(['ui', '--no-open'], { code: 1 })).toEqual({
        code: 1,
        stdout: '',
        stderr: `holdfast: ${path} exists but is not a directory; move or rename it, then try again\n`,
      });
    },
  );

  it.each(['0', '65536', '-1', 'x', '1.5', ''])('refuses the port "%s"', (port) => {
    const { code, stderr } = sandbox().run(['ui', '--no-open', `--port=${port}`], { code: 2 });
    expect(code).toBe(2);
    expect(stderr).toContain('a whole number from 1 to 65535');
  });

  it('uses the given port, and --json prints where the page is', async () => {
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const address = free.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    free.close();
    await once(free, 'close');
    const box = shop();
    const page = await startPage(box, ['--no-open', '--json', '--port', String(port)]);
    expect(JSON.parse(page.stdout())).toEqual({ url: page.url, port, project: box.root });
  });

  it('two servers of the same project have different tokens', async () => {
    const box = shop();
    const [one, two] = [await startPage(box), await startPage(box)];
    expect(pathOf(one)).not.toBe(pathOf(two));
    expect((await ask(two.port, pathOf(one))).status).toBe(403);
  });

  it('says in a sentence that there is no such folder', () => {
    const box = sandbox();
    expect(box.run(['--cwd', '/nowhere', 'ui', '--no-open'], { code: 1 })).toMatchObject({
      code: 1,
      stderr: 'holdfast: there is no folder /nowhere; check --cwd\n',
    });
  });

  it('says in a sentence that the project cannot be read', () => {
    const box = shop();
    // Permissions do not stop root: as root the command runs as nobody, from a copy that nobody may read.
    const copy = join(box.home, 'holdfast');
    for (const name of ['bin/holdfast.cjs', 'dist/cli.cjs', 'dist/ui.html'])
      fse.copySync(join(repository, name), join(copy, name));
    chmodSync(dirname(box.root), 0o755);
    const folder = join(box.root, 'untracked/workflow-state');
    chmodSync(folder, 0o000);
    onTestFinished(() => chmodSync(folder, 0o755));
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(copy, 'bin/holdfast.cjs'), 'ui', '--no-open'],
      {
        cwd: box.root,
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], HOME: box.home },
        ...(process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}),
      },
    );
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^holdfast: .*workflow-state.*EACCES.*\n$/);
  });

  it('an agent that starts it gets no run by that', async () => {
    const box = shop();
    const before = readFileSync(join(box.root, stateFiles(box.root)[0] ?? ''), 'utf8');
    const child = spawn(process.execPath, [binary, 'ui', '--no-open'], {
      cwd: box.root,
      env: { PATH: process.env['PATH'], HOME: box.home, CLAUDE_CODE_SESSION_ID: 's2' },
    });
    await once(child.stdout, 'data');
    child.kill('SIGINT');
    await once(child, 'close');
    expect(readFileSync(join(box.root, stateFiles(box.root)[0] ?? ''), 'utf8')).toBe(before);
  });
});

describe('a project that changes under the page', () => {
  const overview = (page: RunningPage): Promise<Reply> =>
    ask(page.port, pathOf(page, 'data/overview'));

  it('a corrupt state file is named, and other runs stay', async () => {
    const box = shop();
    const page = await startPage(box);
    const folder = join(box.root, 'untracked/workflow-state/shop');
    writeFileSync(join(folder, 'state-shop-20250101_000000.json'), '{"workflow": "cut o');
    const data = await json<Overview>(page, 'data/overview');
    expect(data.active).toMatchObject([{ workflow: 'Shop' }]);
    expect(data.problems).toMatchObject([
      { path: 'untracked/workflow-state/shop/state-shop-20250101_000000.json' },
    ]);
    // Only writers set it aside.
    expect(readdirSync(folder)).toContain('state-shop-20250101_000000.json');
  });

  it('a run that ends is still shown, from the archive', async () => {
    const box = shop();
    const page = await startPage(box);
    const id = onlyRun(box.root).run_id;
    box.run(['complete'], { session: 's1' });
    expect(archived(box.root)).not.toEqual([]);
    expect(await json(page, `data/run?id=${id}`)).toMatchObject({
      card: { isArchived: true, status: 'completed' },
      commands: [{ command: `holdfast reopen ${id}` }],
    });
    expect(await json(page, `data/guidance?id=${id}`)).toMatchObject({ kind: 'none' });
  });

  it('a run that is purged is gone, in a sentence', async () => {
    const box = shop();
    const page = await startPage(box);
    const id = onlyRun(box.root).run_id;
    box.run(['complete', '--purge'], { session: 's1' });
    const { status, text } = await ask(page.port, pathOf(page, `data/run?id=${id}`));
    expect(status).toBe(404);
    expect(JSON.parse(text)).toEqual({
      error: {
        code: 'unknown_run',
        message: 'this run no longer exists',
        hint: '`holdfast list --all` lists the others',
      },
    });
  });

  it('a folder that is deleted is said to be gone, and its parent is not shown instead', async () => {
    const outer = sandbox();
    outer.run(['start', 'Outer run']);
    const inner = { ...outer, root: join(outer.root, 'inner') };
    mkdirSync(join(inner.root, '.git'), { recursive: true });
    const page = await startPage(inner);
    rmSync(inner.root, { recursive: true });
    const reply = await overview(page);
    expect(reply.status).toBe(410);
    expect(JSON.parse(reply.text).error).toMatchObject({ code: 'project_gone' });
    mkdirSync(inner.root);
    const again = await overview(page);
    expect(again.status).toBe(200);
    expect(JSON.parse(again.text)).toMatchObject({ active: [], archived: [] });
  });

  it('a journal at its limit and a thousand runs are answered', async () => {
    const box = shop();
    const state = JSON.parse(readFileSync(join(box.root, stateFiles(box.root)[0] ?? ''), 'utf8'));
    for (let n = 0; n < 1_000; n += 1) {
      const id = `run-${n}-20250101_000000`;
      fse.outputFileSync(
        join(box.root, `untracked/workflow-state/run-${n}/state-${id}.json`),
        JSON.stringify({ ...state, workflow: `Run ${n}`, run_id: id }),
      );
    }
    const line = `${JSON.stringify({ at: '2025-01-01T00:00:00Z', event: 'updated', note: 'x'.repeat(200) })}\n`;
    fse.outputFileSync(
      join(box.root, 'untracked/workflow-state/run-7/events-run-7-20250101_000000.jsonl'),
      line.repeat(Math.floor(256_000 / line.length)),
    );
    const page = await startPage(box);
    const { active } = await json<Overview>(page, 'data/overview');
    expect(active).toHaveLength(1_001);
    const { timeline } = await json<RunPage>(page, 'data/run?id=run-7-20250101_000000');
    expect(timeline.length).toBeGreaterThan(900);
  });
});
