import { z } from 'zod';
import { ID_PATTERN } from '#shared/flow.ts';
import type { TypeRule } from '#shared/type-rule.ts';
import { literal } from '../../base/operator.ts';

/** The connection by its name. It is fixed, so that it is known before a run who uses what. */
export const connectionParam = literal(
  z
    .string()
    .regex(ID_PATTERN)
    .describe('The name of a connection to a database.')
    .meta({ widget: 'connection' }),
);

/** A statement: no expression can compute it, so a value never becomes part of it. */
const statement = z
  .string()
  .min(1)
  .max(100_000)
  .describe(
    'One statement. `:name` stands for the value of that name in `params`; a value is never part of the text.',
  );

export const statementParam = literal(
  statement.meta({
    widget: 'sql',
    title: 'SQL',
    says: 'write a statement, such as SELECT * FROM orders',
  }),
);

/** The same of a node that changes something. */
export const changeParam = literal(
  statement.meta({
    widget: 'sql',
    title: 'SQL',
    says: 'write a statement, such as INSERT INTO orders (id) VALUES (:id)',
    placeholder: 'INSERT INTO … VALUES (:id, :name)',
  }),
);

export const valuesParam = z
  .record(z.string(), z.unknown())
  .default({})
  .describe(
    'The values, by name. A list in `IN (:name)` stands for its items; other lists and objects are sent as lists of the database or as JSON. A file is sent as its bytes, and so is `{ "$bytes": "…" }` with a text in base64.',
  )
  .meta({ title: 'Parameters' });

/** The form of bytes in rows. */
export const bytesParam = z
  .enum(['base64', 'object'])
  .default('base64')
  .describe(
    'How rows hold bytes. base64: as a text. object: as `{ "$bytes": "…" }` with this text, which is how a value for a statement holds bytes too.',
  )
  .meta({ title: 'Bytes' });

const timeoutMs = z
  .int()
  .min(1)
  .max(3_600_000)
  .default(30_000)
  .describe(
    'Time limit in milliseconds, including the wait for a connection. In a stream it applies to each piece.',
  );

export const limitParams = {
  timeoutMs,
  maxRows: z.int().min(1).max(1_000_000).default(10_000).describe('More rows are an error.'),
  maxBytes: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .default(10_000_000)
    .describe('Most bytes that are read from the database; more are an error.'),
};

/** The type of a row of the statement. */
export const rowRule: TypeRule = { rowOf: { connectionIn: 'connection', statementIn: 'sql' } };

/** An example of a statement that returns rows. */
export const customersExample = {
  title: 'Customers of a city',
  params: {
    connection: 'shop',
    sql: 'SELECT id, name FROM customers WHERE city = :city ORDER BY id',
    params: { city: 'London' },
  },
  outputs: {
    out: [
      { id: 1, name: 'Ada' },
      { id: 3, name: 'Mary' },
    ],
  },
};
