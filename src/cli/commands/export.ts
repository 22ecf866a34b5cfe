import { exportRun } from '../../operations/export.ts';
import { safeJson } from '../../util/safe-json.ts';
import type { CommandContext } from '../context.ts';

/** Prints one run as one file, which `holdfast import` reads elsewhere. */
export function printExport(cli: CommandContext, name: string | undefined): void {
  const file = exportRun(cli, name);
  cli.output.result(file, safeJson(file));
}
