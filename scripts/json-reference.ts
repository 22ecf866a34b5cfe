// The reference page of what programs read, from the types in src/commands/json and the error codes.
import { ERROR_CODES } from '../src/text/error-codes.ts';
import {
  readDeclaredTypes,
  type DeclaredTypes,
  type Schema,
} from './declared-types.ts';

const START = '<!-- generated: npm run generate -->';
const END = '<!-- end -->';

/** Types that other pages and schemas describe. */
const DESCRIBED_ELSEWHERE: Readonly<Record<string, string>> = {
  RunState: '[state file](state-files.md)',
  JournalEvent: '[event](state-files.md#the-journal)',
  Template: '[template](template-format.md)',
  RunEvent: '[event](../../schemas/run-events.schema.json)',
  Status: '[step](mcp.md#replies)',
  Phase: 'phase of the [state file](state-files.md)',
  Note: 'note of the [state file](state-files.md)',
  FieldConflict: 'conflict of the [state file](state-files.md)',
  SessionRecord: 'session of the [state file](state-files.md)',
  Task: 'task of the [state file](state-files.md)',
};

/** The tables that begin the lists; their members are the forms, tools and codes. */
const TABLES = new Set(['CommandDocuments', 'ToolResults', 'FailureDetails']);

/** The page with its lists as the types are declared. */
export function withDocuments(page: string): string {
  const start = page.indexOf(START);
  const end = page.indexOf(END, start);
  if (start < 0 || end < 0)
    throw new Error('the page has no place for the documents');
  const lists = new Reference(readDeclaredTypes()).text();
  return `${page.slice(0, start)}${START}\n\n${lists}\n\n${page.slice(end)}`;
}

class Reference {
  constructor(private readonly types: DeclaredTypes) {}

  text(): string {
    const names = [...this.types.own.keys()].filter(
      (name) => !TABLES.has(name),
    );
    return [
      '## Commands',
      'Each form of a command, and what it prints.',
      this.#tableOf('CommandDocuments'),
      '## MCP tools',
      'Each tool, and what the first text of its reply contains.',
      this.#tableOf('ToolResults'),
      '## Error codes',
      errorCodes(),
      'Some failures print more beside `error`:',
      this.#tableOf('FailureDetails'),
      '## Documents',
      'A name with `?` may be missing.',
      ...names.map((name) => this.#section(name)),
    ].join('\n\n');
  }

  #tableOf(type: string): string {
    return this.#fields(this.#definition(type), '').join('\n');
  }

  #section(name: string): string {
    const { description, ...schema } = this.#definition(name);
    const parts = [`### ${name}`];
    if (description !== undefined) parts.push(description);
    const fields = this.#ownFields(name, schema);
    const bases = this.types.own.get(name) ?? [];
    if (bases.length > 0) {
      const links = bases.map((base) => this.#linkTo(base)).join(' and ');
      const more = fields.length === 0 ? '.' : ', and:';
      parts.push(`All of ${links}${more}`);
    }
    if (schema.properties === undefined)
      parts.push(sentence(this.#textOf(schema)));
    if (fields.length > 0) parts.push(fields.join('\n'));
    return parts.join('\n\n');
  }

  /** Without those that it has from the types that it extends. */
  #ownFields(name: string, schema: Schema): string[] {
    const bases = this.types.own.get(name) ?? [];
    if (bases.length === 0) return this.#fields(schema, '');
    const isOwn = ({ declaredAs = '' }: Schema): boolean =>
      declaredAs.startsWith(`${name}.`);
    const own = Object.entries(schema.properties ?? {}).filter(([, field]) =>
      isOwn(field),
    );
    return this.#fields({ ...schema, properties: Object.fromEntries(own) }, '');
  }

  #fields(
    { properties = {}, required = [] }: Schema,
    margin: string,
  ): string[] {
    return Object.entries(properties).flatMap(([name, schema]) => {
      const isOptional = !required.includes(name);
      const shown = `\`${name}${isOptional ? '?' : ''}\``;
      const { description, ...type } = schema;
      const about = description === undefined ? '' : `. ${description}`;
      const line = `${margin}- ${shown}: ${this.#textOf(type)}${about}`;
      const inner = objectIn(type);
      return inner === null
        ? [line]
        : [line, ...this.#fields(inner, `${margin}  `)];
    });
  }

  /** A type in words. */
  #textOf(schema: Schema): string {
    const { $ref, anyOf, items, properties, additionalProperties } = schema;
    if ($ref !== undefined) return this.#linkTo($ref.split('/').at(-1) ?? '');
    // The union of all codes is a list of its own.
    if (anyOf?.length === Object.keys(ERROR_CODES).length)
      return '[error code](#error-codes)';
    if (anyOf !== undefined)
      return joined(anyOf.map((each) => this.#textOf(each)));
    if ('const' in schema) return `\`${JSON.stringify(schema.const)}\``;
    if (schema.type === 'array')
      return items === undefined ? 'list' : `list of ${this.#textOf(items)}`;
    if (typeof additionalProperties === 'object' && isEmpty(properties)) {
      const values = this.#textOf(additionalProperties);
      return values === 'any value' ? 'object' : `object of ${values}`;
    }
    return schema.type ?? 'any value';
  }

  #linkTo(name: string): string {
    const elsewhere = DESCRIBED_ELSEWHERE[name];
    if (elsewhere !== undefined) return elsewhere;
    return this.types.own.has(name)
      ? `[${name}](#${name.toLowerCase()})`
      : this.#textOf(this.#definition(name));
  }

  #definition(name: string): Schema {
    const found = this.types.definitions[name];
    if (found === undefined) throw new Error(`there is no type ${name}`);
    return found;
  }
}

/** The object whose fields are listed below a field: it, the items of the list, or the one that is not `null`. */
function objectIn(schema: Schema): Schema | null {
  const { anyOf = [], items, properties } = schema;
  if (!isEmpty(properties)) return schema;
  if (items !== undefined) return objectIn(items);
  const inner = anyOf.flatMap((each) => objectIn(each) ?? []);
  return inner.length === 1 ? (inner[0] ?? null) : null;
}

const isEmpty = (properties: Schema['properties']): boolean =>
  Object.keys(properties ?? {}).length === 0;

function joined(texts: readonly string[]): string {
  const unique = [...new Set(texts)];
  const last = unique.pop() ?? '';
  return unique.length === 0 ? last : `${unique.join(', ')} or ${last}`;
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function errorCodes(): string {
  return Object.entries(ERROR_CODES)
    .map(([code, explanation]) => `- \`${code}\`: ${explanation}`)
    .join('\n');
}
