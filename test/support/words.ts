import { registerArtifactSupport } from '../../src/restore/artifact-support.ts';
import * as artifacts from '../../src/restore/artifact-support-module.ts';
import { registerStepSupport } from '../../src/restore/step-support.ts';
import * as steps from '../../src/restore/step-support-module.ts';

registerArtifactSupport(() => artifacts);
registerStepSupport(() => steps);
