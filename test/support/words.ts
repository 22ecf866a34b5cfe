import { speakWith } from '../../src/errors.ts';
import { describe } from '../../src/failures/describe.ts';

speakWith(describe);
