import { HoldfastError } from '../errors/holdfast-error.ts';
import type { OperationContext } from '../operations/open-project.ts';
import type { JsonObject } from '../util/json.ts';
import { textOption, type Option, type OptionValue, type Schema } from './options.ts';

type Options = Readonly<Record<string, Option<unknown>>>;

interface ToolDefinition<Given extends Options> {
  name: string;
  about: string;
  takes: Given;
  reply: (
    context: OperationContext,
    input: { [Key in keyof Given]: OptionValue<Given[Key]> },
  ) => object | Promise<object>;
}

/** A tool as the MCP server lists and calls it. */
export interface Tool {
  name: string;
  description: string;
  inputSchema: {
    type: 'object';
    properties: Record<string, Schema>;
    required?: string[];
    additionalProperties: false;
  };
  run: (context: OperationContext, given: JsonObject) => object | Promise<object>;
}

/** The run to act on, named rather than the session's own, as on the command line. */
export const RUN = textOption('');

/** The MCP tool of a command. */
export function tool<Given extends Options>({
  name,
  about,
  takes,
  reply,
}: ToolDefinition<Given>): Tool {
  const known = Object.keys(takes);
  const required = known.filter((key) => takes[key]?.isRequired === true);
  return {
    name,
    description: about,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(takes).map(([key, option]) => [key, schemaOf(option)]),
      ),
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
    },
    run: (context, given) => {
      refuseUnknown(name, given, known);
      const input = Object.entries(takes).map(([key, { parse }]) => {
        const value = Object.hasOwn(given, key) ? (given[key] ?? undefined) : undefined;
        return [key, parse(value, (expected) => badArgument(name, key, expected), key)];
      });
      // The compiler cannot follow the keys through Object.entries.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return reply(context, Object.fromEntries(input) as Parameters<typeof reply>[1]);
    },
  };
}

function schemaOf({ schema, about }: Option<unknown>): Schema {
  return about === '' ? schema : { ...schema, description: about };
}

/** Ignoring an unknown argument would hide a mistake. */
function refuseUnknown(name: string, given: JsonObject, known: readonly string[]): void {
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw unknownArgument(name, unknown, known);
}

export function unknownArgument(
  name: string,
  given: string,
  known: readonly string[],
): HoldfastError {
  return new HoldfastError('unknown_argument', `unknown argument "${given}" for ${name}`, {
    hint: `available: ${known.join(', ')}`,
  });
}

export function badArgument(name: string, argument: string, expected: string): HoldfastError {
  return new HoldfastError('bad_argument', `${argument} of ${name} must be ${expected}`, {
    hint: 'nothing was changed; correct it and call the tool again',
  });
}
