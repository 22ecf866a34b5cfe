import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HoldfastError } from '../errors/holdfast-error.ts';
import { errorCode } from '../io/read-file.ts';
import { makeFolder } from '../state/store/state-folder.ts';
import { slugOf } from '../util/slug.ts';
import { builtIn, stemOf, TEMPLATE_FOLDER } from '../workflow/template/locations.ts';
import { templateSkeleton } from '../workflow/template/skeleton.ts';
import type { OperationContext } from './open-project.ts';
import { parseWorkflowName, MAX_NAME } from './start.ts';

export interface CreatedTemplate {
  path: string;
  /** What finds it: `start --template <id>`. */
  id: string;
  /** Whether it takes the place of a built-in template in this project. */
  replaces_built_in: boolean;
}

/** Writes a commented skeleton into the project; a file that exists is never overwritten. */
export function createTemplate({ root }: OperationContext, given: string): CreatedTemplate {
  const name = parseWorkflowName(given);
  if (name === null) {
    throw new HoldfastError({
      code: 'bad_value',
      option: '<name>',
      given: given.slice(0, MAX_NAME),
      expected: { kind: 'name', max: MAX_NAME },
    });
  }
  const id = slugOf(name);
  const path = `${TEMPLATE_FOLDER}/${id}.yaml`;
  makeFolder(root, TEMPLATE_FOLDER);
  try {
    // `wx` also refuses a symbolic link.
    writeFileSync(join(root, path), templateSkeleton(name), { flag: 'wx' });
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw new HoldfastError({ code: 'template_exists', path });
    throw error;
  }
  const replaces = builtIn().some(({ file }) => stemOf(file) === id);
  return { path, id, replaces_built_in: replaces };
}
