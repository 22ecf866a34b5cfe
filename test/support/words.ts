import { speakWith } from '../../src/errors.ts';
import { artifactsAreIn } from '../../src/hooks/artifact-room.ts';
import * as artifacts from '../../src/hooks/artifacts.ts';
import { describe } from '../../src/failures/describe.ts';

speakWith(describe);
artifactsAreIn(() => artifacts);
