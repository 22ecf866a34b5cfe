// Records a template run in the real client, with a scripted model: docs/recording.svg (animated) and docs/guide/autopilot.svg.
// Usage: npm run recording
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createHost } from '../test/host/support/host.ts';
import { unpackPackage } from '../test/host/support/package.ts';
import type { Reply } from '../test/host/support/reply.ts';
import {
  isTurn,
  lastPrompt,
  type ModelRequest,
} from '../test/host/support/request.ts';
import { obey } from '../test/host/support/script.ts';
import { archived } from '../test/support/state.ts';
import {
  type MovieFrame,
  type PictureLine,
  terminalMovie,
  terminalPicture,
} from './terminal-picture.mjs';

const TEMPLATE = `name: Release
description: Plan, build, review
steps:
  - {id: plan, type: action, instructions: Write docs/plan.md.}
  - {id: build, type: action, instructions: Build what docs/plan.md says., context: compact}
  - {id: review, type: action, instructions: Review the change against docs/plan.md., context: clear}
`;
const PROMPT = 'Add search to the shop. Use the release template.';
const COLUMNS = 104;

const write = (path: string, content: string): Reply => ({
  tools: [{ name: 'Write', input: { file_path: path, content } }],
});
const bash = (command: string): Reply => ({
  tools: [{ name: 'Bash', input: { command, description: describe(command) } }],
});
const describe = (command: string) =>
  command.includes(' start ') ? 'Start the run' : 'Finish the step';

/** What the scripted model does for a prompt, one reply after the other. */
function turn(root: string, prompt: string): readonly Reply[] {
  const [, step = 'start'] = /at step (\w+)\./.exec(prompt) ?? [];
  switch (step) {
    case 'start':
      return [
        bash('holdfast start --template release "search in the shop"'),
        write(
          `${root}/docs/plan.md`,
          '# Search\n\n1. Index names and descriptions.\n2. Rank by name first.\n',
        ),
        bash('holdfast advance --output "the plan is in docs/plan.md"'),
        {
          text: 'The plan is in docs/plan.md. Two parts: the index, then the ranking.',
        },
      ];
    case 'build':
      return [
        write(
          `${root}/src/search.js`,
          'export const search = (query) => rank(lookUp(query));\n',
        ),
        bash('holdfast advance --output "src/search.js and its tests"'),
        {
          text: '✅ Workflow restored: search in the shop, Phase 2/3. Search is built as planned.',
        },
      ];
    default:
      return [
        bash(
          'holdfast advance --output "reviewed against docs/plan.md: both parts are there"',
        ),
        {
          text: 'Reviewed against docs/plan.md: both parts are there, nothing is missing.',
        },
      ];
  }
}

