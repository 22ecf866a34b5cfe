import type { OperationContext } from '../operations/open-project.ts';
import type { JsonObject } from '../util/json.ts';
import { Arguments } from './arguments.ts';

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

interface ToolDescription {
  name: string;
  description: string;
  inputSchema: {
    type: 'object';
    properties: Record<string, Json>;
    required?: string[];
    additionalProperties: false;
  };
}

export interface Tool extends ToolDescription {
  run: (context: OperationContext, given: JsonObject) => object | Promise<object>;
}

export interface ToolParts {
  name: string;
  description: string;
  properties?: Record<string, Json>;
  required?: string[];
  run: (context: OperationContext, given: Arguments) => object | Promise<object>;
}

/** The properties of the schema are the only arguments that the tool accepts. */
export function makeTool({ name, description, properties = {}, required, run }: ToolParts): Tool {
  return {
    name,
    description,
    inputSchema: {
      type: 'object',
      properties,
      ...(required === undefined ? {} : { required }),
      additionalProperties: false,
    },
    run: (context, given) => run(context, new Arguments(name, given, Object.keys(properties))),
  };
}

export function textProperty(description: string): Json {
  return { type: 'string', description };
}
