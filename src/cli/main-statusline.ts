import { printStatusLine } from './statusline/status-line.ts';

/** The client calls this after every message, so it has a bundle of its own, without the command line. */
const words = process.argv.slice(3);
printStatusLine({
  segment: words.includes('--segment'),
  unknown: words.filter((word) => word !== '--segment'),
});
