import type { JsonSchema } from '#shared/json.ts';

/** A call that a description offers. */
export interface Offered {
  readonly id: string;
  readonly title: string;
  readonly doc: string;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly tags: readonly string[];
  /** The vendor advises against it. */
  readonly isOld: boolean;
}

/** A call as a file of a service has it; the schema of files checks it. */
export interface MadeCall extends Offered {
  readonly parameters: readonly {
    readonly name: string;
    readonly wire?: string;
    readonly in: string;
    readonly doc: string;
    readonly schema: JsonSchema;
    readonly required: boolean;
    readonly list?: string;
  }[];
  readonly body?: object;
  readonly answer: object;
  readonly pages?: object;
  readonly query?: object;
  readonly idempotency?: object;
  readonly failure: JsonSchema;
}

/** The description of an API, read. */
export interface Described {
  readonly form: 'openapi' | 'discovery';
  readonly title: string;
  readonly doc: string;
  readonly version: string;
  readonly page: string | undefined;
  readonly base: string;
  readonly variables: Readonly<Record<string, object>>;
  readonly offered: readonly Offered[];
  make(wanted: ReadonlySet<string>): {
    readonly calls: readonly MadeCall[];
    readonly connect: readonly object[];
    readonly definitions: Readonly<Record<string, JsonSchema>>;
    readonly errors: object;
  };
}
