import { HoldfastError } from '../text/holdfast-error.ts';
import { loadSettings } from '../settings/settings.ts';
import { version } from '../text/version.ts';
import { command } from './command.ts';
import { HOST_NAMES } from '../hosts/hosts.ts';
import { choiceOption, flag } from './options.ts';
import { fitText } from './view/layout.ts';
import { packageFolder, userConfig, userFile } from './view/installation.ts';

export const doctor = command({
  usage: 'doctor',
  about: 'check that holdfast works here; every finding has a fix; writes nothing without --fix',
  examples: ['holdfast doctor', 'holdfast doctor --verbose', 'holdfast doctor --fix'],
  agent: 'may',
  options: {
    host: choiceOption('the agent to look at', 'host', HOST_NAMES, 'claude'),
    fix: flag('repair what is safe to repair: stale locks, leftover files, a missing .gitignore'),
    verbose: flag('show every check with its evidence, also if all is well'),
  },
  // Otherwise the session would be recorded as seen, but this command must not write.
  isLook: true,
  run: async (cli, { fix, verbose, host }) => {
    const { diagnose } = await import('../doctor/doctor.ts');
    const { reportText } = await import('./view/doctor-report.ts');
    const { output } = cli;
    const report = diagnose(
      {
        ...cli,
        host,
        config: userConfig(),
        hostFile: userFile(),
        environment: process.env,
        settings: loadSettings(cli.root),
        version,
        packageFolder: packageFolder(),
      },
      { fix },
    );
    const { broken } = report.summary;
    const text = reportText(report, output.colors, verbose);
    if (broken === 0 || !output.json) output.result(report, fitText(text, output.columns));
    if (broken > 0)
      throw new HoldfastError(
        'unhealthy',
        `${broken} ${broken === 1 ? 'check' : 'checks'} failed`,
        { hint: 'apply the `fix` beside each, then run `holdfast doctor` again', data: report },
      );
  },
});
