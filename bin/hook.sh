# Run by hooks of Claude Code, with the event's JSON on standard input: e=<event>; f=<this file>; . "$f"
# Starting Node takes most of the time of a hook, so this script first checks whether there is anything to do. Where it
# cannot tell, it starts Node. It prints nothing itself and always exits with 0, because 2 would block the client.

# The user's shell may start with these options.
set +eu
[ -z "$ZSH_VERSION" ] || emulate sh 2>/dev/null
[ "$HOLDFAST" != off ] || exit 0
event=$e
case $f in */*) package=${f%/*}/.. ;; *) package=.. ;; esac
config=${CLAUDE_CONFIG_DIR:-$HOME/.claude}
sessions=$config/holdfast/sessions
state=untracked/workflow-state
input=

# Ends the script. `init` has recorded a Node that is used where the client's PATH has none.
start_node() {
  node=node
  if ! command -v node >/dev/null 2>&1; then
    node=
    [ ! -r "$package/bin/node-path" ] || IFS= read -r node <"$package/bin/node-path"
    [ -n "$node" ] && [ -x "$node" ] || exit 0
  fi
  [ -f "$package/bin/holdfast.cjs" ] && [ -f "$package/dist/hook.cjs" ] || exit 0
  if [ -n "$input" ]; then
    printf '%s' "$input" | "$node" "$package/bin/holdfast.cjs" hook "$event"
  else
    "$node" "$package/bin/holdfast.cjs" hook "$event"
  fi
  exit 0
}

# Sets `root` to the nearest folder upwards that is a project, as io/project-root.ts does.
find_root() {
  root=$1
  while :; do
    if [ -e "$root/$state" ] || [ -e "$root/.claude/holdfast.json" ] || [ -e "$root/.git" ]; then
      return
    fi
    if [ -e "$root/.claude" ] && [ ! "$root/" -ef "$HOME/" ]; then return; fi
    case $root in
    */*) root=${root%/*} ;;
    *)
      root=$1
      return
      ;;
    esac
  done
}

# Each workflow has a folder of its own. The pattern `*/` would make the shell look at all of them.
has_runs() {
  [ -d "$1/$state" ] || return 1
  for folder in "$1/$state"/*; do
    [ ! -d "$folder" ] || return 0
  done
  return 1
}

# Lets the agent call `holdfast` in every session: the client runs this file before each of the agent's commands.
offer_program() {
  case $f in /*/*) folder=${f%/*} ;; *) folder=$(cd "$package/bin" && pwd) || return ;; esac
  quoted= rest=$folder
  while :; do
    case $rest in
    *\'*)
      quoted="$quoted${rest%%\'*}'\\''"
      rest=${rest#*\'}
      ;;
    *) break ;;
    esac
  done
  printf 'export PATH=%s:"$PATH"\n' "'$quoted$rest'" >"$CLAUDE_ENV_FILE"
}

if [ "$event" = SessionStart ] && [ -n "$CLAUDE_ENV_FILE" ]; then
  offer_program 2>/dev/null
fi

# Without a home folder it is not known where sessions are recorded.
[ -n "$HOME" ] || start_node

# With a run in the project, these always have something to do.
case $event in
SessionStart | PreCompact)
  find_root "$PWD"
  ! has_runs "$root" || start_node
  ;;
esac

# What follows is only read where the script goes on.

# The files and folders in which a workflow may be declared. The settings may name others.
has_sources() {
  for source in .claude/holdfast.json CLAUDE.local.md CLAUDE/Plan specs openspec/changes task_plan.md \
    .planning docs/superpowers/plans docs/plans .kiro/specs; do
    [ ! -e "$1/$source" ] || return 0
  done
  return 1
}

# Sets `session` and `cwd` from the first fields of the input, as far as they have no escaped characters. Between quotes
# there are, in turn, a key, a colon, its value and a comma.
parse_input() {
  session= cwd= key= colon=
  start=$input
  [ ${#input} -le 4000 ] || start=$(printf '%.3000s' "$input")
  old_ifs=$IFS
  set -f
  IFS='"'
  for part in $start; do
    case $colon in
    :*[![:space:]]*) ;;
    :*)
      case $key in
      session_id) session=${session:-$part} ;;
      cwd) cwd=${cwd:-$part} ;;
      esac
      ;;
    esac
    [ -z "$session" ] || [ -z "$cwd" ] || break
    key=$colon
    colon=$part
  done
  set +f
  IFS=$old_ifs
  case $session in *[!A-Za-z0-9_-]*) session= ;; esac
  case $cwd in *\\*) cwd= ;; esac
}

# Sets `elsewhere` and `last` to the projects that are recorded for the session; it may hold a run there.
find_elsewhere() {
  elsewhere= last= key= colon=
  [ -n "$session" ] && [ -r "$sessions/$session.json" ] || return
  IFS= read -r entry <"$sessions/$session.json"
  old_ifs=$IFS
  set -f
  IFS='"'
  for part in $entry; do
    case $key$colon in
    project:)
      # An escaped character may be a part of any path.
      case $part in *\\*) start_node ;; esac
      elsewhere=${elsewhere:-$part}
      last=$part
      ;;
    esac
    key=$colon
    colon=$part
  done
  set +f
  IFS=$old_ifs
}

# Sets `owed` to the folder of what hooks recorded about sessions of the project: see owedFolder in sessions/.
name_owed() {
  owed=$sessions/owed/ rest=$1
  while :; do
    case $rest in
    */*)
      owed=$owed${rest%%/*}%
      rest=${rest#*/}
      ;;
    *) break ;;
    esac
  done
  owed=$owed$rest
}

# The session is live. A file that cannot be written is no reason to say so.
mark_seen() {
  seen=$sessions/$session.seen
  [ -z "$session" ] || [ "$event" = SessionEnd ] || { echo >"$seen"; } 2>/dev/null
}

# Whether a hook has recorded that this event has nothing to do for the session: see hooks/owed.ts.
is_settled() {
  [ -n "$session" ] && [ -f "$owed/$session" ] || return 1
  { IFS= read -r events <"$owed/$session"; } 2>/dev/null || return 1
  case " $events " in *" $event "*) return 1 ;; esac
}

input=$(command cat)
parse_input
find_root "${cwd:-$PWD}"
launch=
if [ -n "$CLAUDE_PROJECT_DIR" ]; then
  here=$root
  find_root "$CLAUDE_PROJECT_DIR"
  launch=$root
  root=$here
fi
find_elsewhere

# An MCP server keeps the id of the session that it was started for, so which session follows which by `/clear` is
# recorded, also in an idle project, if anything is known about the session: see sessions/session-registry.ts.
by_clear=
case $event in
SessionStart | SessionEnd) case $input in *'"clear"'*) by_clear=yes ;; esac ;;
esac
case "$event $by_clear" in
"SessionEnd yes")
  [ -n "$session" ] && [ ! -e "$sessions/$session.json" ] || start_node
  ;;
"SessionEnd ")
  # Of a session that is known, the end is recorded.
  [ -z "$session" ] || [ ! -e "$sessions/$session.json" ] || start_node
  ;;
"SessionStart yes")
  for cleared in "$sessions"/*.cleared; do
    [ ! -e "$cleared" ] || start_node
  done
  ;;
esac

for project in "$root" "$launch" "$elsewhere" "$last"; do
  if [ -n "$project" ] && has_runs "$project"; then
    name_owed "$project"
    mark_seen
    case $event in
    SessionStart | PreCompact) start_node ;;
    PostCompact)
      # SessionStart has restored the run and leaves nothing to do, once.
      restored=$owed/$session.restored
      [ -n "$session" ] && [ -s "$restored" ] || start_node
      # Not by `:`, with which some shells would end here if the file cannot be written.
      { printf '' >"$restored"; } 2>/dev/null || start_node
      ;;
    *) [ -z "$by_clear" ] && is_settled || start_node ;;
    esac
    exit 0
  fi
done

case $event in
SessionStart) case $input in *'"compact"'*) ! has_sources "$root" || start_node ;; esac ;;
PreCompact | PostCompact) ! has_sources "$root" || start_node ;;
esac
exit 0
