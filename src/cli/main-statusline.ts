import { printStatusLine } from './statusline/status-line.ts';

/** The client calls this after every message, so it has a bundle of its own, without the command line. */
printStatusLine({ segment: process.argv.includes('--segment') });
