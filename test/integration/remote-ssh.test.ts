import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  expectRefusal as refused,
  ok,
  prepareHub,
  silentPort,
  type Hub,
  type TestClone,
} from '../support/clones.ts';
import { onlyRun } from '../support/state.ts';

/** Called like ssh: writes down its arguments, then runs the remote command here. */
const LOCAL_SSH = `printf '%s\\n' "$*" >> "$HOME/ssh-calls"
while [ $# -gt 0 ]; do
  case $1 in -o|-p|-i) shift 2;; -*) shift;; *) break;; esac
done
shift
exec sh -c "$*"`;

/** A PATH on which `ssh` is this script. */
function fakeSsh(clone: TestClone, script: string): { PATH: string } {
  const folder = join(clone.home, 'ssh-bin');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'ssh'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'ssh'), 0o755);
  return { PATH: `${folder}:${process.env['PATH'] ?? ''}` };
}

function calls({ home }: TestClone): string {
  return readFileSync(join(home, 'ssh-calls'), 'utf8');
}

/** A clone whose remote is reached by ssh, with sync on and a run that was not sent yet. */
const unsent = prepareHub((hub) => {
  const a = hub.clone('a');
  ok(a.run(['start', 'Shop', '--phases', 'A,B']));
  ok(a.run(['sync', 'on', 'origin']));
  a.git('remote', 'set-url', 'origin', `ssh://ann@shop.example${hub.path}`);
  return { a };
});

