import type { RunEvent } from '../../headless/event-types.generated.ts';
import type { ExportFile } from '../../state/export-format.ts';
import type {
  FieldConflict,
  JournalEvent,
  Note,
  Phase,
  RunState,
  SessionRecord,
} from '../../state/types.ts';
import type { PhaseState } from '../../state/progress.ts';
import type { StopReason } from '../../templates/next.ts';
import type { ContextCommand } from '../../machine/machine-state.ts';
import type { Status } from '../../machine/status.ts';
import type { Task } from '../../machine/machine-state.ts';
import type { Template } from '../../machine/template-types.generated.ts';
import type { ReadingState } from '../../guidance/reading/required-reading.ts';
import type { ErrorCode } from '../../text/error-codes.ts';
import type { RunSummary } from '../../ui/run-summary.ts';

// What other programs read: one type for each document that a command prints with `--json`. docs/reference/json.md is made
// from these declarations and their comments, and test/integration/json-documents.test.ts compares them with what the
// built program prints. A name that stands here does not change; new fields may be added.

/** Each form of a command → what it prints with `--json`. */
export interface CommandDocuments {
  /** Without a command. */
  dashboard: DashboardDocument;
  '--version': VersionDocument;

  init: InitDocument;
  'init --host codex': HostInitDocument;
  'init --host claude --host codex': SeveralHostsInitDocument;
  uninstall: UninstallDocument;
  'uninstall --host codex': HostChangeDocument;
  'uninstall --host claude --host codex': SeveralHostsDocument;
  doctor: DoctorDocument;
  demo: DemoDocument;

  start: StartDocument;
  status: StatusDocument;
  /** For holdfast's own module inside Claude Code: the same document, with what the module needs besides. */
  'status --module': ModuleStatusDocument;
  list: ListDocument;
  'list --everywhere': EverywhereDocument;
  show: ShowDocument;
  history: HistoryDocument;
  /** One object a line, for each change. */
  watch: WatchEvent;
  guidance: GuidanceDocument;

  /** In a step whose gates `holdfast run` performs, only the request is recorded: see `advance`, requested. */
  advance: MoveDocument | EndDocument;
  'advance, requested': AdvanceRequestedDocument;
  skip: MoveDocument | EndDocument;
  fail: MoveDocument | EndDocument;
  tasks: MoveDocument | EndDocument;
  'tasks, listed': TasksDocument;
  pivot: PivotDocument;
  approve: MoveDocument | EndDocument;
  reject: PivotDocument;
  /** The same answer, given a second time. */
  'approve, repeated': RepeatedAnswerDocument;
  note: NoteDocument;
  'note --forget': ForgottenNoteDocument;
  'note --list': NotesDocument;
  context: ContextDocument;
  autopilot: AutopilotDocument;
  update: RunDocument;
  /** In a terminal, where no session takes the run: the run only. */
  resume: ResumeDocument | RunDocument;
  takeover: ResumeDocument;
  release: RunDocument;
  pause: RunDocument;
  complete: EndDocument;
  cancel: EndDocument;
  reopen: RunDocument;
  prime: PrimeDocument;
  'prime --dry-run': PrimePlanDocument;

  todo: TodoDocument;
  'todo show': TodoDocument;
  'todo set': TodoDocument;
  'todo add': TodoItemDocument;
  'todo done': TodoItemDocument;

  templates: TemplatesDocument;
  'templates show': TemplateDocument;
  'templates new': NewTemplateDocument;
  validate: ValidateDocument;
  trust: TrustDocument;
  untrust: UntrustDocument;

  export: ExportFile;
  import: RunDocument;
  sync: SyncDocument;
  'sync --dry-run': SyncDryRunDocument;
  'sync on': SyncOnDocument;
  'sync off': SyncOffDocument;
  'sync status': SyncStatusDocument;
  'sync allow': SyncAllowDocument;
  'sync prune': SyncPruneDocument;

  /** One object a line. */
  run: RunEvent;
  'run --dry-run': RunPlanDocument;
  ui: PageDocument;
}

/** A run as it is now. Every command that changes one run prints it. */
export interface RunDocument {
  /** The [state file](state-files.md); `null` if there is no run. */
  run: RunState | null;
  /** Where a template run stands, in the words of the [MCP tools](mcp.md#replies); `null` for any other run. */
  step: Status | null;
  /** The `/compact` or `/clear` that belongs before the step. */
  context_action: ContextAction | null;
  /** What waits for an approval, such as `agree@01f0c3a9e`: `approve --for` and `reject --for` take it. */
  wait: string | null;
  /** The required files, and whether they are in the context of the session. */
  reading: { path: string; state: ReadingState }[];
  /** The other active runs. */
  others: RunSummary[];
  /** What standard error says as well. */
  warnings: string[];
  /** State files that could not be read and were renamed. */
  set_aside: string[];
}

