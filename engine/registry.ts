import type { Catalog } from '#shared/catalog.ts';
import type { Operator } from './operator.ts';

/** The operators by type, and their description as JSON. */
export interface Registry {
  readonly operators: ReadonlyMap<string, Operator>;
  readonly catalog: Catalog;
}

export declare function makeRegistry(operators: ReadonlyMap<string, Operator>): Registry;
