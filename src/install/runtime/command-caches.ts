import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { replaceText } from '../../io/replace-text.ts';
import { programFile } from '../../io/runtime-paths.ts';
import { cacheName, WARM_UP, writeWarmUpProject } from './code-cache.ts';

/** The bundles that bin/holdfast.cjs starts with a code cache. */
const BUNDLES = ['cli', 'cli-status', 'cli-statusline'];

/** Together they use most of the functions that an everyday command uses. */
const WARM_UPS = [
  ['start', 'Warm-up', '--phases', 'One,Two', '--read', 'spec.md'],
  ['status'],
  ['list'],
  ['statusline'],
  ['advance'],
  [],
];

export interface CommandCache {
  bundle: string;
  /** In the same folder as the bundle. */
  name: string;
  /** As bin/holdfast.cjs compiles it. */
  code: string;
}

/** The caches that belong to the bundles in a folder; a bundle without a digest has none. */
export function commandCaches(dist: string): CommandCache[] {
  return BUNDLES.flatMap((bundle) => {
    const source = fs.readFileSync(join(dist, `${bundle}.cjs`), 'latin1');
    const name = cacheName(bundle, source);
    const code = `(function (require, module, exports, __filename, __dirname) {${source}\n})`;
    return name === undefined ? [] : [{ bundle, name, code }];
  });
}

/** Runs commands in a temporary project below `home`, so that the functions that they use are compiled. */
export function makeCommandCaches(home: string, caches: readonly CommandCache[]): void {
  const root = fs.mkdtempSync(join(home, WARM_UP));
  try {
    writeWarmUpProject(root);
    for (const words of WARM_UPS) {
      spawnSync(process.execPath, ['-e', SAVE_CACHE, root, programFile(home), ...words], {
        cwd: root,
        env: { PATH: process.env['PATH'], HOME: root, CLAUDE_CONFIG_DIR: join(root, 'config') },
        input: JSON.stringify({ session_id: 'warm-up', workspace: { current_dir: root } }),
        stdio: ['pipe', 'ignore', 'ignore'],
        timeout: 10_000,
        windowsHide: true,
      });
      // Each command starts with the cache of the one before and adds its own functions.
      for (const { bundle, name } of caches) {
        const made = join(root, `${bundle}.cjs.cache`);
        if (fs.existsSync(made)) replaceText(join(home, 'dist', name), fs.readFileSync(made));
      }
    }
  } finally {
    fs.rmSync(root, { recursive: true, force: true });
  }
}

/** Starts the program in `argv[2]` and, when it exits, saves the cache of its script in the folder in `argv[1]`. */
const SAVE_CACHE = [
  "const fs=require('fs'),path=require('path'),vm=require('vm'),{Script}=vm,made=[];",
  'const [folder]=process.argv.splice(1,1);',
  'vm.Script=class extends Script{constructor(code,options){super(code,options);',
  "made.push({script:this,name:path.basename(options.filename)+'.cache'})}};",
  "process.on('exit',()=>{for(const {script,name} of made)",
  'fs.writeFileSync(path.join(folder,name),script.createCachedData())});',
  'require(process.argv[1])',
].join('');
