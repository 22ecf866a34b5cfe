// The declared types of what programs read, as JSON schemas: for the reference page, and for the test that compares them
// with real output.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const FOLDER = join(root, 'src/commands/json');

export interface Schema {
  $ref?: string;
  description?: string;
  type?: string;
  const?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  not?: Schema;
  /** Of a property of a type that src/commands/json exports: `StartDocument.existing`. */
  declaredAs?: string;
}

export interface DeclaredTypes {
  /** Name of a type → its schema, for all types that the documents are made of. */
  definitions: Record<string, Schema>;
  /** Those that src/commands/json exports, in their order, each with the types that it extends. */
  own: Map<string, string[]>;
}

/** Reads the declarations. An object may have no other keys than its type, unless that type has an index signature. */
export function readDeclaredTypes(): DeclaredTypes {
  const files = ['documents.ts', 'tool-results.ts'].map((name) =>
    join(FOLDER, name),
  );
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), (path) =>
    ts.sys.readFile(path),
  );
  const { options } = ts.convertCompilerOptionsFromJson(
    config.config.compilerOptions,
    root,
  );
  const program = ts.createProgram(files, options);
  const checker = program.getTypeChecker();
  const declarations = files.flatMap((file) => {
    const source = program.getSourceFile(file);
    if (source === undefined) throw new Error(`there is no file ${file}`);
    return declarationsIn(source, checker);
  });

  const definitions: Record<string, Schema> = {};
  const writer = new SchemaWriter(checker, definitions, new Set(declarations));
  const own = new Map<string, string[]>();
  for (const declaration of declarations) {
    const type = checker.getTypeAtLocation(declaration);
    own.set(writer.define(type, declaration), basesOf(declaration));
  }
  return { definitions, own };
}

/** The types that a file declares, and those that it passes on from another file, in their order. */
function declarationsIn(
  source: ts.SourceFile,
  checker: ts.TypeChecker,
): TypeDeclaration[] {
  return source.statements.flatMap((statement) => {
    if (isTypeDeclaration(statement)) return [statement];
    const clause = ts.isExportDeclaration(statement)
      ? statement.exportClause
      : undefined;
    if (clause === undefined || !ts.isNamedExports(clause)) return [];
    return clause.elements.flatMap((element) => {
      const name = checker.getSymbolAtLocation(element.name);
      if (name === undefined) return [];
      const { declarations = [] } = checker.getAliasedSymbol(name);
      return declarations.filter(isTypeDeclaration);
    });
  });
}

type TypeDeclaration = ts.InterfaceDeclaration | ts.TypeAliasDeclaration;

const isTypeDeclaration = (node: ts.Node): node is TypeDeclaration =>
  ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);

/** The names of the types that an interface extends. */
function basesOf(declaration: TypeDeclaration): string[] {
  if (!ts.isInterfaceDeclaration(declaration)) return [];
  const clauses = declaration.heritageClauses ?? [];
  return clauses.flatMap(({ types }) =>
    types.map(({ expression }) => expression.getText()),
  );
}

class SchemaWriter {
  readonly #names = new Map<ts.Declaration, string>();

  constructor(
    private readonly checker: ts.TypeChecker,
    private readonly definitions: Record<string, Schema>,
    private readonly exported: ReadonlySet<TypeDeclaration>,
  ) {}

  /** Returns the name of the definition: two files may declare types of one name. */
  define(type: ts.Type, declaration: TypeDeclaration): string {
    const known = this.#names.get(declaration);
    if (known !== undefined) return known;
    const { text } = declaration.name;
    const isTaken = Object.hasOwn(this.definitions, text);
    const name = isTaken ? `${text}${this.#names.size}` : text;
    this.#names.set(declaration, name);
    // Before the type is written: it may contain itself.
    const schema: Schema = {};
    this.definitions[name] = schema;
    Object.assign(schema, this.#shapeOf(type));
    const comment = commentOf(declaration);
    if (comment !== '') schema.description = comment;
    return name;
  }

  /** A type with a name is defined once. */
  #schemaOf(type: ts.Type): Schema {
    const declaration = ownDeclarationOf(type);
    return declaration === null
      ? this.#shapeOf(type)
      : { $ref: `#/definitions/${this.define(type, declaration)}` };
  }

