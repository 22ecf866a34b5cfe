'use strict';
// The command line's package loads this part of Node, and with it streams and sockets, for subcommands that are
// programs of their own: holdfast has none.
exports.spawn = (...given) => require('node:child_process').spawn(...given);
