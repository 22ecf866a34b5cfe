import { expect, test } from 'vitest';
import { compile } from '../../support/child.ts';

/** Says how much it has read so far, so that the next part comes after it. */
const READING = `
  import fs from 'node:fs';
  import { readStdin } from './files/streams.ts';
  const { readSync } = fs;
  let total = 0;
  fs.readSync = (...words) => {
    const read = readSync(...words);
    total += read;
    fs.writeSync(1, 'read ' + total + '\\n');
    return read;
  };
  const text = readStdin(100_000);
  console.log(JSON.stringify(text === null ? null : [text.length, text.slice(-3)]));
`;

const answerTo = async (...parts: (string | Uint8Array)[]): Promise<unknown> => {
  const reading = compile(READING).start();
  let sent = 0;
  for (const part of parts) {
    reading.process.stdin?.write(part);
    sent += Buffer.byteLength(part);
    await reading.says(`read ${sent}\n`);
  }
  reading.process.stdin?.on('error', () => undefined).end();
  const lines = (await reading.end()).trimEnd().split('\n');
  return JSON.parse(lines.at(-1) ?? '');
};

test('standard input is read to its end, however it comes', async () => {
  expect(await answerTo('one ', 'two ', 'end')).toEqual([11, 'end']);
});

test('a character that is cut between two parts stays whole', async () => {
  const bytes = Buffer.from('ab…');
  expect(await answerTo(bytes.subarray(0, 3), bytes.subarray(3))).toEqual([3, 'ab…']);
});

test('more than is allowed is not read', async () => {
  expect(await answerTo('x'.repeat(100_001))).toBeNull();
});
