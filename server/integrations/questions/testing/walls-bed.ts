import type { DatabaseKind } from '#shared/connection.ts';
import { limits } from '../../connections/testing/connection-bed.ts';
import type { CatalogTable } from '../read-tables.ts';
import { columns } from './honest.ts';

/** The tables `t` and `u`, as a database of this kind describes them. */
export function catalogOf(kind: DatabaseKind): CatalogTable[] {
  const schema = { postgres: 'public', mysql: 'shop', sqlite: 'main' }[kind];
  return ['t', 'u'].map((name) => ({
    schema,
    name,
    isVisible: true,
    parts: [name],
    links: [],
    columns: columns[kind].map(([column, type]) => ({
      name: column,
      type,
      key: false,
      ...(type === 'place' && { fields: ['street', 'city'] }),
    })),
  }));
}

/** The statement that creates one of these tables. */
export function tableOf(kind: DatabaseKind, name: string): string {
  return `CREATE TABLE ${name} (${columns[kind].map((column) => column.join(' ')).join(', ')})`;
}

/** The number of rows in each of these tables. */
export const someRows = (name: string): string =>
  `INSERT INTO ${name} (a, b, c, d, j) VALUES (1, 'x', 1.5, '2026-01-01 00:00:00', '{"name": "one", "list": [{"id": 1, "name": "n"}]}'),
    (2, 'y', 2.5, '2026-02-01 00:00:00', '{"a": 1}')`;

export const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'passed',
    (error: Error & { code?: string }) => error.code ?? error.message,
  );

/** A time limit below the duration of a statement that only waits. */
export const soon = { ...limits, timeoutMs: 1500 };

/** Statements of a superuser that end the sessions of the test itself, or change its server. */
export const isOutside = (sql: string): boolean =>
  /pg_terminate_backend|weft_attack|pg_promote|pg_reload|pg_rotate|pg_switch|pg_create|pg_logical|pg_stat_reset/i.test(
    sql,
  );