  #shapeOf(type: ts.Type): Schema {
    if (type.isUnion()) return this.#unionOf(type.types);
    if (type.flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Any)) return {};
    if (type.flags & ts.TypeFlags.Null) return { const: null };
    if (type.flags & ts.TypeFlags.Undefined) return { not: {} };
    if (type.isStringLiteral() || type.isNumberLiteral())
      return { const: type.value };
    if (type.flags & ts.TypeFlags.BooleanLiteral)
      return { const: this.checker.typeToString(type) === 'true' };
    if (type.flags & ts.TypeFlags.StringLike) return { type: 'string' };
    if (type.flags & ts.TypeFlags.NumberLike) return { type: 'number' };
    if (this.checker.isArrayType(type) || this.checker.isTupleType(type))
      return this.#listOf(type);
    return this.#objectOf(type);
  }

  #unionOf(types: readonly ts.Type[]): Schema {
    // The compiler takes `boolean` for `true | false`.
    const isBoolean = (type: ts.Type): boolean =>
      (type.flags & ts.TypeFlags.BooleanLiteral) !== 0;
    const hasBoth = types.filter(isBoolean).length === 2;
    const members = types
      .filter((type) => !(type.flags & ts.TypeFlags.Undefined))
      .filter((type) => !(hasBoth && isBoolean(type)))
      .map((type) => this.#schemaOf(type));
    if (hasBoth) members.push({ type: 'boolean' });
    // The order of the compiler depends on which types it has met before.
    const ordered = members.toSorted((a, b) => compare(keyOf(a), keyOf(b)));
    const [only, ...more] = ordered;
    return only !== undefined && more.length === 0 ? only : { anyOf: ordered };
  }

  #listOf(type: ts.Type): Schema {
    const [item, ...others] = this.checker.getTypeArguments(
      // The compiler has just said that it is a list.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      type as ts.TypeReference,
    );
    const types = [item, ...others].filter((each) => each !== undefined);
    const [first] = types;
    if (first === undefined) return { type: 'array' };
    const items =
      types.length === 1 ? this.#schemaOf(first) : this.#unionOf(types);
    return { type: 'array', items };
  }

  #objectOf(type: ts.Type): Schema {
    const properties: Record<string, Schema> = {};
    const required: string[] = [];
    for (const property of this.checker.getPropertiesOfType(type)) {
      const { name } = property;
      const schema = this.#schemaOf(this.checker.getTypeOfSymbol(property));
      const comment = ts.displayPartsToString(
        property.getDocumentationComment(this.checker),
      );
      const declaredAs = placeOf(property, this.exported);
      properties[name] = {
        ...schema,
        ...(comment === '' ? {} : { description: comment }),
        ...(declaredAs === null ? {} : { declaredAs }),
      };
      if (!(property.flags & ts.SymbolFlags.Optional)) required.push(name);
    }
    const index = this.checker.getIndexTypeOfType(type, ts.IndexKind.String);
    const additionalProperties =
      index === undefined ? false : this.#schemaOf(index);
    return { type: 'object', properties, required, additionalProperties };
  }
}

/** Null for a type that is written where it is used, and for those of the language, such as `Record`. */
function ownDeclarationOf(type: ts.Type): TypeDeclaration | null {
  const symbol = type.aliasSymbol ?? type.getSymbol();
  const declaration = symbol?.declarations?.[0];
  if (declaration === undefined || !isTypeDeclaration(declaration)) return null;
  const hasArguments = (type.aliasTypeArguments ?? []).length > 0;
  const isOurs = declaration.getSourceFile().fileName.includes('/src/');
  return isOurs && !hasArguments ? declaration : null;
}

/** `null` comes last. */
const keyOf = (schema: Schema): string =>
  schema.const === null ? '\uFFFF' : JSON.stringify(schema);

const compare = (a: string, b: string): number => (a < b ? -1 : 1);

/** The type that a property is declared in, with its name; null for any other type than these. */
function placeOf(
  { name, declarations }: ts.Symbol,
  types: ReadonlySet<TypeDeclaration>,
): string | null {
  const owner = ts.findAncestor(declarations?.[0], isTypeDeclaration);
  const isExported = owner !== undefined && types.has(owner);
  return isExported ? `${owner.name.text}.${name}` : null;
}

/** The text of the comment above a declaration. */
function commentOf(declaration: ts.Declaration): string {
  return ts
    .getJSDocCommentsAndTags(declaration)
    .filter((node) => ts.isJSDoc(node))
    .map((node) => ts.getTextOfJSDocComment(node.comment) ?? '')
    .join(' ');
}
