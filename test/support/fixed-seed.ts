import fc from 'fast-check';
import { repetitions, scale } from './repetitions.ts';

// Property tests choose the same cases every time, so that a failure is due to the change. A scale above 1 is for finding
// more: it chooses new cases each time. Where a test does not say how often it is repeated, fast-check has 100.
const numRuns = repetitions(100);
fc.configureGlobal(scale <= 1 ? { seed: 20_250_601, numRuns } : { numRuns });
