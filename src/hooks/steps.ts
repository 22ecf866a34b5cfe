export { stepFrame } from '../guidance/step.ts';
export { awaitsContext, happened, stepWords } from '../workflow/run-view.ts';
