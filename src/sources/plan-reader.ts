import type { PlanFormatId, Settings } from '../settings/settings.ts';
import { isInArchive, pathInArchive } from './archived-plan.ts';
import { FORMATS, formatOf } from './parse/formats.ts';
import { readStartedPlan } from './parse/any-plan.ts';
import type { PlanFormat } from './parse/plan-format.ts';
import { readPlan } from './parse/plan.ts';
import { readFormat } from './parse/read-format.ts';
import type { ReadingsCache } from './readings-cache.ts';
import type { SourceFiles } from './source-files.ts';
import type { WithheldSources } from './withheld-sources.ts';
import { ANY_PLAN, type SourceFile, type SourceStatus } from './types.ts';

/** How the plan of a path is read. */
interface PlanKind {
  /** `own` is holdfast's own format; undefined if no tool uses such a path. */
  format: PlanFormatId | 'own' | undefined;
  tool: PlanFormat | undefined;
  /** A person started a run from this plan, so it is read whatever it says. */
  isStarted: boolean;
}

export class PlanReader {
  constructor(
    private readonly files: SourceFiles,
    private readonly cache: ReadingsCache,
    private readonly withheld: WithheldSources,
    private readonly options: {
      formats: Settings['detect']['formats'];
      isOwn: (path: string) => boolean;
      /** The plans that runs come from. */
      known: ReadonlySet<string>;
      /** The plans that a person has started a run from. */
      started: ReadonlySet<string>;
    },
  ) {}

  /** What a plan declares now; empty if there is no such file. */
  read(path: string): SourceFile[] {
    if (this.withheld.has(path))
      return [{ kind: 'plan', path, state: 'unreadable' }];
    const kind = this.#kindOf(path);
    const { format, tool, isStarted } = kind;
    if (!tool && !isStarted && isInArchive(path))
      return [{ kind: 'plan', path, state: 'finished' }];

    const companions = (tool?.companions?.(path) ?? []).filter(
      (companion) => !this.withheld.has(companion),
    );
    const readings = this.cache.readingOf(
      [path, ...companions],
      `${format} ${isStarted}`,
      () => this.#readFile(path, kind, companions),
    );
    return readings.map((source) => withExistingReading(source, this.files));
  }

  #kindOf(path: string): PlanKind {
    const { formats, isOwn, started } = this.options;
    const isStarted = started.has(path);
    if (isOwn(path)) return { format: 'own', tool: undefined, isStarted };
    const format = formatOf(path, formats);
    return { format, tool: format && FORMATS[format], isStarted };
  }

  #readFile(
    path: string,
    kind: PlanKind,
    companions: readonly string[],
  ): SourceFile[] {
    const file = this.files.read(path);
    if (file.kind === 'absent') return this.#findMoved(path);
    if (file.kind === 'refused')
      return [{ kind: 'plan', path, state: 'unreadable' }];

    const { text, modifiedAt } = file;
    const source = { path, text, companions: this.files.texts(companions) };
    const { format, tool, isStarted } = kind;
    let status: SourceStatus;
    if (isStarted)
      status = readStartedPlan(source, format === 'own' ? format : tool);
    else if (tool) status = readFormat(tool, source);
    else status = readPlan(text, path);

    const formatName = format ?? (isStarted ? ANY_PLAN : 'own');
    // Plans in holdfast's own format name none.
    return formatName === 'own'
      ? [{ kind: 'plan', path, modifiedAt, ...status }]
      : [{ kind: 'plan', path, modifiedAt, format: formatName, ...status }];
  }

  /** The plan of a run that is not in its place any more is finished if somebody put it into an archive folder. */
  #findMoved(path: string): SourceFile[] {
    const { known, started } = this.options;
    if (!started.has(path) && !known.has(path)) return [];
    const movedTo = pathInArchive(this.files.root, path);
    return movedTo === undefined
      ? []
      : [{ kind: 'plan', path, movedTo, state: 'finished' }];
  }
}

/** Documents that a plan names, and CLAUDE/PlanWorkflow.md. */
const MAX_READING = 21;

/** The required reading begins with the plan itself. Of the documents that it names, only those that exist stay. */
function withExistingReading(
  source: SourceFile,
  files: SourceFiles,
): SourceFile {
  if (!('said' in source) || source.said === undefined) return source;
  const [plan = '', ...named] = source.said.required_reading;
  const existing = named
    .filter((entry) => files.exists(entry.slice(1)))
    .slice(0, MAX_READING);
  const said = { ...source.said, required_reading: [plan, ...existing] };
  return { ...source, said };
}
