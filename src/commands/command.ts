import {
  type Option,
  type OptionValue,
  textOption,
  type Schema,
} from './options.ts';
import type { CommandContext } from './view/output.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import { mayDecide } from '../sessions/rights.ts';
import type { JsonObject } from '../text/json.ts';
import type { ToolResults } from './json/tool-results.ts';

/** What a command prints: with --json the data, whose types json/documents.ts declares, else the text. */
export interface Shown<Data extends object = object> {
  data: Data;
  text: string;
}

type Options = Readonly<Record<string, Option<unknown>>>;

/** `pause [run]` takes `run?`, `reopen <run>` takes `run`, `validate [files...]` takes the list `files`. */
type WordsOf<Usage> = Usage extends `${infer Word} ${infer Rest}`
  ? WordOf<Word> & WordsOf<Rest>
  : WordOf<Usage>;
type WordOf<Word> = Word extends `<${infer Name}...>` | `[${infer Name}...]`
  ? { [Key in Name]: string[] }
  : Word extends `<${infer Name}>`
    ? { [Key in Name]: string }
    : Word extends `[${infer Name}]`
      ? { [Key in Name]?: string | undefined }
      : unknown;

export type Input<Usage, Given extends Options> = WordsOf<Usage> & {
  [Key in keyof Given]: OptionValue<Given[Key]>;
};

/** Whether an agent may call it without a prompt stands in sessions/permission.ts, which hooks load without any command. */
interface Description {
  usage: string;
  about: string;
  examples: readonly string[];
  isHidden?: true;
  /** A person may type it in Claude Code: with `--proof`, the module sends the secret of its client on standard input. */
  takesProof?: true;
  /** It only looks, as any command does with `--look`: the session is not marked as seen. */
  isLook?: true;
  tool?: Tool;
  subcommands?: readonly AnyCommand[];
  options?: Options;
}

interface CommandDefinition<
  Usage extends string,
  Given extends Options,
  Result extends Ran,
> extends Description {
  usage: Usage;
  options?: Given;
  run: (cli: CommandContext, input: Input<Usage, Given>) => Result;
}

/** What is to be printed; nothing if the command has printed everything itself. */
type Ran = Shown | void | Promise<Shown | void>;

export type AnyCommand = ProjectCommand | HostCommand;

interface ProjectCommand extends Description {
  /** A method, whose parameters are compared loosely: `inputOf` makes the input that each command declares. */
  run(cli: CommandContext, input: object): Ran;
}

/** A command of another bundle, which opens the project itself. */
interface HostCommand extends Description {
  /** Also words and options that it does not declare. */
  takesAnything?: true;
  passOn: (
    words: readonly string[],
    options: Readonly<Record<string, unknown>>,
  ) => void;
}

/** Declares a command; the types of its input follow from its usage and its options. */
export const command = <
  const Usage extends string,
  Result extends Ran,
  Given extends Options,
>(
  definition: CommandDefinition<Usage, Given, Result>,
): CommandDefinition<Usage, Given, Result> => definition;

export const nameOf = ({ usage }: Pick<Description, 'usage'>): string =>
  usage.split(' ', 1)[0] ?? usage;

type ToolName = keyof ToolResults;

interface ToolDefinition<Name extends ToolName, Given extends Options> {
  name: Name;
  about: string;
  takes: Given;
  reply: (
    context: OperationContext,
    input: { [Key in keyof Given]: OptionValue<Given[Key]> },
  ) => ToolResults[Name] | Promise<ToolResults[Name]>;
}

export interface Tool {
  name: ToolName;
  description: string;
  inputSchema: {
    type: 'object';
    properties: Record<string, Schema>;
    required?: string[];
    additionalProperties: false;
  };
  run: (
    context: OperationContext,
    args: JsonObject,
  ) => object | Promise<object>;
}

/** The run to act on, named rather than the session's own, as on the command line. */
export const RUN = textOption('');

export function tool<Name extends ToolName, Given extends Options>(
  definition: ToolDefinition<Name, Given>,
): Tool {
  const { name, about, takes, reply } = definition;
  const keys = Object.keys(takes);
  const required = keys.filter((key) => takes[key]?.isRequired === true);
  return {
    name,
    description: about,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(takes).map(([key, { schema, about: description }]) => [
          key,
          description === '' ? schema : { ...schema, description },
        ]),
      ),
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
    },
    run: (context, args) => {
      // Ignoring an unknown argument would hide a mistake.
      const unknown = Object.keys(args).find((key) => !keys.includes(key));
      if (unknown !== undefined) throw unknownArgument(name, unknown, keys);
      const input = Object.entries(takes).map(([key, { parse }]) => {
        const value = Object.hasOwn(args, key)
          ? (args[key] ?? undefined)
          : undefined;
        return [
          key,
          parse(value, (expected) => badArgument(name, key, expected), key),
        ];
      });
      // The compiler cannot follow the keys through Object.entries.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const parsed = Object.fromEntries(input) as Parameters<typeof reply>[1];
      return reply(context, parsed);
    },
  };
}

/** Refuses to an agent what only the user decides; `typed` is what the user types instead. */
export function requirePerson(
  context: OperationContext,
  code: 'trust' | 'approval' | 'sync' | 'act',
  what: string,
  typed: () => string,
): void {
  if (mayDecide(context.caller)) return;
  const message = `only a person can ${what}, not an agent's session`;
  const hint = `ask the user to type ${typed()}`;
  throw new HoldfastError(`${code}_from_agent`, message, { hint });
}

export function unknownArgument(
  name: string,
  key: string,
  keys: readonly string[],
): HoldfastError {
  const message = `unknown argument "${key}" for ${name}`;
  const hint = `available: ${keys.join(', ')}`;
  return new HoldfastError('unknown_argument', message, { hint });
}

export function badArgument(
  name: string,
  argument: string,
  expected: string,
): HoldfastError {
  const message = `${argument} of ${name} must be ${expected}`;
  const hint = 'nothing was changed; correct it and call the tool again';
  return new HoldfastError('bad_argument', message, { hint });
}
