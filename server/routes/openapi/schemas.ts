import { z } from 'zod';
import { FlowDetail, FlowSummary, StartedRun } from '#shared/api.ts';
import { App } from '#shared/app.ts';
import { OperatorInfo } from '#shared/catalog.ts';
import { Flow } from '#shared/flow.ts';
import type { JsonSchema } from '#shared/json.ts';
import { Layout } from '#shared/layout.ts';
import { Problem } from '#shared/problem.ts';
import { RunError, RunEvent, RunSummary } from '#shared/run-event.ts';

/** What is said once in the document and referred to. */
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

/** Gathers the schemas of a document under `components.schemas`. */
export interface SchemaPool {
  readonly schemas: Record<string, JsonSchema>;
  /** What callers send. */
  asked(schema: z.ZodType): JsonSchema;
  /** What they get. */
  answered(schema: z.ZodType): JsonSchema;
  /** Puts a schema in under a free name like this one, and gives its place; `make` is told that place. */
  add(name: string, make: (place: string) => JsonSchema): string;
}

export const schemaPrefix = '#/components/schemas/';

export function createSchemaPool(): SchemaPool {
  const schemas: Record<string, JsonSchema> = {};

  function convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const how = io === 'input' ? { metadata: nothing } : { metadata: named, override: leaveOpen };
    const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any', ...how });
    const { $defs = {}, ...own } = moved(json) as JsonSchema & { $defs?: Record<string, JsonSchema> };
    for (const [id, def] of Object.entries($defs)) schemas[poolName(id)] ??= def;
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

/** Answers may get further fields, so nothing is promised of those that are not named. */
function leaveOpen({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
}

/** The only schemas that refer to themselves without a name are those of any JSON value. */
function poolName(id: string): string {
  return id.startsWith('__schema') ? 'Json' : id;
}

/** References into the schema itself, as references into the document. */
function moved(json: object): object {
  const text = JSON.stringify(json).replaceAll(
    /"\$ref":"#\/\$defs\/([^"]+)"/g,
    (_, id: string) => `"$ref":"${schemaPrefix}${poolName(id)}"`,
  );
  return JSON.parse(text) as object;
}
