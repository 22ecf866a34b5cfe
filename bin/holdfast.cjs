#!/usr/bin/env node
'use strict';
// Hooks must cost about what starting Node costs: they never pass through the command line's bundle.
require(process.argv[2] === 'hook' ? '../dist/hook.cjs' : '../dist/cli.cjs');
