import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { cacheName, codeIn } from '../../install/runtime/code-cache.ts';
import { runtimeFolder, hookFile } from '../../io/runtime-paths.ts';
import { readTextFile } from '../../io/read-file.ts';
import { findingsFor } from '../findings.ts';
import { fixCommandFor } from '../fix-command.ts';
import { terminalEnvironment } from '../trial/environment.ts';
import { registrationsIn } from '../host/registrations.ts';
import type { DoctorContext, Finding } from '../types.ts';

const say = findingsFor('versions');
const MAX_BYTES = 5_000_000;
const LIMIT = 5_000;

/** The Node of the hooks is asked, because only V8 itself knows whether it takes a cache; nothing of it is run. */
const ASK_V8 = [
  "const fs=require('fs'),[,start]=process.argv,code=fs.readFileSync(0,'utf8');",
  'const file=`${start}-${process.version}-${process.arch}.cache`;',
  "if(!fs.existsSync(file))console.log('none');",
  "else console.log(new(require('vm').Script)(code,{cachedData:fs.readFileSync(file)})",
  ".cachedDataRejected?'rejected':'taken')",
].join('');

/** Whether the hooks start faster by V8's cache of their code. */
export function codeCache(examined: DoctorContext, node: string): Finding[] {
  const path = hookFile(runtimeFolder(examined.config));
  const file = readTextFile(path, MAX_BYTES);
  const code = file.kind === 'text' ? codeIn(file.text) : undefined;
  if (code === undefined) return [];
  const fix = fixCommandFor(registrationsIn(examined));
  switch (answerOf(examined, path, code)) {
    case 'taken':
      return [say.ok(`the hooks have a code cache for Node ${node}`)];
    case 'none':
      return [
        say.note(`the hooks have no code cache for Node ${node}, so each starts a little slower`, {
          evidence: [dirname(path)],
          fix,
        }),
      ];
    case 'rejected':
      return [
        say.warning(`Node ${node} rejects the code cache of the hooks, so each starts slower`, {
          evidence: [dirname(path)],
          fix,
        }),
      ];
    default:
      return [say.skipped(`Node ${node} did not tell whether it takes the code cache`)];
  }
}

function answerOf({ environment }: DoctorContext, path: string, code: string): string {
  const [name = '', digest = ''] = cacheName(code).split('-');
  const child = spawnSync('node', ['-e', ASK_V8, `${dirname(path)}/${name}-${digest}`], {
    cwd: tmpdir(),
    env: terminalEnvironment(environment),
    input: code,
    encoding: 'utf8',
    timeout: LIMIT,
    killSignal: 'SIGKILL',
    windowsHide: true,
  });
  return (child.stdout ?? '').trim();
}
