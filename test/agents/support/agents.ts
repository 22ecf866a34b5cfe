import { execFile, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Model } from './model.ts';

/** An agent as these tests run it: each turn is a process of its own, without a person. */
export interface Agent {
  packages: readonly string[];
  /** The name of its tool that runs commands. */
  shellTool: string;
  /** Its files in the home folder, before holdfast is installed. */
  files: (model: Model) => Record<string, string>;
  environment: (model: Model) => Record<string, string>;
  /** The program and its words; the prompt is on standard input where it is not among them. */
  turn: (folder: string, prompt: string, session: string | null) => string[];
  /** The session in what it printed; null if the registry has to be asked. */
  sessionIn: RegExp | null;
  /** The role of the message with which guidance reaches the model: never the system prompt. */
  role: 'user' | 'developer';
}

const platform = `${process.platform}-${process.arch}`;
const bin = (folder: string, name: string): string =>
  join(folder, 'node_modules', '.bin', name);

export const AGENTS: Record<'codex' | 'qwen' | 'gemini' | 'opencode', Agent> = {
  codex: {
    packages: ['@openai/codex@0.166.0'],
    shellTool: 'exec_command',
    files: ({ address }) => ({
      '.codex/config.toml': [
        'model = "gpt-5"',
        'model_provider = "lab"',
        'approval_policy = "never"',
        'sandbox_mode = "danger-full-access"',
        'model_auto_compact_token_limit = 50000',
        '[model_providers.lab]',
        'name = "lab"',
        `base_url = "${address}/v1"`,
        'wire_api = "responses"',
        'env_key = "LAB_KEY"',
        '',
      ].join('\n'),
    }),
    environment: () => ({ LAB_KEY: 'x' }),
    turn: (folder, prompt, session) => [
      bin(folder, 'codex'),
      'exec',
      ...(session === null ? [] : ['resume']),
      '--json',
      '--skip-git-repo-check',
      '--dangerously-bypass-hook-trust',
      ...(session === null ? [] : [session]),
      prompt,
    ],
    sessionIn: /"thread_id":"([^"]+)"/,
    // It has no other place for what hooks say.
    role: 'developer',
  },
  qwen: {
    packages: ['@qwen-code/qwen-code@0.24.4', `node-${platform}@22`],
    shellTool: 'run_shell_command',
    files: () => ({
      '.qwen/settings.json': `${JSON.stringify(
        {
          security: { auth: { selectedType: 'openai' } },
          memory: { enableManagedAutoMemory: false },
          $version: 4,
        },
        null,
        2,
      )}\n`,
    }),
    environment: ({ address }) => ({
      OPENAI_API_KEY: 'x',
      OPENAI_BASE_URL: `${address}/v1`,
      OPENAI_MODEL: 'm',
    }),
    turn: (folder, prompt, session) => [
      // It needs a newer Node than holdfast does.
      join(folder, 'node_modules', `node-${platform}`, 'bin', 'node'),
      bin(folder, 'qwen'),
      '--yolo',
      ...(session === null ? [] : ['--resume', session]),
      '-p',
      prompt,
    ],
    sessionIn: null,
    role: 'user',
  },
  gemini: {
    packages: ['@google/gemini-cli@0.61.0'],
    shellTool: 'run_shell_command',
    files: () => ({
      '.gemini/settings.json':
        '{\n  // The threshold is low.\n  "security": { "auth": { "selectedType": "gemini-api-key" } },\n  "model": { "compressionThreshold": 0.05 }\n}\n',
    }),
    environment: ({ address }) => ({
      GEMINI_API_KEY: 'x',
      GOOGLE_GEMINI_BASE_URL: address,
      GEMINI_MODEL: 'gemini-2.5-pro',
      GEMINI_CLI_NO_RELAUNCH: 'true',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
    turn: (folder, prompt, session) => [
      bin(folder, 'gemini'),
      '--yolo',
      ...(session === null ? [] : ['--resume', session]),
      '-p',
      prompt,
    ],
    sessionIn: null,
    role: 'user',
  },
  opencode: {
    packages: ['opencode-ai@1.18.33', `opencode-${platform}@1.18.33`],
    shellTool: 'bash',
    files: ({ address }) => ({
      '.config/opencode/opencode.json': JSON.stringify({
        $schema: 'https://opencode.ai/config.json',
        model: 'lab/m',
        provider: {
          lab: {
            npm: '@ai-sdk/openai-compatible',
            name: 'lab',
            options: { baseURL: `${address}/v1`, apiKey: 'x' },
            models: {
              m: { name: 'm', limit: { context: 100_000, output: 4_000 } },
            },
          },
        },
        autoupdate: false,
        share: 'disabled',
      }),
    }),
    environment: () => ({
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    }),
    turn: (folder, _prompt, session) => [
      join(folder, 'node_modules', `opencode-${platform}`, 'bin', 'opencode'),
      'run',
      '--format',
      'json',
      ...(session === null ? [] : ['--session', session]),
    ],
    sessionIn: /"sessionID":"([^"]+)"/,
    role: 'user',
  },
};

