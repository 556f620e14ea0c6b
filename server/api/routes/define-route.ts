import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { ErrorCode } from '#shared/errors.ts';
import { ok } from '../../access/http/envelope.ts';
import { preparedAnswer } from '../../access/http/prepared-json.ts';
import type { ServedAt } from '../../access/http/trigger-origin.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import { readPart } from '../../base/requests/read-part.ts';
import type { RouteScope } from '../../access/security/scopes.ts';
import type { Context } from './context.ts';

/** The headings of the OpenAPI document, in its order. */
export const tags = [
  'Chat',
  'Apps',
  'Flows',
  'Runs',
  'Waits',
  'Knowledge',
  'Evaluations',
  'Administration',
  'Flows of DB-GPT',
  'Knowledge of DB-GPT',
  'Platform',
] as const;

/** Returns a schema on first use: the start of the server neither builds nor loads any. */
export type Later<T> = () => T | Promise<T>;

/** The description of a route; `/openapi.json`, the page on the HTTP API and the tests of bad input read it. */
export interface RouteDescription {
  readonly tag: (typeof tags)[number];
  /** A description of the route: a sentence or two that start with a verb; Markdown. */
  readonly summary: string;
  /** A page in `docs/` with more about it, without `.md`. */
  readonly guide?: string;
  readonly query?: Later<z.ZodType>;
  /** Schema of the JSON body. */
  readonly body?: Later<z.ZodType>;
  /** Whether the body may be omitted, which counts as `{}`. */
  readonly bodyOptional?: boolean;
  /** Media types that are read besides JSON. */
  readonly uploads?: readonly string[];
  /** Schema of `data` in the envelope of a successful answer. */
  readonly answer?: Later<z.ZodType>;
  /** Schemas of a successful answer without the envelope, by media type; undefined if a schema would not help. */
  readonly content?: Later<Readonly<Record<string, z.ZodType | undefined>>>;
  /** Status of a successful answer; 200 if absent. */
  readonly status?: 201 | 202 | 303;
  /** Error codes of this route, besides those of every route of its kind. */
  readonly errors?: readonly ErrorCode[];
}

/** Any route that `defineRoute` returns. `C` is what its handler needs. */
export interface Route<C = Context> extends RouteDescription {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly scope: RouteScope;
  /** The origin that serves it; undefined: only the editor's. */
  readonly servedAt?: ServedAt;
  /** In bytes; undefined: the limit in the settings. */
  readonly bodyLimit?: (ctx: C) => number;
  /**
   * Its answer may repeat what another server said, so secrets are masked in its fields of words (`SAID`). Other fields may be equal
   * to a secret and are stored again by whoever got them: a user `postgres` with the password `postgres`.
   */
  readonly masked?: true;
  /** Checks the request before its body is read; if it sends an answer, the request ends there. */
  readonly beforeBody?: (ctx: C, request: FastifyRequest, reply: FastifyReply) => unknown;
  readonly handle: (ctx: C, call: never) => unknown;
}

/**
 * One request to a route. `query` and `body` are validated by the route's schemas when a handler accesses them, and
 * refused then with all of their problems: handlers access them first, unless another check comes before.
 */
export interface RouteCall<Params, Query, Body> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
}

/** The names after colons, and `*`. */
type ParamName<Url extends string> = Url extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | ParamName<More>
    : Rest
  : Url extends `${string}*`
    ? '*'
    : never;

/** Handlers may return read-only values. In objects that allow further fields, only the named fields are checked. */
type Given<T> = T extends readonly (infer Item)[]
  ? readonly Given<Item>[]
  : T extends object
    ? { readonly [Key in keyof Named<T>]: Given<Named<T>[Key]> }
    : T;
type Named<T> = keyof FieldsOf<T> extends never ? T : FieldsOf<T>;
type FieldsOf<T> = { [Key in keyof T as string extends Key ? never : Key]: T[Key] };

interface RouteSpec<
  C,
  Url extends string,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Answer extends z.ZodType,
