import type { DriveContext } from '../../headless/drive-context.ts';
import type { Installation } from '../../headless/prepare.ts';
import { warnWith } from '../../errors/warnings.ts';
import { currentTime } from '../../io/clock.ts';
import { programFile } from '../../io/runtime-paths.ts';
import { openOperationContext, type OperationContext } from '../../operations/open-project.ts';
import type { CommandContext } from '../view/output.ts';
import { nodeProgram, packageFolder, userFile } from '../view/installation.ts';

/** A context of the moment for each operation: a driver runs for hours, and never acts for the session it was called in. */
export function contextFactory(cli: CommandContext): DriveContext['open'] {
  const environment = { ...cli.environment };
  for (const name of ['CLAUDE_CODE_SESSION_ID', 'CLAUDECODE', 'CLAUDE_PID', 'CLAUDE_PROJECT_DIR'])
    delete environment[name];
  const warned = new Set<string>();
  return (session): OperationContext =>
    openOperationContext({
      cwd: cli.root,
      session: session ?? undefined,
      environment,
      claudePid: undefined,
      isCwdGiven: true,
      now: currentTime(),
      by: 'run',
      warn: warnWith((sentence) => {
        if (warned.has(sentence)) return;
        warned.add(sentence);
        cli.output.warn(sentence);
      }),
    });
}

/** The installation that this command runs from. */
export function installationHere(): Installation {
  const folder = packageFolder();
  return {
    packageFolder: folder,
    program: programFile(folder),
    node: nodeProgram() === 'node' ? process.execPath : nodeProgram(),
    hostFile: userFile(),
  };
}