/** The conversation on the screen, without what moves: banner, spinner, tips, times, blinking bullets, the right edge. */
function conversation(screen: string): string[] {
  const lines = screen
    .replaceAll('\u00A0', ' ')
    .split('\n')
    .map((line) => line.trimEnd());
  const end = lines.findLastIndex((line) => /^─{20}/.test(line));
  const input = lines
    .slice(0, end)
    .findLastIndex((line) => /^─{20}/.test(line));
  const from = lines.findIndex((line) => /^[❯⎿●]/.test(line));
  const tip = lines.findIndex((line) => line.includes('⎿  Tip:'));
  return lines
    .slice(
      Math.max(from, 0),
      Math.max(tip < 0 ? input : Math.min(tip, input), 0),
    )
    .map((line) =>
      line
        .replace(/^\S (Compacting conversation…).*/, '✻ $1')
        .replace(/ · \d+s$/, ''),
    )
    .filter((line) => !/^\s*tmux /.test(line))
    .filter(
      (line) =>
        line !== '' && !/^ {20}|^[^❯⎿●✻ ] .+…|^✻ (?!Compacting)/.test(line),
    )
    .map((line) => line.replace(/\d{8}_\d{6}/g, '20261115_090000'))
    .map((line) => line.replace(/^ {2}(?=R\w+ \d|Start|Finish|Write\()/, '● '));
}

/** What the viewer should notice in a frame, by what it shows last; the frames with the main points stay longer. */
const CAPTIONS: readonly { sign: RegExp; caption: string; seconds: number }[] =
  [
    { sign: /Reviewed against/, caption: '6. The run is complete', seconds: 6 },
    {
      sign: /at step review/,
      caption: '5. The next step continues without you',
      seconds: 4,
    },
    {
      sign: /Cleared the/,
      caption: '4. holdfast clears the conversation for a fresh review',
      seconds: 4,
    },
    {
      sign: /\/clear/,
      caption: '4. holdfast clears the conversation for a fresh review',
      seconds: 2,
    },
    {
      sign: /Workflow restored/,
      caption: '3. The agent knows its phase and its documents',
      seconds: 4,
    },
    {
      sign: /at step build/,
      caption: '3. The agent knows its phase and its documents',
      seconds: 2,
    },
    {
      sign: /restored/,
      caption: '2. The conversation is compacted, the run is restored',
      seconds: 4,
    },
    {
      sign: /Compacting|Read docs/,
      caption: '2. The conversation is compacted',
      seconds: 2,
    },
    { sign: /^/, caption: '1. One prompt: plan, build, review', seconds: 2 },
  ];

function movieFrame(lines: readonly string[]): MovieFrame {
  const text = lines.join('\n');
  const { caption = '', seconds = 2 } =
    CAPTIONS.find(({ sign }) => sign.test(text)) ?? {};
  return { caption, seconds, lines: pictured(lines) };
}

function pictured(lines: readonly string[]): PictureLine[] {
  let look: PictureLine['look'] = 'output';
  return lines.map((text) => {
    // The client indents what it wraps.
    const isContinued = /^ {2,}[^ ⎿\d]/.test(text) && look !== 'output';
    if (!isContinued) look = lookOf(text);
    return { text, look };
  });
}

function lookOf(line: string): PictureLine['look'] {
  if (/^[❯>]/.test(line)) return 'typed';
  return /^● holdfast: |SessionStart/.test(line) ? 'given' : 'output';
}

const unpacked = await unpackPackage();
const host = await createHost('2.1.325', {
  answer: (request: ModelRequest) => {
    if (!isTurn(request)) return obey(request);
    const { text, toolCalls } = lastPrompt(request);
    return turn(host.project.root, text)[toolCalls] ?? { text: 'Done.' };
  },
  files: {
    '.claude/settings.json': {},
    '.claude/holdfast/workflows/release.yaml': TEMPLATE,
  },
});
try {
  const terminal = await host.terminal(['--plugin-dir', unpacked.folder], {
    columns: COLUMNS,
    rows: 50,
  });
  const frames: string[][] = [];
  const look = async () => {
    const frame = conversation(await terminal.screen());
    const text = frame.join('\n');
    if (text !== '' && frames.every((seen) => seen.join('\n') !== text))
      frames.push(frame);
  };
  await terminal.say(PROMPT);
  await terminal.until('the end of the run', async () => {
    await look();
    return archived(host.project.root).length > 0;
  });
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  await look();
  const beforeClear =
    frames.findLast((frame) => !/\/clear/.test(frame.join('\n'))) ?? [];
  const title =
    'A template run in Claude Code: after one prompt it is compacted, cleared and continued';
  const still = pictured([...beforeClear, '', ...(frames.at(-1) ?? [])]);
  save(
    'docs/guide/autopilot.svg',
    terminalPicture(still, { title, columns: COLUMNS }),
  );
  const movie = terminalMovie(frames.map(movieFrame), {
    title,
    columns: COLUMNS,
  });
  save('docs/recording.svg', movie);
} finally {
  await host.close();
  await unpacked.remove();
}

function save(path: string, picture: string): void {
  writeFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), picture);
}
