import { Argument, Command, CommanderError, Option } from 'commander';
import { makeContext, type Cli, type GlobalOptions } from './context.ts';
import type { Shell } from './commands/completion.ts';
import type { WordKind } from './commands/completion-words.ts';
import { makeOutput, write, type Output } from './output.ts';
import { keepHooksCurrent } from './installation.ts';
import { keepSeen } from './seen.ts';
import { packageFolder } from './package-folder.ts';
import { versionText } from './version-text.ts';
import { version } from './version.ts';

const collect = (value: string, values: string[] = []): string[] => [...values, value];

/** The commands and their options; each imports its code only when it runs. */
export function makeProgram(): Command {
  const program = new Command('holdfast')
    .description(
      'Keeps long, multi-phase work in Claude Code alive across compaction, /clear, resumes and machines.',
    )
    .option('-V, --version', 'which holdfast this is, on which Node, and where it runs from')
    .on('option:version', () => {
      write(1, `${versionText(version, process, packageFolder())}\n`);
      throw new CommanderError(0, 'commander.version', version);
    })
    .option('--cwd <dir>', 'work as if started in this folder')
    .option('--json', 'print the result as JSON')
    .option(
      '--session <id>',
      'the Claude Code session to act for (default: $CLAUDE_CODE_SESSION_ID)',
    )
    .helpCommand('help [command]', 'how to use a command')
    .showHelpAfterError(
      '`holdfast --help` lists the commands, `holdfast <command> --help` its options.',
    )
    .configureHelp({ sortSubcommands: false, showGlobalOptions: true })
    .exitOverride()
    .configureOutput({ writeOut: (text) => write(1, text), writeErr: (text) => write(2, text) });

  let current: Cli | null = null;
  const context = (command: Command): Cli => {
    const options = command.optsWithGlobals<GlobalOptions>();
    current = makeContext(options, makeOutput(options.json === true));
    return current;
  };
  program.hook('postAction', async () => {
    if (current === null) return;
    keepSeen(current);
    await keepHooksCurrent();
  });

  const outputOf = (command: Command): Output =>
    makeOutput(command.optsWithGlobals<GlobalOptions>().json === true);

  const scope = (): Option =>
    new Option(
      '--scope <scope>',
      'for you in this project, for all who work on it, or for you everywhere',
    )
      .choices(['local', 'project', 'user'])
      .default('local');
  add(
    program,
    'init',
    'register the hooks in Claude Code, with slash commands and a skill; again to bring them up to date',
    ['holdfast init', 'holdfast init --scope user --mcp', 'holdfast init --dry-run'],
  )
    .addOption(scope())
    .option('--mcp', 'register the MCP server as well')
    .option('--dry-run', 'print what would change, and change nothing')
    .action(async (options, command: Command) => {
      const { init } = await import('./commands/init.ts');
      init(context(command), options);
    });

  add(program, 'uninstall', 'take out exactly what init put in; state files stay', [
    'holdfast uninstall',
    'holdfast uninstall --scope user --dry-run',
  ])
    .addOption(scope())
    .option('--dry-run', 'print what would change, and change nothing')
    .action(async (options, command: Command) => {
      const { uninstall } = await import('./commands/uninstall.ts');
      uninstall(context(command), options);
    });

  add(program, 'start [name]', 'begin a run of a workflow: phase 1 is in progress', [
    'holdfast start "User Auth" --type implementation --phases "Design,Build,Review" --read docs/spec.md',
    'holdfast start --template feature "log in with a magic link"',
  ])
    .option(
      '--template <template>',
      'the template that drives it, by name or file; <name> then says what it is about',
    )
    .option('--type <type>', 'planning, qa-loop, implementation or custom')
    .option('--phases <names>', 'the names of the phases, with commas between')
    .option('--read <path>', 'a file that must be read (again for more)', collect)
    .option('--remind <text>', 'a rule that must survive compaction (again for more)', collect)
    .option('--set <key=value>', 'a fact of this run (again for more)', collect)
    .option('--artifact <key=path>', 'a named file of this run (again for more)', collect)
    .option('--switch', 'let go of the run that this session works on')
    .action(async (name: string | undefined, options, command: Command) => {
      const { start } = await import('./commands/start.ts');
      start(context(command), name, options);
    });

  add(program, 'status [run]', 'where the run stands, and which required files are unread', [
    'holdfast status',
    'holdfast status user-auth --json',
  ]).action(async (run: string | undefined, _options, command: Command) => {
    const { status } = await import('./commands/status.ts');
    status(context(command), run);
  });

  add(
    program,
    'advance [run]',
    'finish the current phase and go to the next; past the last one the run completes',
    [
      'holdfast advance --output "the API is in src/api.ts"',
      'git log -1 | holdfast advance --output -',
    ],
  )
    .option('--output <text>', 'what this phase hands on; - reads standard input')
    .option('--artefact <path>', 'a file that this phase made (again for more)', collect)
    .option('--name <name>', 'the name of the next phase')
    .option('--force', 'even if a required artifact is missing')
    .action(async (run: string | undefined, options, command: Command) => {
      const { advance } = await import('./commands/advance.ts');
      await advance(context(command), run, options);
    });

  add(program, 'tasks <loop>', 'give a loop of the workflow its tasks: JSON, or a line each', [
    'holdfast tasks build --file tasks.json',
    'grep "^- " docs/plan.md | holdfast tasks build',
  ])
    .option('--run <run>', 'the run that is meant')
    .option('--file <file>', 'where they stand (default: standard input)')
    .action(async (loop: string, options, command: Command) => {
      const { tasks } = await import('./commands/tasks.ts');
      tasks(context(command), loop, options);
    });

  add(
    program,
    'context [run]',
    'whether the step asks for /compact or /clear first, and whether that has happened',
    ['holdfast context', 'holdfast context --done'],
  )
    .option('--done', 'it has happened where no hook could see it')
    .action(async (run: string | undefined, options, command: Command) => {
      const { contextAction } = await import('./commands/context.ts');
      contextAction(context(command), run, options);
    });

  add(
    program,
    'fail [run]',
    'the step failed: its template decides; without one the phase is blocked',
    ['holdfast fail --reason "the tests need a database"'],
  )
    .requiredOption('--reason <text>', 'why')
    .action(async (run: string | undefined, options, command: Command) => {
      const { fail } = await import('./commands/fail.ts');
      fail(context(command), run, options);
    });

  add(
    program,
    'pivot <step>',
    'go back to an earlier step of the workflow, with feedback that survives a /clear',
    [
      'holdfast pivot planning --feedback "the estimate leaves out the migration"',
      'holdfast pivot planning --feedback - < review.md',
    ],
  )
    .requiredOption('--feedback <text>', 'what is to change, and why; - reads standard input')
    .option('--run <run>', 'the run that is meant')
    .action(async (step: string, options, command: Command) => {
      const { pivot } = await import('./commands/pivot.ts');
      pivot(context(command), step, options);
    });

  add(program, 'update [run]', 'edit a run by hand', [
    'holdfast update --phase 3 --remind "keep the API stable" --set budget="2 days"',
    'holdfast update --unread docs/old.md --forget "keep the API stable" --unset budget',
  ])
    .option('--phase <n>', 'the current phase, as 3 or 3/7')
    .option('--name <name>', 'the name of the current phase')
    .option('--status <status>', 'not_started, in_progress, completed or blocked')
    .option('--read <path>', 'add a required file (again for more)', collect)
    .option('--remind <text>', 'add a reminder (again for more)', collect)
    .option('--set <key=value>', 'set a fact (again for more)', collect)
    .option('--artifact <key=path>', 'name a file (again for more)', collect)
    .option('--unread <path>', 'take a required file out (again for more)', collect)
    .option('--forget <text>', 'take a reminder out (again for more)', collect)
    .option('--unset <key>', 'take a fact out (again for more)', collect)
    .action(async (run: string | undefined, options, command: Command) => {
      const { update } = await import('./commands/update.ts');
      update(context(command), run, options);
    });

  add(program, 'claim <run>', 'this session takes the run', ['holdfast claim user-auth'])
    .option('--force', 'even if a live session holds it')
    .action(async (run: string, options, command: Command) => {
      const { claim } = await import('./commands/claim.ts');
      claim(context(command), run, options);
    });

  add(program, 'release [run]', 'let go of the run: it stays active and others may take it', [
    'holdfast release',
  ]).action(async (run: string | undefined, _options, command: Command) => {
    const { release } = await import('./commands/release.ts');
    release(context(command), run);
  });

  add(program, 'pause [run]', 'stop restoring the run until it is resumed', [
    'holdfast pause --reason "waiting for the design review"',
  ])
    .option('--reason <text>', 'why')
    .action(async (run: string | undefined, options, command: Command) => {
      const { pause } = await import('./commands/pause.ts');
      pause(context(command), run, options);
    });

  add(program, 'resume [run]', 'go on with a paused run', ['holdfast resume user-auth']).action(
    async (run: string | undefined, _options, command: Command) => {
      const { resume } = await import('./commands/resume.ts');
      resume(context(command), run);
    },
  );

  add(program, 'complete [run]', 'end the run; its record goes to untracked/workflow-archive/', [
    'holdfast complete',
    'holdfast complete user-auth --purge',
  ])
    .option('--purge', 'keep no record')
    .action(async (run: string | undefined, options, command: Command) => {
      const { complete } = await import('./commands/complete.ts');
      complete(context(command), run, options);
    });

  add(program, 'list', 'the runs in this project', ['holdfast list --all'])
    .option('--all', 'archived runs too')
    .action(async (options, command: Command) => {
      const { list } = await import('./commands/list.ts');
      list(context(command), options);
    });

  add(program, 'show <run>', 'everything that is stored of a run', [
    'holdfast show user-auth',
  ]).action(async (run: string, _options, command: Command) => {
    const { show } = await import('./commands/show.ts');
    show(context(command), run);
  });

  add(program, 'history [run]', 'what happened to a run, and in which sessions', [
    'holdfast history user-auth',
  ]).action(async (run: string | undefined, _options, command: Command) => {
    const { history } = await import('./commands/history.ts');
    history(context(command), run);
  });

  add(program, 'prime', 'load the critical artifacts of the run now, and print them', [
    'holdfast prime',
    'holdfast prime --artifacts spec,plan --force',
    'holdfast prime --dry-run',
  ])
    .option('--run-id <run>', 'the run that is meant')
    .option('--artifacts <ids>', 'only these, with commas between')
    .option('--force', 'also what was loaded a moment ago')
    .option('--dry-run', 'show what would be loaded and why, and write nothing')
    .option('--max-chars <n>', 'how much is printed at most (default: 25000)')
    .action(async (options, command: Command) => {
      const { prime } = await import('./commands/prime.ts');
      prime(context(command), options);
    });

  add(program, 'export <run>', 'one run as one file, on standard output', [
    'holdfast export user-auth > user-auth.json',
  ]).action(async (run: string, _options, command: Command) => {
    const { exportRun } = await import('./commands/export.ts');
    exportRun(context(command), run);
  });

  add(
    program,
    'import <file>',
    'take in a run that was exported elsewhere; - reads standard input',
    ['holdfast import user-auth.json'],
  ).action(async (file: string, _options, command: Command) => {
    const { importRun } = await import('./commands/import.ts');
    importRun(context(command), file);
  });

  add(
    program,
    'guidance [run]',
    'exactly what a session would be given about the workflow; nothing is written',
    ['holdfast guidance', 'holdfast guidance user-auth --source clear --explain'],
  )
    .addOption(
      new Option('--source <source>', 'as if a session began this way')
        .choices(['compact', 'clear', 'resume', 'startup', 'fork'])
        .default('compact'),
    )
    .option('--explain', 'why this run, what each section costs, what was left out')
    .action(async (run: string | undefined, options, command: Command) => {
      const { guidance } = await import('./commands/guidance.ts');
      guidance(context(command), run, options);
    });

  const todo = add(
    program,
    'todo',
    'the list of check boxes in TODO.md: shows it, and has commands to change it',
    ['holdfast todo', 'holdfast todo add "write the tests"', 'holdfast todo done 2'],
  ).action(async (_options, command: Command) => {
    const { showList } = await import('./commands/todo.ts');
    showList(context(command));
  });
  add(todo, 'show', 'the list with its numbers', ['holdfast todo show --json']).action(
    async (_options, command: Command) => {
      const { showList } = await import('./commands/todo.ts');
      showList(context(command));
    },
  );
  add(todo, 'set <source>', 'replace the whole list by what standard input has: todo set -', [
    'printf -- "- [ ] design\\n- [ ] build\\n" | holdfast todo set -',
  ])
    .option('--force', 'even if it has content that is not from an earlier `set`')
    .action(async (source: string, options, command: Command) => {
      const { setList } = await import('./commands/todo.ts');
      setList(context(command), source, options);
    });
  add(todo, 'add <text...>', 'append an item', ['holdfast todo add "write the tests"']).action(
    async (words: string[], _options, command: Command) => {
      const { addItem } = await import('./commands/todo.ts');
      addItem(context(command), words);
    },
  );
  add(todo, 'done <n>', 'tick an item', ['holdfast todo done 2']).action(
    async (n: string, _options, command: Command) => {
      const { finishItem } = await import('./commands/todo.ts');
      finishItem(context(command), n);
    },
  );

  add(program, 'workflows', "the templates there are, the project's own and the built-in ones", [
    'holdfast workflows',
  ]).action(async (_options, command: Command) => {
    const { workflows } = await import('./commands/workflows.ts');
    workflows(context(command));
  });

  add(program, 'trust <template>', 'show the commands of a template and let it run them', [
    'holdfast trust deploy',
    'holdfast trust .claude/holdfast/workflows/deploy.yaml --yes',
  ])
    .option('--yes', 'do not ask')
    .action(async (template: string, options, command: Command) => {
      const { trust } = await import('./commands/trust.ts');
      await trust(context(command), template, options);
    });

  add(program, 'untrust <template>', 'take back what trust has allowed', [
    'holdfast untrust deploy',
  ]).action(async (template: string, _options, command: Command) => {
    const { untrust } = await import('./commands/untrust.ts');
    untrust(context(command), template);
  });

  add(
    program,
    'validate [files...]',
    'check state files and templates against their schemas (default: all of them)',
    ['holdfast validate', 'holdfast validate .claude/holdfast/workflows/deploy.yaml'],
  ).action(async (files: string[], _options, command: Command) => {
    const { validate } = await import('./commands/validate.ts');
    validate(context(command), files);
  });

  add(
    program,
    'doctor',
    'check with evidence that holdfast works here; every finding has its fix; nothing is written without --fix',
    ['holdfast doctor', 'holdfast doctor --fix'],
  )
    .option('--fix', 'mend what is safe to mend: stale locks, left-overs, a missing .gitignore')
    .action(async (options: { fix?: boolean }, command: Command) => {
      const { doctor } = await import('./commands/doctor.ts');
      const shared = command.optsWithGlobals<GlobalOptions>();
      // Not by `context`: that would note the session as seen, and this command only looks.
      doctor(makeContext(shared, makeOutput(shared.json === true)), options);
    });

  add(program, 'completion', 'a completion script for a shell, on standard output', [
    'source <(holdfast completion bash)',
    'source <(holdfast completion zsh)',
    'holdfast completion fish > ~/.config/fish/completions/holdfast.fish',
  ])
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: Shell, _options, command: Command) => {
      const { completion } = await import('./commands/completion.ts');
      completion(outputOf(command), program, shell);
    });
  program
    .command('completion-words', { hidden: true })
    .description('called by the completion scripts')
    .addArgument(new Argument('<kind>').choices(['runs', 'templates']))
    .action(async (kind: WordKind, _options, command: Command) => {
      const { completionWords } = await import('./commands/completion-words.ts');
      completionWords(command.optsWithGlobals<GlobalOptions>(), outputOf(command), kind);
    });

  program
    .command('hook [event]')
    .description('called by Claude Code with an event on standard input; always exits 0')
    .action(async () => {
      const { callHook } = await import('./commands/hook.ts');
      callHook();
    });
  program
    .command('mcp')
    .description('MCP server on standard input and output, called by Claude Code')
    .addHelpText('after', '\nExample:\n  $ claude mcp add holdfast -- holdfast mcp')
    .action(async () => {
      const { serveMcp } = await import('./commands/mcp.ts');
      serveMcp();
    });
  return program;
}

function add(program: Command, usage: string, description: string, examples: string[]): Command {
  const lines = examples.map((example) => `  $ ${example}`).join('\n');
  return program
    .command(usage)
    .description(description)
    .addHelpText('after', `\n${examples.length === 1 ? 'Example' : 'Examples'}:\n${lines}`);
}