describe("git's ssh transport", () => {
  it('two clones exchange a run, and ssh is told never to ask', () => {
    const { hub, a } = unsent();
    const env = fakeSsh(a, LOCAL_SSH);
    expect(ok(a.run(['sync'], { env }))).toContain('1 sent');
    const b = hub.clone('b', { url: hub.path });
    b.git('remote', 'set-url', 'origin', `ann@shop.example:${hub.path}`);
    const other = fakeSsh(b, LOCAL_SSH);
    expect(ok(b.run(['sync', 'on', 'origin'], { env: other }))).toContain(
      'New here, from origin',
    );
    ok(b.run(['advance']));
    ok(b.run(['sync'], { env: other }));
    ok(a.run(['sync'], { env }));
    expect(onlyRun(a.root).phase.name).toBe('B');
    for (const clone of [a, b]) {
      const lines = calls(clone).trim().split('\n');
      for (const line of lines)
        expect(line).toMatch(/-o BatchMode=yes.* ann@shop\.example git-/);
      expect(lines.some((line) => line.includes('git-receive-pack'))).toBe(
        true,
      );
    }
  });

  it("uses the user's own command: in batch mode if it is ssh, as it is otherwise", () => {
    const { a } = unsent();
    const { PATH } = fakeSsh(a, LOCAL_SSH);
    a.git('config', 'core.sshCommand', 'ssh -i my-key');
    ok(a.run(['sync'], { env: { PATH } }));
    expect(calls(a)).toMatch(/^-i my-key -o BatchMode=yes /m);
    const tunnel = join(a.home, 'tunnel');
    writeFileSync(tunnel, readFileSync(join(a.home, 'ssh-bin/ssh')), {
      mode: 0o755,
    });
    writeFileSync(join(a.home, 'ssh-calls'), '');
    ok(a.run(['sync'], { env: { PATH, GIT_SSH_COMMAND: `${tunnel} -4` } }));
    expect(calls(a)).toMatch(/^-4 /m);
    expect(calls(a)).not.toContain('BatchMode');
  });

  it.each<[why: string, stderr: string, sentence: RegExp]>([
    [
      'a host that is not known',
      'No ED25519 host key is known for shop.example and you have requested strict checking.\nHost key verification failed.',
      /unknown host key.*\("Host key verification failed\."\).*git ls-remote origin.*nothing is lost/,
    ],
    [
      'no key that the host accepts',
      'ann@shop.example: Permission denied (publickey).',
      /origin asks for a login.*never prompts.*\("ann@shop\.example: Permission denied \(publickey\)\."\).*ssh key.*nothing is lost/,
    ],
    [
      'a host that does not exist',
      'ssh: Could not resolve hostname shop.example: Name or service not known',
      /origin cannot be reached \("Could not resolve hostname shop\.example.*nothing is lost/,
    ],
    [
      'a port where nobody listens',
      'ssh: connect to host shop.example port 22: Connection refused',
      /origin cannot be reached \("connect to host shop\.example port 22: Connection refused"\)/,
    ],
    [
      'a key that may only read',
      'ERROR: The key you are authenticating with has been marked as read only.',
      /origin refused what was sent \("The key you are authenticating with has been marked as read only\."\).*refs\/holdfast/,
    ],
  ])('%s: a sentence with the words of ssh', (_why, stderr, sentence) => {
    const { a } = unsent();
    const failing = `cat >&2 <<'END'\n${stderr}\nEND\nexit 255`;
    refused(a.run(['sync'], { code: 1, env: fakeSsh(a, failing) }), sentence);
  });

  it('a connection that breaks while a run is sent', () => {
    const { a } = unsent();
    const breaking = `case "$*" in *receive-pack*) echo "client_loop: send disconnect: Broken pipe" >&2; exit 255;; esac\n${LOCAL_SSH}`;
    refused(
      a.run(['sync'], { code: 1, env: fakeSsh(a, breaking) }),
      /cannot be reached \("client_loop/,
    );
    expect(ok(a.run(['sync'], { env: fakeSsh(a, LOCAL_SSH) }))).toContain(
      '1 sent',
    );
  });
});

/** Sshd must be started by its full path, and is mostly in a folder that only root has on the PATH. */
const SSHD = [
  ...(process.env['PATH'] ?? '').split(':'),
  '/usr/sbin',
  '/usr/local/sbin',
]
  .map((folder) => join(folder, 'sshd'))
  .find((path) => existsSync(path));

describe.skipIf(SSHD === undefined)(
  'a real ssh server (needs sshd: apt-get install openssh-server)',
  () => {
    it('a host that is unknown or has another key, and a user whom it does not accept: a sentence, no prompt, and the run is sent later', async () => {
      const { hub, a } = unsent();
      const server = await startServer(hub);
      const { known } = connectTo(server, hub, a);
      const asked = join(a.home, 'asked');
      const askpass = join(a.home, 'askpass');
      writeFileSync(askpass, `#!/bin/sh\ntouch ${asked}\necho yes\n`, {
        mode: 0o755,
      });
      const env = {
        SSH_ASKPASS: askpass,
        SSH_ASKPASS_REQUIRE: 'force',
        DISPLAY: ':0',
      };
      const unknown = /unknown host key.*git ls-remote origin.*nothing is lost/;
      refused(a.run(['sync'], { code: 1, env }), unknown);
      const other = join(a.home, 'other-host-key');
      keygen(other);
      writeFileSync(known, `[127.0.0.1]:${server.port} ${publicKey(other)}\n`);
      refused(a.run(['sync'], { code: 1, env }), unknown);
      trust(server, a);
      const login =
        /asks for a login.*Permission denied \(publickey.*ssh key.*nothing is lost/;
      refused(a.run(['sync'], { code: 1, env }), login);
      // A key with a passphrase that no agent has unlocked.
      admit(server, a);
      execFileSync('ssh-keygen', [
        '-q',
        '-p',
        '-N',
        'hunter2',
        '-f',
        join(a.home, 'key'),
      ]);
      refused(a.run(['sync'], { code: 1, env }), login);
      expect(existsSync(asked)).toBe(false);
      expect(hub.git('for-each-ref', 'refs/holdfast')).toBe('');
      execFileSync('ssh-keygen', [
        '-q',
        '-p',
        '-P',
        'hunter2',
        '-N',
        '',
        '-f',
        join(a.home, 'key'),
      ]);
      expect(ok(a.run(['sync'], { env }))).toContain('1 sent');
    });

    it('a host that accepts the connection and says nothing is given up after the timeout', async () => {
      const { a } = unsent();
      const url = `ssh://ann@127.0.0.1:${await silentPort()}/hub.git`;
      a.git('remote', 'set-url', 'origin', url);
      refused(
        a.run(['sync', '--timeout', '1s'], { code: 1 }),
        /origin did not answer in time.*--timeout/,
      );
    });
  },
);

/** Makes the server the remote of a clone, whose user has a key of its own. */
function connectTo(
  { port }: SshServer,
  hub: Hub,
  clone: TestClone,
): { known: string } {
  const url = `ssh://${userInfo().username}@127.0.0.1:${port}${hub.path}`;
  clone.git('remote', 'set-url', 'origin', url);
  const [key, known] = [
    join(clone.home, 'key'),
    join(clone.home, 'known_hosts'),
  ];
  keygen(key);
  const options = `-i ${key} -o IdentitiesOnly=yes -o UserKnownHostsFile=${known} -F /dev/null`;
  clone.git('config', 'core.sshCommand', `ssh ${options}`);
  return { known };
}

function trust({ port, hostKey }: SshServer, { home }: TestClone): void {
  writeFileSync(join(home, 'known_hosts'), `[127.0.0.1]:${port} ${hostKey}\n`);
}

function admit({ authorized }: SshServer, { home }: TestClone): void {
  writeFileSync(authorized, readFileSync(join(home, 'key.pub')), { flag: 'a' });
}

function keygen(path: string): void {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path]);
}

interface SshServer {
  port: number;
  /** Its public key. */
  hostKey: string;
  /** The file with the keys that it accepts. */
  authorized: string;
}

/** A server for this user alone, on a port of its own. */
async function startServer(hub: Hub): Promise<SshServer> {
  const key = join(hub.base, 'host-key');
  const authorized = join(hub.base, 'authorized_keys');
  const config = join(hub.base, 'sshd_config');
  keygen(key);
  writeFileSync(authorized, '');
  const port = await freePort();
  const lines = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${key}`,
    `AuthorizedKeysFile ${authorized}`,
    'PidFile none',
    'StrictModes no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'AcceptEnv GIT_PROTOCOL',
    // The default takes ten times as long.
    'KexAlgorithms curve25519-sha256',
  ];
  writeFileSync(config, `${lines.join('\n')}\n`);
  // As root it wants a folder that the package would have made at boot.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true });
  const log = join(hub.base, 'sshd.log');
  const server = spawn(SSHD ?? '', ['-D', '-E', log, '-f', config], {
    stdio: 'ignore',
  });
  onTestFinished(() => void server.kill());
  for (let tries = 0; !(await isListening(port)); tries += 1) {
    if (tries === 30_000 || server.exitCode !== null)
      throw new Error(`sshd did not start: ${readFileSync(log, 'utf8')}`);
    await sleep(5);
  }
  return { port, hostKey: publicKey(key), authorized };
}

/** Without the comment. */
function publicKey(path: string): string {
  const [kind = '', text = ''] = readFileSync(`${path}.pub`, 'utf8').split(' ');
  return `${kind} ${text}`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string')
    throw new Error('it listens on a port');
  return address.port;
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return new Promise((settle) => {
    socket
      .once('connect', () => settle(true))
      .once('error', () => settle(false));
  }).then((isOpen) => {
    socket.destroy();
    return isOpen === true;
  });
}