/** A `/compact` or `/clear` that belongs before a step. */
export interface ContextAction {
  command: ContextCommand;
  state: 'due' | 'requested' | 'performed';
}

export interface StatusDocument extends RunDocument {
  /** What comes next; `null` without a run. */
  next: NextStep | null;
  /** The critical artifacts whose condition holds. */
  artifacts: ArtifactState[];
  /** The id of the place where the run stands; `null` if this session does not continue it by itself. */
  position: string | null;
  /** The percentages of the automatic-compaction threshold at which to warn. */
  warn_at: number[];
  /** Declared workflows that have no state file yet. */
  detected: DetectedWorkflow[];
  /** Files that look like a workflow and are not understood. */
  not_understood: UnclearSource[];
  /** Active runs in other checkouts of the repository. */
  elsewhere: RunElsewhere[];
  /** What has become of the source of the run, if it no longer declares it. */
  note: string | null;
  /** When the phase or step was entered. */
  phase_since: string | null;
}

export interface NextStep {
  perform: 'none' | 'compact' | 'clear';
  /** What the module submits after that; `null` if it submits nothing. */
  prompt: string | null;
  /** Why the run waits; `null` if it goes on. */
  stop: StopReason | null;
}

/** Only with a run. The module may be of another version, so it looks at `format` first. */
export interface ModuleStatusDocument extends StatusDocument {
  next: NextStep;
  /** 1; a module of another version reads only the format that it knows. */
  format: number;
  /** The session that holds the run. */
  holder: string | null;
  runId: string;
  /** How often the state file was written. */
  revision: number;
  /** What waited when this session was last told where the run stands. */
  toldWait: string | null;
  /** Said to the user: why the run stops, or why the context action was performed. */
  told: string;
  /** For the summariser. */
  summary: string;
  /** Whether the model is asked before a compaction what is not recorded yet. */
  asksModel: boolean;
  /** The same as `warn_at`. */
  warnAt: number[];
}

export interface DashboardDocument extends StatusDocument {
  /** The files in which the hooks are registered. */
  hooks: string[];
  /** What keeps the hooks from running, and what to do about it. */
  hooks_off: string | null;
  /** Files that a run could begin with, each with the command. */
  offers: string[];
}

export interface StartDocument extends RunDocument {
  /** The artifacts that are due at the start; missing if the run was there before. */
  artifacts?: DueArtifact[];
  /** Runs of the same template that nobody holds. */
  existing: string[];
}

/** The run after a move that did not end it. */
export interface MoveDocument extends RunDocument {
  /** The artifacts that are due at this move. */
  artifacts: DueArtifact[];
  /** The result of the `until` command of the step, if it has one. */
  until?: {
    command: string;
    /** Whether no further iteration is needed. */
    met: boolean;
    /** `null` if the command ran out of time. */
    exit_code: number | null;
    /** The end of what the command printed; empty if it passed. */
    output: string;
  };
}

export interface PivotDocument extends MoveDocument {
  /** The steps that the run left and went back to, and the name of the feedback. */
  pivot: { from: string; to: string; tag: string };
}

export interface RepeatedAnswerDocument extends RunDocument {
  repeated: true;
}

/** A run that has ended. */
export interface EndDocument extends RunDocument {
  /** The path of its record; `null` with `--purge`. */
  archived: string | null;
}

export interface AdvanceRequestedDocument {
  run_id: string;
  requested: true;
  /** The step, in words. */
  finished: string;
}

export interface ResumeDocument extends RunDocument {
  /** What the session is given. */
  guidance: string;
}

export type { RunSummary } from '../../ui/run-summary.ts';

export interface RunElsewhere extends RunSummary {
  /** The folder of the checkout. */
  root: string;
}

export interface ListedRun extends RunSummary {
  archived: boolean;
}

export interface ListDocument {
  runs: ListedRun[];
  /** Declared workflows that have no state file yet. */
  detected: DetectedWorkflow[];
  /** State files that could not be read and were renamed. */
  set_aside: string[];
}

export interface EverywhereDocument {
  runs: RunSomewhere[];
}

