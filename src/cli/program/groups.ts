import { Command, Help, type Option } from 'commander';

interface Group {
  title: string;
  commands: readonly string[];
}

/** The commands in the order of the help, by purpose: the five that matter first. */
export const GROUPS: readonly Group[] = [
  { title: 'Start here:', commands: ['init', 'start', 'status', 'advance', 'resume'] },
  {
    title: 'Work on a run:',
    commands: [
      'skip',
      'fail',
      'tasks',
      'pivot',
      'approve',
      'reject',
      'context',
      'autopilot',
      'update',
      'prime',
      'todo',
      'claim',
      'release',
      'pause',
      'complete',
      'cancel',
      'reopen',
      'run',
    ],
  },
  { title: 'Look at runs:', commands: ['list', 'show', 'history', 'guidance', 'ui'] },
  { title: 'Templates:', commands: ['templates', 'validate', 'trust', 'untrust'] },
  {
    title: 'Set up and move:',
    commands: ['doctor', 'uninstall', 'export', 'import', 'sync', 'help'],
  },
  { title: 'For the host:', commands: ['statusline', 'hook', 'mcp'] },
];

const ORDER = GROUPS.flatMap(({ commands }) => commands);

function groupOf(command: string): string {
  return GROUPS.find(({ commands }) => commands.includes(command))?.title ?? 'Other commands:';
}

/** The help of the whole program: commands by purpose, then the options that all of them take. */
export class GroupedHelp extends Help {
  override visibleCommands(program: Command): Command[] {
    const place = (command: Command): number => {
      const at = ORDER.indexOf(command.name());
      return at < 0 ? ORDER.length : at;
    };
    return super.visibleCommands(program).toSorted((a, b) => place(a) - place(b));
  }

  /** Nearly every command has options, so the list leaves that out. */
  override subcommandTerm(command: Command): string {
    return super.subcommandTerm(command).replace(' [options]', '');
  }

  override groupItems<T extends Command | Option>(
    _unsorted: T[],
    visible: T[],
    titleOf: (item: T) => string,
  ): Map<string, T[]> {
    return super.groupItems(visible, visible, (item) =>
      item instanceof Command ? groupOf(item.name()) : titleOf(item),
    );
  }

  /** Commands are what people look for, so the options come last. */
  override formatHelp(program: Command, helper: Help): string {
    const blocks = super.formatHelp(program, helper).trimEnd().split('\n\n');
    const isOptions = (block: string): boolean => block.startsWith('Options:');
    const ordered = [...blocks.filter((block) => !isOptions(block)), ...blocks.filter(isOptions)];
    return `${ordered.join('\n\n')}\n`;
  }
}
