import { diagnose } from '../../doctor/doctor.ts';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { loadSettings } from '../../settings/settings.ts';
import type { CommandContext } from '../context.ts';
import { fitText } from '../output/layout.ts';
import { reportText } from '../output/doctor-report.ts';
import { packageFolder, userConfig, userFile } from '../installation.ts';
import { version } from '../../util/version.ts';

export interface DoctorOptions {
  fix?: boolean;
  verbose?: boolean;
}

export function doctor(cli: CommandContext, options: DoctorOptions): void {
  const { output } = cli;
  const config = userConfig();
  const report = diagnose(
    {
      ...cli,
      config,
      hostFile: userFile(),
      environment: process.env,
      settings: loadSettings(cli.root),
      version,
      packageFolder: packageFolder(),
      node: { version: process.version },
    },
    { fix: options.fix === true },
  );
  const { broken } = report.summary;
  const text = reportText(report, output.colors, options.verbose === true);
  if (broken === 0 || !output.json) output.result(report, fitText(text, output.columns));
  if (broken > 0) throw new HoldfastError({ code: 'unhealthy', broken, report });
}
