import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { speakWith } from '../errors.ts';
import { describe } from '../failures/describe.ts';
import { plainLines } from '../guidance/plain.ts';
import type { Desk } from '../operations/desk.ts';
import { makeDesk, type Place } from './desk.ts';
import { makeServer } from './server.ts';

/** Standard output belongs to the protocol. */
function warn(sentence: string): void {
  process.stderr.write(`${plainLines(`holdfast: ${sentence}`).join('\n')}\n`);
}

/** `holdfast mcp`, also with the options that the command line has for every command. */
function placeFrom(words: readonly string[]): Place {
  const option = (name: string): string | undefined => {
    const joined = words.find((word) => word.startsWith(`${name}=`));
    if (joined !== undefined) return joined.slice(name.length + 1);
    const at = words.indexOf(name);
    return at < 0 ? undefined : words[at + 1];
  };
  return {
    cwd: option('--cwd'),
    session: option('--session'),
    environment: process.env,
    workingFolder: process.cwd(),
    parentProcess: process.ppid,
  };
}

speakWith(describe);
const place = placeFrom(process.argv.slice(2));

function openDesk(): Desk {
  const desk = makeDesk(place, new Date(), warn);
  place.successor = desk.session ?? undefined;
  return desk;
}

serveStdio(() => makeServer(openDesk, warn), {
  onerror: (error) => warn(error.message),
});
