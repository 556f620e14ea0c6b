import { z } from 'zod';
import { FlowDetail, FlowSummary, StartedRun } from '#shared/api.ts';
import { App } from '#shared/app.ts';
import { OperatorInfo } from '#shared/catalog.ts';
import { Flow } from '#shared/flow.ts';
import type { JsonSchema } from '#shared/json.ts';
import { Layout } from '#shared/layout.ts';
import { Problem } from '#shared/problem.ts';
import { RunError, RunEvent, RunSummary } from '#shared/run-event.ts';

/** Schemas that the document contains once, by reference. */
const named = z.registry<{ id: string }>();
const shared = {
  App,
  Flow,
  FlowDetail,
  FlowSummary,
  Layout,
  OperatorInfo,
  Problem,
  RunError,
  RunEvent,
  RunSummary,
  StartedRun,
};
for (const [id, schema] of Object.entries(shared)) named.add(schema, { id });

const nothing = z.registry<{ id: string }>();

/** Collects the schemas of a document under `components.schemas`. */
export interface SchemaPool {
  readonly schemas: Record<string, JsonSchema>;
  /** The schema of values that callers send. */
  asked(schema: z.ZodType): JsonSchema;
  /** The schema of values that callers receive. */
  answered(schema: z.ZodType): JsonSchema;
  /** Adds a schema under this name, or a similar free one, and returns its place; `make` receives that place. */
  add(name: string, make: (place: string) => JsonSchema): string;
}

export const schemaPrefix = '#/components/schemas/';

export function createSchemaPool(): SchemaPool {
  const schemas: Record<string, JsonSchema> = {};

  function convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const { $schema: _, ...json } = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      metadata: io === 'input' ? nothing : named,
      override(place) {
        describe(place);
        if (io === 'output') leaveOpen(place);
      },
    });
    const { $defs = {}, ...own } = moved(json) as JsonSchema & { $defs?: Record<string, JsonSchema> };
    for (const [id, def] of Object.entries($defs))
      schemas[poolName(id)] ??= poolName(id) === ANY ? { description: 'Any JSON value.' } : def;
    return own;
  }

  return {
    schemas,
    asked: (schema) => convert(schema, 'input'),
    answered: (schema) => convert(schema, 'output'),
    add(name, make) {
      let free = name;
      for (let i = 2; Object.hasOwn(schemas, free); i++) free = `${name}_${i}`;
      const place = schemaPrefix + free;
      schemas[free] = make(place);
      return place;
    },
  };
}

interface Place {
  readonly zodSchema: z.core.$ZodType;
  readonly jsonSchema: z.core.JSONSchema.BaseSchema;
}

/** Zod keeps the texts of `.describe()` in a registry of its own, beside the one with the names. */
function describe({ zodSchema, jsonSchema }: Place): void {
  const description = z.globalRegistry.get(zodSchema)?.description;
  if (description !== undefined) jsonSchema.description = description;
}

/** Answers may get further fields later, so unnamed fields are left open. */
function leaveOpen({ jsonSchema }: Place): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
}

/** The only self-referencing schemas without a name are those of any JSON value. */
function poolName(id: string): string {
  return id.startsWith('__schema') ? ANY : id;
}

/** Written without recursion, which generators of types refuse. */
const ANY = 'Json';

/** Turns references into the schema itself into references into the document. */
function moved(json: object): object {
  const text = JSON.stringify(json).replaceAll(
    /"\$ref":"#\/\$defs\/([^"]+)"/g,
    (_, id: string) => `"$ref":"${schemaPrefix}${poolName(id)}"`,
  );
  return JSON.parse(text) as object;
}
