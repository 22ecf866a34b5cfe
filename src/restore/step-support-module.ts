export { stepFrame } from '../guidance/step.ts';
export {
  awaitsContext,
  contextActionHappened as happened,
  stepLabel as stepWords,
} from '../workflow/run-view.ts';
