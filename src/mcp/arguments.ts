import type { Expected } from '../errors/expected.ts';
import { HoldfastError } from '../errors/holdfast-error.ts';
import { isObject, type JsonObject } from '../util/json.ts';

/** The arguments of one call. Unknown arguments are refused, because ignoring them would hide mistakes. */
export class Arguments {
  constructor(
    private readonly tool: string,
    private readonly given: JsonObject,
    known: readonly string[],
  ) {
    this.refuseUnknown(given, known, '');
  }

  /** Models fill in optional arguments with null or blank text, so both count as undefined. */
  text(name: string): string | undefined {
    const value = this.own(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'string') throw this.bad(name, { kind: 'text' });
    return value.trim() === '' ? undefined : value;
  }

  requiredText(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw this.bad(name, { kind: 'filled_text' });
    return value;
  }

  texts(name: string): string[] {
    const value = this.own(name) ?? [];
    if (!Array.isArray(value)) throw this.bad(name, { kind: 'texts' });
    return value.map((entry: unknown) => {
      if (typeof entry !== 'string') throw this.bad(name, { kind: 'texts' });
      return entry;
    });
  }

  /** A list; objects in it may only have known keys. */
  list(name: string, known: readonly string[]): unknown[] {
    const value = this.own(name);
    if (!Array.isArray(value)) throw this.bad(name, { kind: 'list' });
    return value.map((entry: unknown, index) => {
      if (isObject(entry)) this.refuseUnknown(entry, known, `${name}[${index}].`);
      return entry;
    });
  }

  bad(argument: string, expected: Expected): HoldfastError {
    return new HoldfastError({ code: 'bad_argument', tool: this.tool, argument, expected });
  }

  private own(name: string): unknown {
    return Object.hasOwn(this.given, name) ? (this.given[name] ?? undefined) : undefined;
  }

  private refuseUnknown(object: JsonObject, known: readonly string[], prefix: string): void {
    const unknown = Object.keys(object).find((key) => !known.includes(key));
    if (unknown === undefined) return;
    throw new HoldfastError({
      code: 'unknown_argument',
      tool: this.tool,
      given: `${prefix}${unknown}`,
      known: known.map((key) => `${prefix}${key}`),
    });
  }
}
