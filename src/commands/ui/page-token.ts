import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import fse from 'fs-extra';
import { sessionsFolder } from '../../files/environment.ts';

/** In base64url they are 32 characters. */
const TOKEN_BYTES = 24;
const TOKEN = /^[\w-]{32}$/;

/** Of the rights of a file: those of all other users. */
const RIGHTS_OF_OTHERS = 0o077;

/**
 * The token in the address of the page. It is the same at every start, so that the address is; it is kept in a file that
 * only the user can read.
 */
export function keptPageToken(config: string): string {
  const path = join(sessionsFolder(config), 'page-token');
  const known = readPrivateToken(path);
  if (known !== null) return known;

  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  fse.ensureDirSync(dirname(path), 0o700);
  fse.removeSync(path);
  fse.writeFileSync(path, token, { mode: 0o600, flag: 'wx' });
  return token;
}

/** Null if there is none, or if others can read it. */
function readPrivateToken(path: string): string | null {
  const stat = fse.lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() !== true) return null;
  // Windows shows no such rights; there the folder of the user is private.
  const isReadByOthers = (stat.mode & RIGHTS_OF_OTHERS) !== 0;
  if (process.platform !== 'win32' && isReadByOthers) return null;
  const token = fse.readFileSync(path, 'utf8');
  return TOKEN.test(token) ? token : null;
}