/** A run in some project, and how it goes on. */
export interface RunSomewhere extends ListedRun {
  template: string | null;
  /** What it waits for. */
  wait:
    | { for: 'approval'; id: string }
    | { for: 'tasks'; loop: string }
    | { for: 'context'; action: ContextAction }
    | null;
  /** The session that holds it. */
  holder: {
    session: string;
    /** The agent; empty for Claude Code. */
    host: string;
    live: boolean;
    gone: boolean;
    last_seen: string;
    /** How full its context was when that was last told, in percent. */
    fill: number | null;
  } | null;
  /** How each phase stands; empty for an archived run, or if there are too many to be drawn. */
  phases: PhaseState[];
  /** What a person can type to continue it. */
  commands: { label: string; command: string }[];
  project: {
    root: string;
    /** The id of the project. */
    key: string;
    /** The main checkout. */
    repository: string;
    name: string;
  };
}

export type Need = 'approval' | 'word' | 'failed' | 'blocked' | 'holder_gone';

/** A workflow that a file declares and that has no state file yet. */
export interface DetectedWorkflow {
  /** The id that the run gets when it is stored. */
  run_id: string;
  workflow: string;
  workflow_type: RunState['workflow_type'];
  phase: Phase;
  required_reading: string[];
  key_reminders: string[];
  context: NonNullable<RunState['context']>;
  /** The path of the file. */
  source: string;
  /** The tool that wrote the plan; `null` for the local file and plans in holdfast's own format. */
  format: string | null;
}

/** A place in a file that looks like a workflow and is not understood. */
export interface UnclearSource {
  path: string;
  line: number;
  missing: string;
}

/** A critical artifact. */
export interface ArtifactState {
  id: string;
  required: boolean;
  state: 'not_loaded' | 'in_context' | 'changed' | 'missing';
  /** Its path, what to do to get it, or why it is missing. */
  where: string;
  loaded_at: string | null;
}

/** An artifact whose trigger has fired. `named`: only its name was given, not its content. */
export interface DueArtifact {
  id: string;
  state: 'given' | 'in_context' | 'named' | 'missing';
}

export interface ShowDocument {
  /** The [state file](state-files.md). */
  run: RunState;
  path: string;
}

export interface HistoryDocument {
  run_id: string;
  /** The [journal](state-files.md#the-journal). */
  events: JournalEvent[];
  sessions: SessionRecord[];
}

export interface WatchEvent {
  at: string;
  run_id: string;
  workflow: string;
  /** `gone`: its file was deleted. */
  status: RunSummary['status'] | 'gone';
  phase: Phase;
  /** Where a template run stands, in words. */
  step: string | null;
  /** What waits for an approval. */
  wait: string | null;
  /** Why nothing goes on without a person. */
  needs: Need | 'resume' | null;
  /** The live session that holds the run. */
  held_by: string | null;
  ended_early: RunSummary['ended_early'];
}

export interface GuidanceDocument {
  /** What the model would be given; `null` if nothing. */
  text: string | null;
  /** What the user would see. */
  system_message: string | null;
  run_id: string | null;
  /** How much of the run is given back. */
  kind: 'full' | 'short' | 'frame' | 'offer' | 'candidates' | 'nothing';
  /** Why this run, with the evidence. */
  why: string;
  characters: number;
  tokens: number;
  /** What each section costs. */
  sections: {
    name: string;
    characters: number;
    tokens: number;
    /** What was left out of it. */
    cut: string | null;
  }[];
  /** What was left out altogether. */
  left_out: string[];
}

export interface NoteDocument extends RunDocument {
  /** The number of the note. */
  n: number;
  /** The number of the note that it replaces. */
  replaced?: number;
}

export interface ForgottenNoteDocument extends RunDocument {
  /** The number of the note. */
  forgotten: number;
}

export interface NotesDocument {
  run_id: string;
  notes: (Note & { n: number })[];
}

export interface TasksDocument {
  run_id: string;
  loop: string;
  tasks: Task[];
}

export interface ContextDocument {
  run_id: string;
  /** The `/compact` or `/clear` that belongs before the step. */
  context_action: RunDocument['context_action'];
}

export interface AutopilotDocument {
  run_id: string;
  perform: 'auto' | 'ask';
}