> extends Omit<Route<C>, 'url' | 'query' | 'body' | 'answer' | 'handle'> {
  readonly url: Url;
  readonly query?: Later<Query>;
  readonly body?: Later<Body>;
  readonly answer?: Later<Answer>;
  /**
   * Returns the `data` of the answer, or the whole answer of a route without envelope, or the reply if it has sent it
   * itself.
   */
  readonly handle: (
    ctx: C,
    call: RouteCall<{ readonly [Name in ParamName<Url>]: string }, z.output<Query>, z.output<Body>>,
  ) => Sent<NoInfer<Answer>> | Promise<Sent<NoInfer<Answer>>>;
}

type Sent<Answer extends z.ZodType> = Given<z.output<Answer>> | FastifyReply;

/** A route: its address, its required scope, its description, and its handler. */
export function defineRoute<
  Url extends string,
  Query extends z.ZodType = z.ZodNever,
  Body extends z.ZodType = z.ZodNever,
  Answer extends z.ZodType = z.ZodUnknown,
  C = Context,
>(route: RouteSpec<C, Url, Query, Body, Answer>): Route<C> {
  return route;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The description that the route was defined with. */
    route?: RouteDescription;
  }
}

/** The same routes at addresses that start with `prefix`. */
export function below<C>(prefix: string, routes: readonly Route<C>[]): Route<C>[] {
  return routes.map((route) => ({ ...route, url: prefix + route.url }));
}

/** Registers these routes with the server. `ctx` is passed to their handlers. */
export function addRoutes<C>(app: FastifyInstance, ctx: C, routes: readonly Route<C>[]): void {
  for (const route of routes) {
    const { method, url, scope, servedAt, bodyLimit, beforeBody } = route;
    app.route({
      method,
      url,
      config: { scope, route, ...(servedAt && { servedAt }) },
      ...(bodyLimit && { bodyLimit: bodyLimit(ctx) }),
      ...(beforeBody && { onRequest: async (request, reply) => beforeBody(ctx, request, reply) }),
      handler: handlerOf(route, ctx),
    });
  }
}

interface Schemas {
  readonly query: z.ZodType | undefined;
  readonly body: z.ZodType | undefined;
}

function handlerOf<C>(route: Route<C>, ctx: C) {
  const { answer, status } = route;
  let known: Schemas | undefined;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    known ??= await schemasOf(route);
    if (status !== undefined) reply.code(status);
    const handled = await route.handle(ctx, new Reading(route, known, request, reply) as never);
    // An awaited reply resolves to undefined: the handler has sent the answer.
    if (handled === undefined) return reply;
    const given = route.masked ? withMasks(handled, request.server.redactor) : handled;
    if (answer === undefined) return given;
    const bytes = preparedAnswer(given);
    return bytes ? reply.type('application/json; charset=utf-8').send(bytes) : ok(given);
  };
}

/** Fields of answers with what went wrong elsewhere, or what was answered there. */
const SAID: ReadonlySet<string> = new Set(['about', 'message', 'problem', 'reason', 'text', 'why']);

/** `given` may hold objects that are not plain; its JSON does not. */
function withMasks(given: unknown, redactor: Redactor | undefined): unknown {
  if (redactor?.active !== true) return given;
  return JSON.parse(JSON.stringify(given), (name, value: unknown) =>
    SAID.has(name) && typeof value === 'string' ? redactor.text(value) : value,
  );
}

async function schemasOf({ query, body }: RouteDescription): Promise<Schemas> {
  return { query: await query?.(), body: await body?.() };
}

class Reading implements RouteCall<unknown, unknown, unknown> {
  readonly #route: RouteDescription;
  readonly #schemas: Schemas;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;

  constructor(route: RouteDescription, schemas: Schemas, request: FastifyRequest, reply: FastifyReply) {
    this.#route = route;
    this.#schemas = schemas;
    this.request = request;
    this.reply = reply;
  }

  get params(): unknown {
    return this.request.params;
  }

  get query(): unknown {
    return readPart(this.#schemas.query as z.ZodType, this.request.query, 'query');
  }

  get body(): unknown {
    const { body } = this.request;
    return readPart(this.#schemas.body as z.ZodType, this.#route.bodyOptional ? (body ?? {}) : body, 'body');
  }
}
