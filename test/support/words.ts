import { speakWith } from '../../src/errors.ts';
import { artifactsAreIn } from '../../src/hooks/artifact-room.ts';
import * as artifacts from '../../src/hooks/artifacts.ts';
import { stepsAreIn } from '../../src/hooks/step-room.ts';
import * as steps from '../../src/hooks/steps.ts';
import { describe } from '../../src/failures/describe.ts';

speakWith(describe);
artifactsAreIn(() => artifacts);
stepsAreIn(() => steps);
