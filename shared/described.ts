import { z } from 'zod';
import type { JsonSchema } from './json.ts';

/** A column of the rows that a statement gives. */
export const DescribedColumn = z.object({
  name: z.string(),
  /** In the words of the server; `unknown` where it names none. */
  type: z.string(),
  /** False only if the column is never null. */
  nullable: z.boolean(),
  /** JSON Schema of its values in a row, without null. */
  schema: z.custom<JsonSchema>((v) => typeof v === 'object' && v !== null),
});
export type DescribedColumn = z.infer<typeof DescribedColumn>;

/** What a database says of a statement without executing it. */
export const Described = z.discriminatedUnion('is', [
  z.object({ is: z.literal('rows'), columns: z.array(DescribedColumn) }),
  /** The database would not execute it: there is no such column, or its syntax is wrong. */
  z.object({ is: z.literal('refused'), message: z.string() }),
  /** Nothing is known, such as when the database does not answer. */
  z.object({ is: z.literal('unknown'), code: z.string(), message: z.string() }),
]);
export type Described = z.infer<typeof Described>;

/** A statement that the database of a connection was asked about. */
export interface DescribedStatement {
  readonly connection: string;
  readonly sql: string;
  /** It was asked as a change. */
  readonly change?: boolean;
  readonly described: Described;
}

/** Asks about a statement for a node of a flow, whose use the connection must grant. */
export const DescribeBody = z.strictObject({
  /** The id of the flow. */
  flow: z.string().min(1).max(200),
  /** The type of the node's operator, such as `sql.query`. */
  operator: z.string().min(1).max(200),
  sql: z.string().min(1).max(100_000),
  /** Asks whether the database would make the change, not for rows. */
  change: z.boolean().default(false),
});
export type DescribeBody = z.input<typeof DescribeBody>;
