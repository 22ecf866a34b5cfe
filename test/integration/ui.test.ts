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
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Overview, RunPage } from '../../src/ui/page-data.ts';
import { sandbox, type Sandbox } from '../support/cli.ts';
import { ask, startPage, type RunningPage } from '../support/page-server.ts';
import { PATIENCE } from '../support/patience.ts';
import { onlyRun } from '../support/state.ts';

const pathOf = ({ url }: RunningPage, rest = ''): string =>
  `${new URL(url).pathname}${rest}`;

async function json<T>(page: RunningPage, rest: string): Promise<T> {
  return JSON.parse((await ask(page.port, pathOf(page, rest))).text);
}

function shop(tree: Record<string, string> = {}): Sandbox {
  const box = sandbox({ 'docs/spec.md': 'x\n', ...tree });
  box.run(
    ['start', 'Shop', '--phases', 'Design,Build', '--read', 'docs/spec.md'],
    {
      session: 's1',
    },
  );
  return box;
}

/** Every file below a folder with its content and times, except for the user's cache. */
function snapshot(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && !entry.parentPath.endsWith('holdfast/cache'),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map(
      (path) =>
        `${path} ${statSync(path).mtimeMs} ${readFileSync(path, 'utf8')}`,
    );
}

describe('what is answered', () => {
  it('the page, its data, and nothing from elsewhere', async () => {
    const box = shop();
    for (const text of ['SQLITE', 'WAL'])
      box.run(['note', text], { session: 's1' });
    const page = await startPage(box);
    const html = await ask(page.port, pathOf(page));
    expect(html.status).toBe(200);
    expect(html.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(html.text).not.toMatch(/(?:src|href)=["']?(?:https?:)?\/\//);
    const id = onlyRun(box.root).run_id ?? '';
    const overview = await json<Overview>(page, 'data/overview');
    expect(overview.runs).toMatchObject([
      { run_id: id, status: 'in_progress', archived: false },
    ]);
    expect(await json(page, `data/run?id=${id}`)).toMatchObject({
      run: { workflow: 'Shop' },
      steps: [{ title: 'Design', state: 'current' }, { title: 'Build' }],
      reading: [{ path: '@docs/spec.md', state: 'unread' }],
      decisions: [
        { n: 2, text: 'WAL', phase: '1/2 Design', author: 'by an agent' },
        { n: 1, text: 'SQLITE' },
      ],
    });
    const { guidance } = await json<RunPage>(page, `data/run?id=${id}`);
    const { text, characters, left_out } = guidance;
    expect(box.json(['guidance', id])).toMatchObject({
      text,
      characters,
      left_out,
    });
  });

  it('has strict headers everywhere, and no permission for other sites', async () => {
    const page = await startPage(shop());
    const paths = [
      pathOf(page),
      pathOf(page, 'data/overview'),
      pathOf(page, 'nothing'),
      '/wrong/',
    ];
    for (const path of paths) {
      const { headers } = await ask(page.port, path);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(headers['content-security-policy']).toContain(
        "default-src 'none'",
      );
      expect(Object.keys(headers).join()).not.toMatch(
        /access-control|x-powered|set-cookie/,
      );
    }
    expect((await ask(page.port, '/wrong/')).status).toBe(403);
    const { headers } = await ask(page.port, pathOf(page));
    expect(headers['content-security-policy']).toMatch(
      /script-src 'sha256-[\w+/=]+'/,
    );
    expect(headers['content-security-policy']).not.toMatch(/unsafe/);
  });

  it('changes nothing: no file of the project or the home folder is written', async () => {
    const box = shop({
      'CLAUDE.local.md':
        '# Workflow State\nWorkflow: Later\nPhase: 1/2 - One\n',
    });
    const id = onlyRun(box.root).run_id;
    const files = () => [...snapshot(box.root), ...snapshot(box.home)];
    const before = files();
    const page = await startPage(box, ['--no-open'], {
      CLAUDE_CODE_SESSION_ID: 's1',
    });
    for (const rest of ['', 'data/overview', `data/run?id=${id}`])
      expect((await ask(page.port, pathOf(page, rest))).status).toBe(200);
    await page.stop();
    expect(files()).toEqual(before);
  });
});

describe('who is refused', () => {
  it('a path to any file; a required file that leads out of the project is named, never shown', async () => {
    const box = sandbox({ 'docs/spec.md': 'x\n' });
    writeFileSync(join(box.home, 'secret.md'), 'SECRET-CONTENT');
    symlinkSync(join(box.home, 'secret.md'), join(box.root, 'link.md'));
    box.run(['start', 'Shop', '--read', 'link.md'], { session: 's1' });
    const page = await startPage(box);
    const id = onlyRun(box.root).run_id;
    for (const rest of [
      'docs/spec.md',
      'data/run?id=../../docs/spec.md',
      `data/run?id=${encodeURIComponent('../'.repeat(8))}etc/passwd`,
      'data/run?id=%ff%fe',
    ]) {
      const { status, text } = await ask(page.port, pathOf(page, rest));
      expect(status, rest).toBe(404);
      expect(text).not.toMatch(/root:|^x\n/);
    }
    for (const rest of ['data/overview', `data/run?id=${id}`])
      expect((await ask(page.port, pathOf(page, rest))).text).not.toContain(
        'SECRET-CONTENT',
      );
    expect(await json(page, `data/run?id=${id}`)).toMatchObject({
      reading: [{ path: '@link.md', state: 'outside' }],
    });
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

  it('connections that say nothing: they are closed, and the owner is let in beside hundreds', async () => {
    const page = await startPage(shop());
    const sockets = Array.from({ length: 300 }, () =>
      connect(page.port, '127.0.0.1').on('error', () => undefined),
    );
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    expect((await ask(page.port, pathOf(page))).status).toBe(200);
    const open = sockets.filter((socket) => !socket.resume().closed);
    await Promise.all(open.map((socket) => once(socket, 'close')));
    // Nor do other machines reach it: the same port on another address of this machine is still free.
    const free = createServer().listen({ host: '127.0.0.2', port: page.port });
    await once(free, 'listening');
    free.close();
  });
});

describe('the link for the browser', () => {
  /** A browser that only writes down what it was started with, and who can read that. */
  function recorder(box: Sandbox): {
    env: Record<string, string>;
    opened: () => string[];
  } {
    const program = join(box.home, 'browser.sh');
    const log = join(box.home, 'opened');
    writeFileSync(
      program,
      `#!/bin/sh\nstat -c %a "$1" "$(dirname "$1")" >'${log}.new'\necho "$*" >>'${log}.new'\nmv '${log}.new' '${log}'\n`,
    );
    chmodSync(program, 0o755);
    return {
      env: { BROWSER: program, XDG_RUNTIME_DIR: box.home },
      opened: () =>
        existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [],
    };
  }

  it('is in a file that only the user can read, not among the arguments, and removed in the end', async () => {
    const box = shop();
    const browser = recorder(box);
    const page = await startPage(box, [], browser.env);
    await expect.poll(() => browser.opened().length, PATIENCE).toBe(3);
    const [fileMode, folderMode, words = ''] = browser.opened();
    expect({ fileMode, folderMode }).toEqual({
      fileMode: '600',
      folderMode: '700',
    });
    expect(words).not.toMatch(/http|\s/);
    expect(readFileSync(words, 'utf8')).toContain(`url=${page.url}"`);
    expect(page.stderr()).toBe('');
    expect(await page.stop()).toBe(0);
    expect(existsSync(words)).toBe(false);
  });

  it('is not opened with --no-open, nor with --act', async () => {
    const box = shop();
    const browser = recorder(box);
    for (const word of ['--no-open', '--act']) {
      const page = await startPage(box, [word], browser.env);
      await page.stop();
    }
    expect(browser.opened()).toEqual([]);
  });

  it.each([
    ['no such program', { BROWSER: '/nowhere/browser' }],
    ['a program that fails', { BROWSER: '/bin/false' }],
  ])(
    'with %s the address is printed and a sentence says what to do',
    async (_, env) => {
      const page = await startPage(shop(), [], env);
      await expect
        .poll(page.stderr, PATIENCE)
        .toBe(
          'holdfast: no browser could be opened here. Open the address yourself.\n',
        );
      expect(page.stdout()).toContain(page.url);
      expect((await ask(page.port, pathOf(page))).status).toBe(200);
    },
  );
});

describe('the command', () => {
  it.each(['SIGINT', 'SIGHUP'] as const)(
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
    const second = box.run(['ui', '--no-open', '--port', String(page.port)], {
      code: 1,
    });
    expect(second).toEqual({
      code: 1,
      stdout: '',
      stderr: `holdfast: port ${page.port} is in use by another program; choose another with --port, or leave --port out to use any free one\n`,
    });
    const { stderr } = box.run(['ui', '--no-open', '--port=65536'], {
      code: 2,
    });
    expect(stderr).toContain('a whole number from 0 (any free port) to 65535');
  });

  it('uses the given port, 0 for any free one, and --json prints where the page is', async () => {
    const box = shop();
    const page = await startPage(box, ['--no-open', '--json', '--port', '0']);
    const { port } = page;
    expect(port).toBeGreaterThan(0);
    expect(JSON.parse(page.stdout())).toEqual({
      url: page.url,
      port,
      project: box.root,
    });
    await page.stop();
    const again = await startPage(box, ['--no-open', '--port', String(port)]);
    expect(again.port).toBe(port);
  });
});

describe('a project that changes under the page', () => {
  it('a folder that is deleted is said to be gone, and its parent is not shown instead', async () => {
    const outer = sandbox();
    outer.run(['start', 'Outer run']);
    const inner = { ...outer, root: join(outer.root, 'inner') };
    mkdirSync(join(inner.root, '.git'), { recursive: true });
    const page = await startPage(inner);
    rmSync(inner.root, { recursive: true });
    const reply = await ask(page.port, pathOf(page, 'data/overview'));
    expect(reply.status).toBe(410);
    expect(JSON.parse(reply.text).error).toMatchObject({
      code: 'project_gone',
    });
    mkdirSync(inner.root);
    const again = await ask(page.port, pathOf(page, 'data/overview'));
    expect(again.status).toBe(200);
    expect(JSON.parse(again.text)).toMatchObject({ runs: [] });
  });
});
