import fc from 'fast-check';
import { scale } from './repetitions.ts';

// Property tests choose the same cases every time, so that a failure is due to the change. A scale above 1 is for finding
// more: it chooses new cases each time.
if (scale <= 1) fc.configureGlobal({ seed: 20_250_601 });