export interface PrimeDocument {
  run_id: string;
  /** Those whose content was printed. */
  loaded: {
    id: string;
    kind: 'text';
    text: string;
    path?: string;
    isDirectory?: true;
    /** What is to be known about the text, such as that it was cut. */
    note?: string;
    size: number | null;
  }[];
  /** Those of which only the name was printed, and how the agent gets them. */
  named: {
    id: string;
    state: 'missing' | 'text' | 'listed' | 'empty' | 'refused';
    words: string;
  }[];
  skipped: { id: string; why: string }[];
  /** Those that are required and missing: then the command fails with `artifact_missing`. */
  missing: string[];
}

export interface PrimePlanDocument {
  run_id: string;
  artifacts: {
    id: string;
    type: string;
    where: string;
    size: number | null;
    condition: string | null;
    verdict: 'LOAD' | 'SKIP';
    why: string;
  }[];
  totals: { load: number; skip: number; bytes: number };
}

export interface TodoDocument {
  /** Of the file. */
  path: string;
  items: TodoItem[];
  done: number;
  total: number;
}

export interface TodoItemDocument extends TodoDocument {
  /** The one that was added or ticked. */
  item: TodoItem;
}

export interface TodoItem {
  /** Its number, from the top. */
  n: number;
  text: string;
  done: boolean;
}

export interface TemplatesDocument {
  templates: {
    /** What `start --template` takes. */
    id: string;
    file: string;
    origin: 'project' | 'built-in' | 'path';
    /** A template of the project has the same name and is found in its place. */
    shadowed: boolean;
    name: string | null;
    description: string | null;
    /** How many; `null` if the template is broken. */
    steps: number | null;
    /** How many commands it runs. */
    gates: number;
    trusted: boolean;
    problems: FileProblem[];
  }[];
}

export interface TemplateDocument {
  /** The [template](template-format.md). */
  template: Template;
  file: string;
  origin: 'project' | 'built-in' | 'path';
}

export interface NewTemplateDocument {
  path: string;
  id: string;
  replaces_built_in: boolean;
}

export interface FileProblem {
  file: string;
  line: number;
  message: string;
}

export interface ValidateDocument {
  /** How many files. */
  checked: number;
  /** With problems, the command fails with `invalid_files`. */
  problems: FileProblem[];
}

export interface TrustDocument {
  template: string;
  file: string;
  /** The folder that stands for the project in all of its worktrees. */
  project: string;
  /** The commands that the template runs. */
  gates: { where: string; command: string }[];
  trusted: boolean;
  /** Of the content that is trusted now, or that a person is asked about. */
  hash?: string;
  told: string;
}

export interface UntrustDocument {
  untrusted: {
    hash: string;
    name: string;
    file: string;
    project?: string;
    trusted_at: string;
  }[];
}

/** Lists of run ids, where nothing else is said. */
export interface SyncDocument {
  remote: string;
  sent: string[];
  /** They are new here. */
  arrived: string[];
  updated: string[];
  /** They ended on another machine. */
  ended: string[];
  /** A session on another machine has taken them from one here. */
  taken_over: string[];
  /** Fields that were changed in two places. */
  conflicts: ({ run: string } & FieldConflict)[];
  skipped: { run: string; reason: string }[];
  /** What looks like a secret: its runs stay as they are. */
  secrets: WithheldField[];
  /** The remote has them but does not list them. */
  hidden: string[];
  /** Their history on the remote was replaced. */
  rewritten: string[];
}

/** A value that looks like a secret, by the name of its field. */
export interface WithheldField {
  run: string;
  field: string;
  kind: string;
  /** What `sync allow` takes. */
  fingerprint: string;
  /** The commands that keep the field here or change it. */
  remedy: string;
}

export interface SyncRun {
  run_id: string;
  state:
    | 'in_step'
    | 'to_send'
    | 'to_receive'
    | 'to_merge'
    | 'ended'
    | 'removed_here'
    | 'left_out'
    | 'unreadable';
  /** Whether the remote does not have it yet, as far as is known. */
  is_new: boolean;
  /** The fields that differ from what the remote had. */
  fields: string[];
  /** Why it is unreadable. */
  reason?: string;
}

export interface SyncStatusDocument {
  /** `null` if sync is off. */
  remote: string | null;
  remotes: string[];
  project: string;
  machine: string | null;
  runs: SyncRun[];
  secrets: WithheldField[];
}

export interface SyncDryRunDocument {
  remote: string;
  would_send: SyncRun[];
  secrets: WithheldField[];
}

