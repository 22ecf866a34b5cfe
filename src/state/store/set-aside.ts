import { lstatSync, renameSync } from 'node:fs';
import { asWord } from '../../text/sanitize.ts';
import { setAsideName } from '../paths.ts';
import { freeName } from './free-names.ts';

// A state file that cannot be read would be lost with the next write, so it is set aside under another name.

/** `state-shop-20260102_030405.json.corrupt-20260103_101112` */
const SET_ASIDE = /^state-.+\.json\.corrupt-/s;

export const isSetAside = (name: string): boolean => SET_ASIDE.test(name);

/** A name that is free for a file that is set aside. */
export function freeSetAsideName(path: string, now: Date): string {
  return freeName(
    now,
    (time) => setAsideName(path, time),
    (name) => lstatSync(name, { throwIfNoEntry: false }) === undefined,
  );
}

/** Sets a file aside; returns its new name. */
export function setFileAside(path: string, now: Date): string {
  const movedTo = freeSetAsideName(path, now);
  renameSync(path, movedTo);
  return movedTo;
}

export function describeSetAside(
  path: string,
  why: string,
  movedTo: string,
): string {
  return `${asWord(path)} could not be read (${why}) and was moved aside as ${asWord(movedTo)}`;
}
