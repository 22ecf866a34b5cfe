import type { JsonSyntaxError } from '../util/strict-json.ts';
import { quoted } from '../util/problem.ts';
import { sanitizeLine, truncate } from '../util/sanitize.ts';
import { unreachable } from '../util/unreachable.ts';

/** Why a text is not the JSON or YAML that it should be. */
export type TextDefect =
  | { kind: 'not_json'; syntax: JsonSyntaxError }
  | { kind: 'not_yaml'; parser: string }
  | { kind: 'larger_than'; megabytes: number }
  | { kind: 'nul_character' | 'several_documents' | 'key_not_scalar' | 'large_with_aliases' }
  | { kind: 'too_many'; of: 'tokens' | 'aliases'; max: number }
  | { kind: 'too_deep'; max: number }
  | { kind: 'tag'; tag: string }
  | { kind: 'unknown_anchor'; anchor: string }
  | { kind: 'duplicate_key'; key: string };

export function describeTextDefect(defect: TextDefect): string {
  switch (defect.kind) {
    case 'not_json':
      return `not JSON: ${describeJsonSyntax(defect.syntax)}`;
    case 'not_yaml':
      return `not YAML: ${sanitizeLine(truncate(defect.parser, 200))}`;
    case 'larger_than':
      return `it is larger than ${defect.megabytes} MB`;
    case 'nul_character':
      return 'it contains a NUL character';
    case 'several_documents':
      return 'it holds several documents; a template is one';
    case 'key_not_scalar':
      return 'a key must be a word, not a list, a mapping or an alias';
    case 'large_with_aliases':
      return 'with its aliases resolved it is larger than 1 MB or too deeply nested';
    case 'too_many':
      return `it has more than ${defect.max} ${defect.of === 'tokens' ? 'words and signs' : 'aliases'}`;
    case 'too_deep':
      return `it is nested more than ${defect.max} levels deep`;
    case 'tag':
      return `tags are not supported (${quoted(defect.tag)})`;
    case 'unknown_anchor':
      return `there is no anchor ${quoted(defect.anchor)} before this alias`;
    case 'duplicate_key':
      return `the key ${quoted(defect.key)} is there twice`;
    default:
      return unreachable(defect);
  }
}

export function describeJsonSyntax(error: JsonSyntaxError): string {
  switch (error.kind) {
    case 'comment':
      return 'a comment';
    case 'trailing_comma':
      return 'a trailing comma';
    case 'single_quotes':
      return 'single quotes';
    case 'too_deep':
      return 'nested too deeply';
    case 'parser':
      return error.message;
    default:
      return unreachable(error);
  }
}
