#!/bin/sh
# The `claude` of the tests of the driver. Every driver asks for the version first, so that is answered without Node.
if [ "$1" = --version ]; then
  version=2.1.325
  [ ! -f "$FAKE_CLAUDE/version" ] || read -r version < "$FAKE_CLAUDE/version" || true
  echo "$version (Claude Code)"
  exit 0
fi
exec node "$FAKE_CLAUDE_PROGRAM" "$@"