const run = promisify(execFile);

/** The folder with the agent's packages, fetched through npm the first time. */
export async function installAgent(name: keyof typeof AGENTS): Promise<string> {
  const cache =
    process.env['HOLDFAST_HOST_CACHE'] ?? join(tmpdir(), 'holdfast-host-cache');
  const { packages } = AGENTS[name];
  const folder = join(cache, packages[0]?.replaceAll('/', '_') ?? name);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const staging = await mkdtemp(join(cache, `.${name}-`));
  writeFileSync(join(staging, 'package.json'), '{"private":true}\n');
  const words = [
    'install',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--force',
  ];
  await run('npm', [...words, '--loglevel=error', ...packages], {
    cwd: staging,
    env: {
      ...process.env,
      NODE_EXTRA_CA_CERTS: process.env['NPM_EXTRA_CA_CERTS'],
    },
  });
  try {
    renameSync(staging, folder);
  } catch (error) {
    // Another process was faster.
    if (!existsSync(folder)) throw error;
    rmSync(staging, { recursive: true, force: true });
  }
  return folder;
}

/** One person's machine: a home, a project, and `holdfast` on the PATH of login shells. */
export class Machine {
  constructor(
    private readonly agent: Agent,
    private readonly folder: string,
    private readonly model: Model,
    readonly home: string,
    readonly project: string,
  ) {
    const path = this.#programs;
    for (const each of [home, project, path])
      mkdirSync(each, { recursive: true });
    writeFileSync(
      join(path, 'holdfast'),
      `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`,
      { mode: 0o755 },
    );
    // Codex runs commands in a login shell, which sets the PATH anew.
    writeFileSync(join(home, '.profile'), `export PATH='${path}':"$PATH"\n`);
    for (const [file, text] of Object.entries(agent.files(model))) {
      mkdirSync(join(home, file, '..'), { recursive: true });
      writeFileSync(join(home, file), text);
    }
  }

  get #programs(): string {
    return join(this.home, 'programs');
  }

  get #environment(): Record<string, string> {
    return {
      PATH: `${this.#programs}:${process.env['PATH'] ?? ''}`,
      HOME: this.home,
      TMPDIR: this.home,
      LANG: 'C.UTF-8',
      ...this.agent.environment(this.model),
    };
  }

  async holdfast(...words: string[]): Promise<string> {
    const { stdout } = await run(process.execPath, [PROGRAM, ...words], {
      cwd: this.project,
      env: this.#environment,
    });
    return stdout;
  }

  /** One prompt to the agent, until it is done; returns the session. */
  async turn(prompt: string, session: string | null = null): Promise<string> {
    const before = this.#sessions();
    const [program = '', ...words] = this.agent.turn(
      this.folder,
      prompt,
      session,
    );
    const output = await new Promise<string>((done, fail) => {
      const child = spawn(program, words, {
        cwd: this.project,
        env: this.#environment,
      });
      let text = '';
      const add = (part: Buffer): void => void (text += part.toString());
      child.stdout.on('data', add);
      child.stderr.on('data', add);
      child.on('error', fail);
      child.on('close', (code) => {
        if (code === 0) done(text);
        else fail(new Error(`${program} ended with ${code}:\n${text}`));
      });
      child.stdin.end(words.includes(prompt) ? '' : prompt);
    });
    if (session !== null) return session;
    const { sessionIn } = this.agent;
    const printed = sessionIn?.exec(output)?.[1];
    const found =
      printed ?? this.#sessions().find((id) => !before.includes(id));
    if (found === undefined) throw new Error(`no session in:\n${output}`);
    return found;
  }

  /** As holdfast has noted them. */
  #sessions(): string[] {
    const folder = join(this.home, '.claude', 'holdfast', 'sessions');
    return existsSync(folder)
      ? readdirSync(folder).map((name) => name.replace('.json', ''))
      : [];
  }
}

const PROGRAM = resolve('dist/test/bin/holdfast.cjs');
