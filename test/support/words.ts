import { setDescribe } from '../../src/errors/holdfast-error.ts';
import { describe } from '../../src/errors/describe.ts';

setDescribe(describe);
