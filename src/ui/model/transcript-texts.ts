import { isObject, parseJsonObject } from '../../util/json.ts';

interface InjectedText {
  at: number;
  text: string;
}

/** The texts that hooks gave to the model, as the client recorded them in a transcript. */
export function injectedTexts(lines: readonly string[]): InjectedText[] {
  return lines.flatMap((line) => {
    // Most lines are messages, some of them of megabytes.
    if (!line.includes('additionalContext')) return [];
    const { timestamp, attachment } = parseJsonObject(line);
    const at = Date.parse(typeof timestamp === 'string' ? timestamp : '');
    if (Number.isNaN(at) || !isObject(attachment)) return [];
    const { type, stdout } = attachment;
    if (type !== 'hook_success') return [];
    const text = typeof stdout === 'string' ? contextIn(stdout) : null;
    return text === null ? [] : [{ at, text }];
  });
}

/** The text in a hook's reply. */
function contextIn(reply: string): string | null {
  const { hookSpecificOutput: output } = parseJsonObject(reply);
  const text = isObject(output) ? output['additionalContext'] : undefined;
  return typeof text === 'string' ? text : null;
}
