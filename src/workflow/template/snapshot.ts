import { loopsOf } from '../machine/loops.ts';
import {
  brokenRunError,
  either,
  fields,
  flag,
  listOf,
  oneOf,
  recordOf,
  requireShape,
  scalar,
  text,
  wholeNumber,
  type Check,
} from '../machine/shape-checks.ts';
import type { Template } from './template-types.generated.ts';

/** Made when it is needed: most hooks check no template. */
function templateShape(): Check {
  const context = oneOf(['compact', 'clear']);
  const onFail = oneOf(['retry', 'skip', 'abort']);

  const step: Check = fields(
    { id: text, type: oneOf(['action', 'loop', 'ralph', 'approval']) },
    {
      title: text,
      phase: text,
      agent: text,
      instructions: text,
      n: wholeNumber(1),
      until: text,
      when: text,
      artefacts: either(flag, listOf(text)),
      on_reject: text,
      context,
      loop: text,
      gate: text,
      on_fail: onFail,
    },
  );

  const subStep: Check = fields(
    { id: text, instructions: text },
    { agent: text, on_fail: onFail, context, gate: text },
  );

  const transition: Check = fields(
    { from: text, to: text, context: oneOf(['clear', 'compact', 'keep']) },
    { preserve: listOf(text) },
  );

  return fields(
    { name: text, description: text, steps: listOf(step, 1) },
    {
      extends: text,
      resume: oneOf(['auto']),
      max_pivots: wholeNumber(1),
      max_retries: wholeNumber(0),
      inputs: recordOf(fields({}, { description: text, default: scalar, required: flag })),
      agents: recordOf(fields({ description: text }, {})),
      loops: recordOf(listOf(subStep, 1)),
      transitions: listOf(transition),
      critical_artifacts: recordOf(() => null),
    },
  );
}

/** Checks the copy of a template in a state file, which may have been edited since the run started. */
export function checkedSnapshot(value: unknown): Template {
  requireTemplate(value);
  const loops = loopsOf(value);
  const seen = new Set<string>();
  for (const [index, { id, type, n }] of value.steps.entries()) {
    const at = `template.steps[${index}]`;
    if (seen.has(id)) throw brokenRunError(`${at}.id`, { kind: 'unique_id', of: 'step' });
    if (type === 'loop' && !loops.has(id))
      throw brokenRunError(`${at}.loop`, { kind: 'loop_of_template' });
    if (type === 'ralph' && n === undefined)
      throw brokenRunError(`${at}.n`, { kind: 'whole_number', min: 1 });
    seen.add(id);
  }
  return value;
}

function requireTemplate(value: unknown): asserts value is Template {
  requireShape(templateShape(), value, 'template');
}
