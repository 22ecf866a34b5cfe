#!/usr/bin/env node
'use strict';
// Hooks must cost about what starting Node costs: they never pass through the command line's bundle. The MCP server is
// a bundle of its own; with options it is reached through the command line, which checks them. `status` and `list`, which
// people put into their prompts, have the command line without the other commands. `statusline` is called after every message:
// with options it does not know, `--help` among them, it goes through the command line.
const [command, ...more] = process.argv.slice(2);
if (command === 'hook') require('../dist/hook.cjs');
else if (command === 'mcp' && more.length === 0) require('../dist/mcp.cjs');
else if (command === 'status' || command === 'list') require('../dist/cli-status.cjs');
else if (command === 'statusline' && more.every((word) => word === '--segment'))
  require('../dist/cli-statusline.cjs');
else require('../dist/cli.cjs');
