import type { z } from 'zod';
import type { ErrorCode } from '#shared/errors.ts';

/**
 * What a route is for, said once: `/openapi.json`, the page on the HTTP API and the tests of bad input read it. The address, the
 * method and the scope are not repeated here, they come from the route itself.
 *
 * The descriptions lie apart from the routes because a server that is never asked for its document must not load the schemas of
 * all answers at its start; `descriptions.test.ts` holds both together.
 */
export interface RouteDescription {
  /** What it does, in a sentence or two; Markdown. */
  readonly summary: string;
  /** A page in `docs/` that says more, without `.md`. */
  readonly guide?: string;
  readonly query?: z.ZodType;
  /** Of a JSON body: the schema that the route reads it with. */
  readonly body?: z.ZodType;
  /** May be left out altogether. */
  readonly bodyOptional?: boolean;
  /** What else than JSON is read. */
  readonly uploads?: readonly string[];
  /** `data` of a good answer in the envelope. */
  readonly data?: z.ZodType;
  /** A good answer without the envelope, by its media type; undefined where a schema has nothing to say. */
  readonly content?: Readonly<Record<string, z.ZodType | undefined>>;
  /** Of a good answer; 200 when absent. */
  readonly status?: 201 | 202 | 303;
  /** Codes of its own, besides those that every route of its kind has. */
  readonly errors?: readonly ErrorCode[];
}

/** Routes by `METHOD address`, as they are declared. */
export type RouteDescriptions = Readonly<Record<string, RouteDescription>>;

export interface RouteGroup {
  /** Its heading. */
  readonly tag: string;
  readonly routes: RouteDescriptions;
}