export interface SyncOnDocument {
  remote: string;
  project: string;
  machine: string;
  /** What the next sync sends: fields with their values, and how many events of the journal. */
  runs: { run_id: string; fields: Record<string, unknown>; events: number }[];
  secrets: WithheldField[];
  /** In words. */
  never_sent: string[];
  /** The runs that are new here. */
  arrived: string[];
}

export interface SyncOffDocument {
  remote: null;
  /** The remote that it was on with. */
  was: string | null;
}

export interface SyncAllowDocument {
  fingerprint: string;
  fields: WithheldField[];
}

export interface SyncPruneDocument {
  remote: string;
  pruned: string[];
  dry_run: boolean;
}

export interface RunPlanDocument {
  /** `null` with `--template`: nothing was started. */
  run: string | null;
  template: string;
  steps: (Template['steps'][number] & { state: PhaseState })[];
  loops: NonNullable<Template['loops']>;
  /** Why `run` would refuse. */
  refusals: Failure[];
}

export interface PageDocument {
  url: string;
  port: number;
  /** `null` with `--everywhere`. */
  project: string | null;
}

export interface VersionDocument {
  version: string;
  node_version: string;
  node_path: string;
  /** Where holdfast runs from. */
  folder: string;
}

export interface DemoDocument {
  /** What happens → what is printed. */
  scenes: Record<string, string>;
}

export interface DoctorDocument {
  root: string;
  findings: Finding[];
  /** How many of each level. */
  summary: {
    ok: number;
    notes: number;
    warnings: number;
    broken: number;
    skipped: number;
    fixed: number;
  };
}

export interface Finding {
  check: string;
  level: 'ok' | 'note' | 'warning' | 'broken' | 'skipped';
  message: string;
  evidence?: string[];
  /** What to do. */
  fix?: string;
  /** Whether `doctor --fix` repairs it. */
  fixable: boolean;
  fixed?: true;
}

export interface ChangedFile {
  path: string;
  action: 'created' | 'changed' | 'removed';
}

export interface ClaudeInitDocument {
  scope: 'local' | 'project' | 'user';
  changes: ChangedFile[];
  /** Files that were left alone. */
  kept: string[];
  /** The commands that the agent runs without a permission prompt. */
  permissions: string[];
  status_line: boolean;
  /** Where the hooks run from. */
  runtime: string;
  dry_run: boolean;
}

export interface InitDocument extends ClaudeInitDocument {
  /** Missing with `--dry-run`. */
  found?: FoundInProject;
}

/** What a session would get back. */
export interface FoundInProject {
  runs: { workflow: string; phase: string; from: string; gets_back: string }[];
  not_understood: UnclearSource[];
  /** Files that a run could begin with, each with the command. */
  offers: string[];
}

/** `init` or `uninstall` for another agent. */
export interface HostChangeDocument {
  host: 'codex' | 'qwen' | 'gemini' | 'opencode';
  scope: 'project' | 'user';
  changes: ChangedFile[];
  dry_run: boolean;
}

export interface HostInitDocument extends HostChangeDocument {
  /** Missing with `--dry-run`. */
  found?: FoundInProject;
}

export interface SeveralHostsInitDocument {
  hosts: (ClaudeInitDocument | HostChangeDocument)[];
  /** Missing with `--dry-run`. */
  found?: FoundInProject;
}

export interface UninstallDocument {
  scope: 'local' | 'project' | 'user';
  changes: ChangedFile[];
  /** Files that were left alone. */
  kept: string[];
  /** The folders with state files, which stay. */
  state: string[];
  dry_run: boolean;
}

export interface SeveralHostsDocument {
  hosts: (UninstallDocument | HostChangeDocument)[];
}

/** A refusal or failure. */
export interface Failure {
  code: ErrorCode;
  /** What happened. */
  message: string;
  /** What to do next. */
  hint: string;
}

/** What a command that fails prints. Some failures print more beside it. */
export interface FailureDocument {
  error: Failure;
}

/**
 * Each code → what a failure with it prints beside `error`.
 *
 * @public Only the reference and the test read it.
 */
export interface FailureDetails {
  artifact_missing: PrimeDocument;
  gate_failed: { gate: { command: string; output: string } };
  gate_timed_out: { gate: { command: string; output: string } };
  invalid_files: ValidateDocument;
  invalid_template: { problems: FileProblem[] };
  missing_inputs: {
    inputs: { name: string; description?: string }[];
  };
  unhealthy: DoctorDocument;
  /** What waits now; `null` if nothing does. */
  wait_changed: { wait: string | null };
}
