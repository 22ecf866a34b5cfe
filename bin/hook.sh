# Run by hooks, with the event's JSON on standard input: e=<event>; f=<this file>; . "$f"; with h=<host> by agents other than Claude Code.
# Starting Node takes most of the time of a hook, so this script starts it only where something is due. It
# compares no times and, but for one event of Gemini, reads no input: most clients give hooks the session's id and folder
# in the environment, too. It prints nothing and exits with 0, because 2 would block the client;
# only where a file has changed, 2 wakes it.

# The user's shell may start with these options.
set +eu
[ -z "$ZSH_VERSION" ] || emulate sh 2>/dev/null
[ "$HOLDFAST" != off ] || exit 0
case $f in */*) package=${f%/*}/.. ;; *) package=.. ;; esac
# A relative folder, or the working directory as /proc shows it, may be one that a repository brings along.
case $CLAUDE_CONFIG_DIR in
/proc/* | //proc/*) home=$HOME/.claude/holdfast ;;
/* | [A-Za-z]:[/\\]*) home=$CLAUDE_CONFIG_DIR/holdfast ;;
*) home=$HOME/.claude/holdfast ;;
esac
# Without an id that can be a file's name, the files of any session count: Codex tells its hooks none.
case $h in
codex) session= ;;
qwen) session=$QWEN_CODE_SESSION_ID ;;
gemini) session=$GEMINI_SESSION_ID ;;
*) h= session=$CLAUDE_CODE_SESSION_ID ;;
esac
case $session in *[!A-Za-z0-9_-]* | '') session='*' ;; esac

# Ends the script. `init` has recorded a Node that is used where the client's PATH has none.
start_node() {
  [ -f "$package/bin/holdfast.cjs" ] && [ -f "$package/dist/hook.cjs" ] || exit 0
  node=node
  if ! command -v node >/dev/null 2>&1; then
    node=
    { IFS= read -r node <"$package/bin/node-path"; } 2>/dev/null
    [ -n "$node" ] && [ -x "$node" ] || exit 0
  fi
  HOLDFAST_PID=$PPID "$node" "$package/bin/holdfast.cjs" hook "$e" ${h:+"--host=$h"}
  exit 0
}

# Whether one of these files exists. The pattern is expanded by the caller.
exists() {
  for file in "$@"; do
    [ ! -e "$file" ] || return 0
  done
  return 1
}

# Whether the project around a folder has a run, or a file in which one may be declared. The settings may name others.
has_work() {
  folder=$1
  while [ -n "$folder" ]; do
    for run in "$folder"/untracked/workflow-state/*; do
      [ ! -d "$run" ] || return 0
    done
    for source in .claude/holdfast.json CLAUDE/Plan specs openspec/changes task_plan.md .planning \
      docs/superpowers/plans .kiro/specs .specify/specs .taskmaster/tasks conductor/tracks.md \
      _bmad-output/implementation-artifacts docs/sprint-artifacts; do
      [ ! -e "$folder/$source" ] || return 0
    done
    # Most people write other notes into this file, so it has to contain the word.
    if [ -f "$folder/CLAUDE.local.md" ] && [ -r "$folder/CLAUDE.local.md" ]; then
      while IFS= read -r line || [ -n "$line" ]; do
        case $line in *[Ww][Oo][Rr][Kk][Ff][Ll][Oo][Ww]*) return 0 ;; esac
      done <"$folder/CLAUDE.local.md"
    fi
    exists "$folder/.git" "$folder/.claude" && return 1
    case $folder in */*) folder=${folder%/*} ;; *) return 1 ;; esac
  done
  return 1
}

# Whether holdfast has seen the session before.
is_known() {
  if [ "$h" = codex ]; then has_work "$PWD"; else exists "$home/sessions/"$session.json; fi
}

# Makes the file of this client process, unless its module has made it before: from the first turn on, nobody can bring a secret
# for this client, see sessions/client-secret.ts. Old clients do not tell their process, which has started this shell.
take_client() {
  pid=${CLAUDE_PID:-$PPID} stat=
  case $pid in *[!0-9]* | '') return ;; esac
  case ${CLAUDE_CONFIG_DIR:-$HOME} in /?* | ?:*) ;; *) return ;; esac
  [ -d "$home/clients" ] || (umask 077 && mkdir -p "$home/clients")
  # The name of the program, in parentheses, may contain anything. The 20th field after it is when the process has started.
  [ ! -r "/proc/$pid/stat" ] || IFS= read -r stat <"/proc/$pid/stat"
  set -- ${stat##*") "}
  # Not `:`, with which a shell would end here if nothing can be written, and its exit code 2 would block the prompt.
  printf '' >>"$home/clients/$pid-${20}"
}

# Lets the agent call `holdfast` in every session: the client runs this file before each of the agent's commands.
offer_program() {
  folder=$(cd "$package/bin" && pwd) || return
  case $folder in *\'*) return ;; esac
  printf "export PATH='%s':\"\$PATH\"\n" "$folder" >"$CLAUDE_ENV_FILE"
}

# A session that holdfast knows has a file: its time says when the session was last seen, and an empty line changes it.
known=$home/sessions/$session.json
if [ "$e" != SessionEnd ] && [ -e "$known" ]; then { echo >>"$known"; } 2>/dev/null; fi

# All other events show that the first turn has begun, or that there will be none.
case $h:$e in
:SessionStart | :SessionEnd) ;;
:*) take_client 2>/dev/null ;;
esac

case $e in
SessionStart)
  # Other agents name no such file, but some pass on the variables of a `.env` of the project.
  [ -n "$h" ] || [ -z "$CLAUDE_ENV_FILE" ] || offer_program 2>/dev/null
  # Marked while the session that follows a `/clear` is expected.
  exists "$home/wake/"*.SessionStart && start_node
  ;;
esac
case $e in
SessionStart | PreCompact)
  has_work "$PWD" && start_node
  [ -z "$CLAUDE_PROJECT_DIR" ] || { has_work "$CLAUDE_PROJECT_DIR" && start_node; }
  # It may hold a run in another project.
  is_known && start_node
  ;;
PostCompact | SessionEnd | SubagentStart) is_known && start_node ;;
# These commands are not carried out here: see hooks/expansion.ts.
UserPromptExpansion)
  IFS= read -r call
  case $call in *holdfast:approve* | *holdfast:reject* | *holdfast:trust*) printf '%s\n' "$call" | start_node ;; esac
  ;;
# Gemini's shells do not know their session; a command that calls holdfast is told.
BeforeTool)
  IFS= read -r call
  case $call in *'"command":"'*holdfast*) printf '%s\n' "$call" | start_node ;; esac
  ;;
# Whether a call of holdfast needs a prompt depends on the call alone; a plan is accepted seldom.
Permission | ExitPlanMode) start_node ;;
# Gemini does not tell when it has compressed a conversation: its transcript shows it.
UserPromptSubmit) [ "$h" = gemini ] && is_known && start_node ;;
esac
case $e in
# An approval was answered elsewhere. The client tells the model that this is not the user's word, so it only points to it.
FileChanged)
  mark=$home/wake/$session.FileChanged
  [ -e "$mark" ] && rm -f "$mark" || exit 0
  echo 'The run of this session has changed: run `holdfast status` and do what it says.' >&2
  exit 2
  ;;
# Whoever makes something due writes the mark, and whoever deals with it removes it: see hooks/wake.ts.
UserPromptSubmit | PostToolUse | PreToolUse)
  exists "$home/wake/"$session."$e" && { [ "$h" != codex ] || has_work "$PWD"; } && start_node
  ;;
esac
exit 0
