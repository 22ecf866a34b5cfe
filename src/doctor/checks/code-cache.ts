import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cacheName, HOOK_OPTION } from '../../install/runtime/code-cache.ts';
import { hookCodeFile, runtimeFolder } from '../../io/runtime-paths.ts';
import { readTextFile } from '../../io/read-file.ts';
import { findingsFor } from '../findings.ts';
import { fixCommandFor } from '../fix-command.ts';
import { terminalEnvironment } from '../trial/environment.ts';
import { registrationsIn } from '../host/registrations.ts';
import type { DoctorContext, Finding } from '../types.ts';

const report = findingsFor('versions');
const MAX_BYTES = 5_000_000;
const LIMIT = 5_000;

/** Runs in the Node of the hooks, because only its V8 knows whether it accepts the cache. The code is not executed. */
const ASK_V8 = [
  "const fs=require('fs'),[,start]=process.argv,code=fs.readFileSync(0,'utf8');",
  `require('v8').setFlagsFromString('${HOOK_OPTION}');`,
  'const file=`${start}-${process.version}-${process.arch}.cache`;',
  "if(!fs.existsSync(file))console.log('none');",
  "else console.log(new(require('vm').Script)(code,{cachedData:fs.readFileSync(file)})",
  ".cachedDataRejected?'rejected':'taken')",
].join('');

/** Whether V8 uses the code cache of the hooks. */
export function codeCache(context: DoctorContext, node: string): Finding[] {
  const path = hookCodeFile(runtimeFolder(context.config));
  const file = readTextFile(path, MAX_BYTES);
  const code = file.kind === 'text' ? file.text : '';
  const cache = cacheName('hook', code);
  if (cache === undefined) return [];
  const fix = fixCommandFor(registrationsIn(context));
  switch (answerOf(context, join(dirname(path), cache), code)) {
    case 'taken':
      return [report.ok(`the hooks have a code cache for Node ${node}`)];
    case 'none':
      return [
        report.note(
          `the hooks have no code cache for Node ${node}, so each hook starts a little slower`,
          {
            evidence: [dirname(path)],
            fix,
          },
        ),
      ];
    case 'rejected':
      return [
        report.warning(
          `Node ${node} rejects the code cache of the hooks, so each hook starts slower`,
          {
            evidence: [dirname(path)],
            fix,
          },
        ),
      ];
    default:
      return [report.skipped(`Node ${node} did not report whether it accepts the code cache`)];
  }
}

/** The Node of the hooks may be another one than this, so the name of its cache may end differently. */
function answerOf({ environment }: DoctorContext, cache: string, code: string): string {
  const start = cache.slice(0, cache.indexOf(`-${process.version}-`));
  const child = spawnSync('node', ['-e', ASK_V8, start], {
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
