import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectRefusal as refused, ok, prepareHub, type TestClone } from '../support/clones.ts';
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
    expect(ok(b.run(['sync', 'on', 'origin'], { env: other }))).toContain('New here, from origin');
    ok(b.run(['advance']));
    ok(b.run(['sync'], { env: other }));
    ok(a.run(['sync'], { env }));
    expect(onlyRun(a.root).phase.name).toBe('B');
    for (const clone of [a, b]) {
      const lines = calls(clone).trim().split('\n');
      for (const line of lines) expect(line).toMatch(/-o BatchMode=yes.* ann@shop\.example git-/);
      expect(lines.some((line) => line.includes('git-receive-pack'))).toBe(true);
    }
  });

  it("uses the user's own command: in batch mode if it is ssh, as it is otherwise", () => {
    const { a } = unsent();
    const { PATH } = fakeSsh(a, LOCAL_SSH);
    a.git('config', 'core.sshCommand', 'ssh -i my-key');
    ok(a.run(['sync'], { env: { PATH } }));
    expect(calls(a)).toMatch(/^-i my-key -o BatchMode=yes /m);
    const tunnel = join(a.home, 'tunnel');
    writeFileSync(tunnel, readFileSync(join(a.home, 'ssh-bin/ssh')), { mode: 0o755 });
    writeFileSync(join(a.home, 'ssh-calls'), '');
    ok(a.run(['sync'], { env: { PATH, GIT_SSH_COMMAND: `${tunnel} -4` } }));
    expect(calls(a)).toMatch(/^-4 /m);
    expect(calls(a)).not.toContain('BatchMode');
  });

  it('a failure is a sentence with the words of ssh, and the run is sent later', () => {
    const { a } = unsent();
    const failures: [stderr: string, sentence: RegExp][] = [
      [
        'No ED25519 host key is known for shop.example and you have requested strict checking.\nHost key verification failed.',
        /unknown host key.*\(Host key verification failed\.\).*git ls-remote origin.*nothing is lost/,
      ],
      [
        'ann@shop.example: Permission denied (publickey).',
        /origin asks for a login.*never prompts.*\(ann@shop\.example: Permission denied \(publickey\)\.\).*ssh key.*nothing is lost/,
      ],
      [
        'ssh: Could not resolve hostname shop.example: Name or service not known',
        /origin cannot be reached \(Could not resolve hostname shop\.example.*nothing is lost/,
      ],
      [
        'ssh: connect to host shop.example port 22: Connection refused',
        /origin cannot be reached \(connect to host shop\.example port 22: Connection refused\)/,
      ],
      [
        'ERROR: The key you are authenticating with has been marked as read only.',
        /origin refused what was sent \(The key you are authenticating with has been marked as read only\.\).*refs\/holdfast/,
      ],
    ];
    for (const [stderr, sentence] of failures) {
      const failing = `cat >&2 <<'END'\n${stderr}\nEND\nexit 255`;
      refused(a.run(['sync'], { code: 1, env: fakeSsh(a, failing) }), sentence);
    }
    const breaking = `case "$*" in *receive-pack*) echo "client_loop: send disconnect: Broken pipe" >&2; exit 255;; esac\n${LOCAL_SSH}`;
    refused(
      a.run(['sync'], { code: 1, env: fakeSsh(a, breaking) }),
      /cannot be reached \(client_loop/,
    );
    expect(ok(a.run(['sync'], { env: fakeSsh(a, LOCAL_SSH) }))).toContain('1 sent');
  });
});
