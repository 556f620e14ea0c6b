import type { JsonSchema } from '#shared/json.ts';

/** The part of OpenAPI 3.1 that this server writes. */
export interface OpenApi {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly Tag[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  };
}

/** A group of operations. */
export interface Tag {
  readonly name: string;
  readonly description?: string | undefined;
}

/** Operations by method, in lower case. */
export type PathItem = Record<string, Operation>;

/** An operation, as OpenAPI 3.1 has it. */
export interface Operation {
  readonly operationId: string;
  /** Servers of this path, if they differ from the document's. */
  readonly servers?: readonly { readonly url: string }[] | undefined;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string | undefined;
  readonly parameters?: readonly Parameter[] | undefined;
  readonly requestBody?: RequestBody | undefined;
  readonly responses: Readonly<Record<string, Response>>;
  readonly security: readonly SecurityRequirement[];
  /** The flow that answers. */
  readonly 'x-weft-flow'?: { readonly id: string; readonly version: string; readonly node: string };
}

/** A parameter in the query or the path. */
export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly required: boolean;
  readonly description?: string | undefined;
  readonly schema: JsonSchema;
}

/** Schemas by media type. */
export type Content = Readonly<Record<string, { readonly schema?: JsonSchema | undefined }>>;

/** The body of a request. */
export interface RequestBody {
  readonly required: boolean;
  readonly content: Content;
}

/** An answer. */
export interface Response {
  readonly description: string;
  readonly content?: Content | undefined;
}

/** Names of schemes that are required together, each with its required scopes. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

/** A way to prove who calls. */
export interface SecurityScheme {
  readonly type: 'http' | 'apiKey';
  readonly description: string;
  readonly scheme?: 'bearer' | 'basic';
  readonly in?: 'header' | 'cookie';
  readonly name?: string;
}
