import type { JsonSchema } from '#shared/json.ts';
import { type Document, entriesOf, invalid, isSafeName, list, record, textOf, unique } from './document.ts';

/** Schemas of descriptions as JSON Schema that forms, types and checks can read. */

const MAX_DEPTH = 40;
const MAX_HOPS = 50;
const MAX_DEFINITIONS = 400;
const MAX_VALUES = 200;

/** Collects the definitions that are used. `read` finds one by its reference. */
export interface Schemas {
  schema(value: unknown): JsonSchema;
  /** The object that a reference leads to, or the value itself. Throws `service_invalid` for one that leads elsewhere. */
  followed(value: unknown): Document;
  definitions(): Record<string, JsonSchema>;
}

export interface Source {
  readonly root: Document;
  /** The place of a definition by the text of its reference, and its name. */
  find(ref: string): { readonly name: string; readonly value: unknown } | undefined;
}

export function schemasOf(source: Source): Schemas {
  return new ReadSchemas(source);
}

class ReadSchemas implements Schemas {
  private readonly made = new Map<string, JsonSchema>();
  private readonly names = new Map<string, string>();
  private readonly waiting: string[] = [];
  private readonly source: Source;

  constructor(source: Source) {
    this.source = source;
  }

  schema(value: unknown): JsonSchema {
    return this.walk(value, 0);
  }

  followed(value: unknown): Document {
    let at = record(value);
    for (let hops = 0; hops < MAX_HOPS && typeof at['$ref'] === 'string'; hops++)
      at = record(this.found(at['$ref']).value);
    return typeof at['$ref'] === 'string' ? {} : at;
  }

  definitions(): Record<string, JsonSchema> {
    for (let ref = this.waiting.pop(); ref !== undefined; ref = this.waiting.pop())
      this.made.set(this.names.get(ref) as string, this.walk(this.found(ref).value, 0));
    return Object.fromEntries(this.made);
  }

  private found(ref: string): { readonly name: string; readonly value: unknown } {
    const place = this.source.find(ref);
    if (place !== undefined) return place;
    const isHere = /^[#A-Za-z]/.test(ref) && !ref.includes('://') && !/\.(?:ya?ml|json)/i.test(ref);
    throw invalid(
      isHere
        ? `The description refers to ${ref.slice(0, 200)}, which it does not have.`
        : `The description refers to another file, ${ref.slice(0, 200)}; give one that is whole (bundled).`,
    );
  }

  private refTo(ref: string): JsonSchema {
    const { name } = this.found(ref);
    if (!this.names.has(ref)) {
      if (this.names.size >= MAX_DEFINITIONS) return {};
      this.names.set(ref, this.nameFor(name));
      this.waiting.push(ref);
    }
    return { $ref: `#/definitions/${this.names.get(ref)}` };
  }

  private nameFor(name: string): string {
    const plain = isSafeName(name) ? name.replaceAll(/[^\w.-]/g, '_').slice(0, 100) : 'Part';
    return unique(plain, new Set(this.names.values()), '_');
  }

  private walk(value: unknown, depth: number): JsonSchema {
    const given = record(value);
    if (typeof given['$ref'] === 'string') return this.refTo(given['$ref']);
    if (depth > MAX_DEPTH) return {};
    if (isBinary(given)) return { type: 'object', format: 'file' };
    const out: Record<string, unknown> = {};
    copyPlain(given, out);
    const types = typesIn(given);
    if (types.length > 0) out['type'] = types.length === 1 ? types[0] : types;
    this.copyFields(given, out, depth);
    for (const key of ['items', 'additionalProperties'])
      if (typeof given[key] === 'object' && given[key] !== null) out[key] = this.walk(given[key], depth + 1);
    for (const key of ['allOf', 'anyOf', 'oneOf']) {
      const all = list(given[key]).slice(0, MAX_VALUES);
      // Several of `oneOf` often fit, since descriptions are rarely exact.
      if (all.length > 0) out[key === 'oneOf' ? 'anyOf' : key] = all.map((one) => this.walk(one, depth + 1));
    }
    return out;
  }

  private copyFields(given: Document, out: Record<string, unknown>, depth: number): void {
    const properties = entriesOf(given['properties']);
    if (properties.length === 0) return;
    out['properties'] = Object.fromEntries(
      properties.map(([name, one]) => [name, this.walk(one, depth + 1)]),
    );
    const known = new Set<unknown>(properties.map(([name]) => name));
    const required = list(given['required']).filter((name) => known.has(name));
    if (required.length > 0) out['required'] = required;
  }
}

/** Keywords without schemas in them. Patterns are left out: they may take for ever. */
function copyPlain(given: Document, out: Record<string, unknown>): void {
  const description = textOf(given['description'], 300);
  if (description !== undefined) out['description'] = description;
  for (const key of ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'])
    if (typeof given[key] === 'number') out[key] = given[key];
  const values = list(given['enum']).filter(isScalar).slice(0, MAX_VALUES);
  if (values.length > 0) out['enum'] = values;
  if (isScalar(given['const'])) out['const'] = given['const'];
  const { format } = given;
  if (typeof format === 'string' && /^(?:date|date-time|email|uri|uuid|time)$/.test(format))
    out['format'] = format;
}

function isScalar(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

function typesIn(given: Document): unknown[] {
  const types = [given['type']].flat().filter((type) => TYPES.has(String(type)));
  const isNullable = given['nullable'] === true && types.length > 0 && !types.includes('null');
  const values = list(given['enum']);
  // A null among the values, which OpenAPI 3.0 asks for beside `nullable`.
  if (values.includes(null) && types.length > 0 && !types.includes('null')) return [...types, 'null'];
  return isNullable ? [...types, 'null'] : types;
}

function isBinary({ type, format, contentEncoding }: Document): boolean {
  return type === 'string' && (format === 'binary' || contentEncoding === 'binary');
}
