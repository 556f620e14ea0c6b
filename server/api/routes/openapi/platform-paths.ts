import type { z } from 'zod';
import type { ErrorCode } from '#shared/errors.ts';
import type { JsonSchema } from '#shared/json.ts';
import { propertiesOf } from '#shared/json-schema.ts';
import type { DescribedRoute } from './description.ts';
import { errorResponses } from './errors.ts';
import type { Content, Operation, Parameter, PathItem, RequestBody, Response } from './openapi.ts';
import type { SchemaPool } from './schemas.ts';
import { routeSecurity } from './security.ts';

/**
 * The paths of the platform's own routes. Paths that end in a wildcard are omitted: OpenAPI cannot express them, and
 * triggers have their own paths.
 */
export function platformPaths(routes: readonly DescribedRoute[], pool: SchemaPool): Record<string, PathItem> {
  const paths: Record<string, PathItem> = {};
  for (const route of routes) {
    if (route.url.endsWith('*')) continue;
    const item = (paths[templateOf(route.url)] ??= {});
    item[route.method.toLowerCase()] = operation(route, pool);
  }
  return paths;
}

function operation(route: DescribedRoute, pool: SchemaPool): Operation {
  const { method, url, scope, tag, summary } = route;
  const parameters = [...pathParameters(url), ...queryParameters(route.query, pool)];
  return {
    operationId: `${method.toLowerCase()}${url === '/' ? '_root' : url.replaceAll(/[^A-Za-z0-9]+/g, '_')}`,
    tags: [tag],
    summary: firstSentence(summary),
    description: summary,
    ...(parameters.length > 0 && { parameters }),
    requestBody: requestBody(route, pool),
    responses: {
      [String(route.status ?? 200)]: goodResponse(route, pool),
      ...errorResponses(errorCodes(route, scope !== 'public')),
    },
    security: routeSecurity(scope, method !== 'GET'),
  };
}

function templateOf(url: string): string {
  return url.replaceAll(/:(\w+)/g, '{$1}');
}

function firstSentence(text: string): string {
  return text.split(/(?<=[.;:]) /, 1)[0]?.replace(/[.;:]$/, '') ?? text;
}

function pathParameters(url: string): Parameter[] {
  return [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(query: z.ZodType | undefined, pool: SchemaPool): Parameter[] {
  if (query === undefined) return [];
  const schema = pool.asked(query);
  const required = new Set((schema['required'] ?? []) as readonly string[]);
  return [...propertiesOf(schema, schema)].map(([name, property]) => {
    const { description, ...rest } = property;
    return {
      name,
      in: 'query',
      required: required.has(name),
      ...(typeof description === 'string' && { description }),
      schema: rest,
    };
  });
}

function requestBody(
  { body, bodyOptional = false, uploads = [] }: DescribedRoute,
  pool: SchemaPool,
): RequestBody | undefined {
  if (body === undefined) return undefined;
  const files: JsonSchema = { type: 'object', properties: { file: { type: 'string', format: 'binary' } } };
  return {
    required: !bodyOptional,
    content: {
      'application/json': { schema: pool.asked(body) },
      ...Object.fromEntries(uploads.map((type) => [type, { schema: files }])),
    },
  };
}

function goodResponse({ answer, content }: DescribedRoute, pool: SchemaPool): Response {
  const description = 'Success.';
  if (answer)
    return { description, content: { 'application/json': { schema: envelope(pool.answered(answer)) } } };
  if (content === undefined) return { description };
  const written: Content = Object.fromEntries(
    Object.entries(content).map(([type, schema]) => [type, schema ? { schema: pool.answered(schema) } : {}]),
  );
  return { description, content: written };
}

function envelope(data: JsonSchema): JsonSchema {
  return {
    type: 'object',
    required: ['success', 'err_code', 'err_msg', 'data'],
    properties: { success: { const: true }, err_code: { type: 'null' }, err_msg: { type: 'null' }, data },
  };
}

/** The route's own error codes and those of every route of its kind. */
function errorCodes({ body, query, errors = [] }: DescribedRoute, isGuarded: boolean): ErrorCode[] {
  return [
    ...(body || query ? (['invalid_request'] as const) : []),
    ...(body
      ? ([
          'invalid_json',
          'invalid_encoding',
          'too_deep',
          'body_too_large',
          'unsupported_media_type',
        ] as const)
      : []),
    ...(isGuarded ? (['unauthorized', 'forbidden'] as const) : []),
    ...errors,
  ];
}
