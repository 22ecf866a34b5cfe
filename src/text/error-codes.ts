/**
 * Every code that a failure can have, with what it means. Programs tell failures apart by these codes, in
 * `{"error": {"code": …}}` of `--json`; people read the sentence beside them. The reference page lists them from here.
 * The codes do not change: other programs compare them.
 */
export const ERROR_CODES = {
  // The call itself.
  usage:
    'The command line is not understood: an unknown command or option, or a missing argument.',
  bad_value: 'The value of an option or argument cannot be used.',
  nothing_to_change: '`update` was given no change.',
  bad_argument: 'The value of an argument of an MCP tool cannot be used.',
  unknown_argument: 'An MCP tool does not have this argument.',
  unknown_tool: 'There is no MCP tool of this name.',
  unreadable_input:
    'A file or standard input that the command was given cannot be read.',
  not_text: 'A file is not UTF-8 text.',
  no_such_folder: 'The folder of `--cwd` does not exist.',
  cancelled: 'The client cancelled the request before anything was changed.',

  // Which run is meant, and who may change it.
  no_workflow: 'There is no run to work on.',
  unknown_run: 'No run has this name.',
  ambiguous_run: 'Several runs fit, so one has to be named.',
  no_own_run:
    'The session has no run of its own; an agent must name the run that it means.',
  only_declared:
    'The workflow is declared in a file and has no state file yet.',
  not_active: 'The run is paused, failed or ended.',
  run_archived: 'The run has ended and is in the archive.',
  not_archived: 'The run has not ended, so it cannot be reopened.',
  held_by_other: 'Another live session holds the run.',
  session_busy: 'The session already works on another run.',
  no_session: 'This terminal is not a session that could take the run.',
  takeover_in_terminal:
    '`takeover` needs a session; in a terminal, use `release`.',
  foreign_session:
    '`--session` names a session that is not that of the calling agent.',
  not_proven: 'Nothing proves that a person typed the command in Claude Code.',
  client_not_registered: 'The secret of a client was not kept.',
  run_of_other_client: 'The run belongs to a session of another client.',
  approval_from_agent: 'Only a person can approve or reject.',
  trust_from_agent: 'Only a person can trust a template.',
  sync_from_agent: 'Only a person can change what sync sends.',
  act_from_agent: 'Only a person can open the page with `--act`.',
  client_replaced:
    '`holdfast run` has replaced the client that this command belongs to.',
  inside_own_gate: 'A gate tried to change its own run.',

  // Moving through phases and steps.
  no_next_phase:
    'The run is in its last phase, so there is no next phase to name.',
  next_phase_unknown:
    'The number of phases is not known, so the next one has to be named.',
  phase_out_of_range: 'The run has no phase with this number.',
  phase_not_skippable: 'The phase is over, or its template decides about it.',
  template_decides: 'The template of the run defines its phases.',
  open_items:
    'The last phase cannot end while the plan of the run has open items.',
  steps_left: 'An agent cannot end the run while gates or approvals are left.',
  moved_meanwhile: 'The run moved while its gates ran.',
  artefacts_missing: 'Files that the step has to leave are missing.',
  artifact_missing: 'A required critical artifact is missing.',
  unknown_artifact: 'The run declares no artifact of this name.',
  gate_failed: 'A gate did not exit with 0.',
  gate_timed_out: 'A gate did not end in time.',
  gate_untrusted:
    'The template runs commands, and a person has not trusted it here.',
  gate_not_started: 'The command of a gate could not be started.',
  gate_cancelled: 'A gate was interrupted.',
  gate_not_skipped:
    'A loop with a gate cannot be passed by an empty or finished list of tasks.',
  step_not_skipped: 'A step with a gate cannot be skipped.',
  approval_pending: 'The step waits for the approval of a person.',
  no_approval: 'Nothing waits for an approval.',
  answer_unconfirmed: 'The answer to an approval was not confirmed.',
  wait_changed:
    'What `--for` names does not wait any more; `wait` names what waits now.',
  phase_waits: "The phase waits for the user's word and has not begun.",
  blank_feedback: 'The feedback is blank.',
  no_steps_to_go_back: 'A run without a template has no steps to go back to.',
  no_earlier_step:
    'The step to go back to does not exist or does not come earlier.',
  no_step_before:
    'No earlier step applies to the run, so the work cannot be sent back.',
  step_passed_by: 'The condition of the step is false for this run.',
  too_many_pivots:
    'The run was sent back too often, so a person has to decide.',
  workflow_over: 'The run is complete or has failed.',
  not_started: 'The steps of the template have not been started.',
  no_context_action: 'The step asks for neither `/compact` nor `/clear`.',

  // Tasks of loops.
  no_template: 'A run without a template has no loops.',
  unknown_loop: 'The workflow has no loop of this name.',
  loop_over: 'The loop is over and takes no more tasks.',
  waiting_for_tasks: 'The loop waits for its tasks.',
  too_many_tasks: 'The list of tasks is too long.',
  bad_task: 'A task is not in a form that is understood.',
  unreadable_tasks: 'The list of tasks is not in a form that is understood.',

  // Starting a run.
  nothing_to_do: 'No step of the template applies.',
  missing_inputs:
    'The template needs inputs that were not given; `inputs` names them.',
  template_or_name: 'A template has the name that was given for a run.',
  no_accepted_plan: 'No plan was accepted in plan mode here.',
  plan_finished: 'Every item of the plan is done.',
  plan_without_phases: 'The plan has no items that can become phases.',
  plan_has_run: 'The plan already has a run.',

  // Templates and trust.
  unknown_template: 'No template has this name.',
  ambiguous_template: 'Several templates have this name.',
  invalid_template: 'The template has mistakes.',
  template_exists: 'There is a template file of this name already.',
  never_trusted: 'The template was never trusted in this project.',
  trust_unconfirmed: 'The trust in a template was not confirmed.',
  trust_in_project:
    'The file that records trust is inside the project, where it does not count.',

  // Notes, facts and the todo list.
  no_such_note: 'The run has no note with this number.',
  note_of_person: 'An agent cannot replace or forget the note of a person.',
  unknown_entry: 'The run has no such file, reminder or fact to remove.',
  no_such_item: 'The todo list has no item with this number.',
  todo_not_ours: 'The todo list has content that the command would replace.',
  todo_no_place: 'The todo list ends in a place where an item would not count.',
  todo_refused: 'The todo list cannot be used, or is withheld from agents.',

  // Moving runs between machines.
  diverged: 'The run moved on here and in the imported file.',
  not_newer: 'The imported file is not newer than the run here.',
  sync_is_off: 'Sync is off in this clone.',
  sync_no_git: 'git was not found.',
  sync_no_repository: 'The project is not in a git repository.',
  sync_foreign_repository:
    'git does not use the repository, because another user owns it.',
  sync_no_remote: 'The repository has no such remote.',
  sync_transport: 'The remote could not be reached, or refused.',
  sync_git_failed: 'A git command failed.',
  sync_contended: 'Other machines changed the same runs during each try.',
  sync_unknown_fingerprint:
    'No value that sync leaves out has this fingerprint.',

  // `holdfast run`.
  no_client: 'Claude Code was not found.',
  client_too_old: 'Claude Code is too old to be driven.',
  not_drivable: 'The run cannot be driven.',
  run_finished: 'The run has ended.',
  held_by_session: 'A live session holds the run.',
  second_driver: 'Another process drives the run.',
  driver_lost:
    'Another process drives the run now, because this one did not answer for a while.',
  driver_in_driver: '`run` was called inside a session that `run` drives.',
  driven_run_failed: 'A driven run has failed, so only a person continues it.',
  hooks_off: '`HOLDFAST=off` is set, and a driven run needs the hooks.',
  project_not_trusted:
    'The project brings programs and is not trusted in Claude Code.',

  // Installation.
  user_folder:
    'The folder holds your settings for all projects, so it is no project.',
  no_such_scope: 'The agent has no such scope.',
  settings_not_json: 'A settings file is not strict JSON.',
  settings_misshapen:
    'A settings file is not in the format that the agent expects.',
  not_a_file: 'Something that is not a file is in the place of a file.',
  not_ours: 'A file in the place of one of holdfast is not from holdfast.',
  changed_meanwhile: 'Another program changed a file at the same time.',
  half_done: 'A step failed, and what was done before could not be undone.',
  record_newer:
    'A newer version of holdfast wrote the record of installations.',
  record_damaged: 'The record of installations is damaged.',
  no_package: 'The installation of holdfast is incomplete.',
  page_missing: 'The page of `ui` is missing from the installation.',
  port_refused: 'The port of `ui` cannot be used.',
  demo_failed: 'A command of the demo failed.',
  unhealthy: '`doctor` found something that is broken.',
  invalid_files: '`validate` found problems; `problems` names them.',

  // Files and the system.
  broken_run:
    'What the state file says about the template of the run cannot be used.',
  newer_format:
    'A newer version of holdfast wrote the run, so this one only reads it.',
  run_too_large: 'The run would become too large for its state file.',
  locked: 'Another holdfast process holds the lock.',
  blocked_path: 'Something else is in the place of a file or folder.',
  outside_project: 'A link leads out of the project.',
  foreign_folder:
    'A folder of holdfast is a link to another folder of the project.',
  not_writable: 'A file cannot be written.',
  disk_refused: 'The file system refused an operation.',
  output_failed: 'The result could not be written to standard output.',
  internal: 'A mistake in holdfast; please report it.',
} as const satisfies Record<string, string>;

export type ErrorCode = keyof typeof ERROR_CODES;
