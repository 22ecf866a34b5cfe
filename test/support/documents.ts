import { Ajv, type ValidateFunction } from 'ajv';
import { expect } from 'vitest';
import {
  readDeclaredTypes,
  type Schema,
} from '../../scripts/declared-types.ts';

/** Compares what the program prints with the types that src/commands/json declares. */
export class DeclaredDocuments {
  readonly #definitions: Record<string, Schema>;
  readonly #ajv = new Ajv({ strict: false, allErrors: true });
  readonly #checks = new Map<string, ValidateFunction>();
  /** The declared properties that some document had, as `StartDocument.existing`. */
  readonly #seen = new Set<string>();
  readonly #checked = new Set<string>();

  constructor() {
    this.#definitions = readDeclaredTypes().definitions;
    this.#ajv.addKeyword({
      keyword: 'declaredAs',
      validate: (place: string) => {
        this.#seen.add(place);
        return true;
      },
    });
  }

  /** The forms of commands that are declared. */
  forms(): string[] {
    return this.#members('CommandDocuments');
  }

  /** What a form of a command prints with `--json`. */
  check(form: string, document: unknown): void {
    this.#compare('CommandDocuments', form, document);
  }

  /** What an MCP tool replies. */
  checkTool(tool: string, reply: unknown): void {
    this.#compare('ToolResults', tool, reply);
  }

  /** What a command prints that fails. */
  checkFailure(code: string, { error, ...details }: { error?: unknown }): void {
    expect(error, code).toMatchObject({ code });
    this.#compare('FailureDocument', 'error', error);
    const hasMore = this.#members('FailureDetails').includes(code);
    if (hasMore) this.#compare('FailureDetails', code, details);
    else expect(details, code).toEqual({});
  }

  /** Forms, tools and failures that no document was compared with. */
  unchecked(): string[] {
    return ['CommandDocuments', 'ToolResults', 'FailureDetails']
      .flatMap((type) => this.#members(type).map((name) => `${type}.${name}`))
      .filter((place) => !this.#checked.has(place));
  }

  /** Declared properties that no document had. */
  unseen(): string[] {
    const all = new Set<string>();
    collectPlaces(this.#definitions, all);
    const isTable = /^(?:CommandDocuments|ToolResults|Failure\w+)\./;
    return [...all].filter(
      (place) => !this.#seen.has(place) && !isTable.test(place),
    );
  }

  #members(type: string): string[] {
    return Object.keys(this.#definitions[type]?.properties ?? {});
  }

  #compare(type: string, name: string, value: unknown): void {
    const place = `${type}.${name}`;
    expect(this.#members(type), `${place} is not declared`).toContain(name);
    this.#checked.add(place);
    const isValid = this.#checkOf(type, name)(value);
    const { errors } = this.#checkOf(type, name);
    expect(
      isValid ? null : { place, errors: errors?.map(problemOf), value },
    ).toBe(null);
  }

  #checkOf(type: string, name: string): ValidateFunction {
    const place = `${type}.${name}`;
    const known = this.#checks.get(place);
    if (known !== undefined) return known;
    const check = this.#ajv.compile({
      ...this.#definitions[type]?.properties?.[name],
      definitions: this.#definitions,
    });
    this.#checks.set(place, check);
    return check;
  }
}

type Problem = NonNullable<ValidateFunction['errors']>[number];

const problemOf = ({ instancePath, message, params }: Problem): string =>
  `${instancePath} ${message} ${JSON.stringify(params)}`;

function collectPlaces(schema: unknown, places: Set<string>): void {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'declaredAs' && typeof value === 'string') places.add(value);
    else collectPlaces(value, places);
  }
}
