import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolder, removeFolder, writeFiles } from './folder.ts';

/** One run of a hook: what the client gave it. */
export interface HookCall {
  readonly label: string;
  readonly input: HookInput;
  /** The variables that begin with CLAUDE. */
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
}

export interface HookInput {
  readonly hook_event_name: string;
  readonly session_id: string;
  readonly cwd: string;
  readonly [field: string]: unknown;
}

/** Printed as it is, an object as JSON; nothing is printed for `null`. */
export type HookReply = string | object | null;

export interface Recorder {
  /** The `hooks` of a settings file: each event is recorded, under the label, and answered with its reply. */
  hooks(
    replies: Readonly<Record<string, HookReply>>,
    label?: string,
  ): Record<string, unknown>;
  calls(event?: string): Promise<readonly HookCall[]>;
  remove(): Promise<void>;
}

/** A hook of our own in place of the product's: it shows what the client says, and what it does with a reply. */
export async function createRecorder(): Promise<Recorder> {
  const folder = await createFolder('recorder');
  const script = join(folder, 'hook.mjs');
  const log = join(folder, 'calls.jsonl');
  await writeFiles(folder, { 'hook.mjs': SCRIPT, 'calls.jsonl': '' });

  return {
    hooks: (replies, label = '') =>
      Object.fromEntries(
        Object.entries(replies).map(([event, reply]) => {
          // Encoded, because after `/compact` the client shows the model the hook's command line as well.
          const args = [
            script,
            log,
            label,
            Buffer.from(printed(reply)).toString('base64'),
          ];
          return [
            event,
            [
              {
                matcher: '',
                hooks: [
                  {
                    type: 'command',
                    command: process.execPath,
                    args,
                    timeout: 60,
                  },
                ],
              },
            ],
          ];
        }),
      ),
    async calls(event) {
      const lines = (await readFile(log, 'utf8'))
        .split('\n')
        .filter((line) => line !== '');
      const calls = lines.map((line): HookCall => JSON.parse(line));
      return calls.filter(
        (call) => event === undefined || call.input.hook_event_name === event,
      );
    },
    remove: () => removeFolder(folder),
  };
}

function printed(reply: HookReply): string {
  if (reply === null) return '';
  return typeof reply === 'string' ? reply : JSON.stringify(reply);
}

// One append per call, because the hooks of an event run at the same time.
const SCRIPT = `
import { appendFileSync, readFileSync } from 'node:fs'
const [log, label, reply] = process.argv.slice(2)
const input = JSON.parse(readFileSync(0, 'utf8'))
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('CLAUDE')))
appendFileSync(log, JSON.stringify({ label, input, env, folder: process.cwd() }) + '\\n')
process.stdout.write(Buffer.from(reply, 'base64'))
`;
