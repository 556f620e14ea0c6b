import { z } from 'zod';
import { type DataService, WeftError } from '#engine';
import { parseObject } from '../parse-object.ts';
import type { OpenResource } from '../toolbox.ts';
import { checkArguments } from './check-arguments.ts';

/** A resource that is a connection to a database: its name, or an object. `db_name` is DB-GPT's name for it. */
const DataResource = z.object({
  connection: z.string().min(1),
  maxRows: z.int().min(1).max(1000).default(50),
  description: z.string().optional(),
});

const LIMITS = { timeoutMs: 30_000, maxBytes: 1_000_000 };
/** The most tables in one result. */
const TABLES = 12;

const LOOK = {
  type: 'object',
  properties: { question: { type: 'string', description: 'What the tables should be about.' } },
  required: ['question'],
};
const READ = {
  type: 'object',
  properties: { sql: { type: 'string', description: 'One SELECT, without a semicolon.' } },
  required: ['sql'],
};

/** Two tools: one finds the tables for a question, the other reads from them, within the limits of `DataService`. */
export function openDataTool(data: DataService | undefined): OpenResource {
  return ({ name, value }, { by }) => {
    if (data === undefined) throw new WeftError('agent_failed', 'there are no connections without a server');
    const fields = parseObject(value);
    const read = DataResource.safeParse(
      fields
        ? { ...fields, connection: fields['connection'] ?? fields['db_name'] ?? fields['value'] }
        : { connection: value },
    );
    if (!read.success)
      throw new WeftError(
        'agent_failed',
        'its value must be the name of a connection, or { connection, maxRows, description }',
      );
    const { connection, maxRows, description = '' } = read.data;
    const own = name || connection;
    return {
      tools: [
        {
          name: `${own}_tables`,
          description:
            `Finds the tables of ${connection} for a question, with their columns. ${description}`.trim(),
          parameters: LOOK,
          async call(args, _key, signal) {
            checkArguments(LOOK, args);
            const question = String(args['question']).slice(0, 10_000);
            return JSON.stringify(await data.scheme({ connection, question, most: TABLES }, by, signal));
          },
        },
        {
          name: `${own}_read`,
          description:
            `Reads from ${connection} with one SELECT, at most ${maxRows} rows. Find its tables first. ${description}`.trim(),
          parameters: READ,
          async call(args, _key, signal) {
            checkArguments(READ, args);
            const asked = { connection, sql: String(args['sql']), maxRows, ...LIMITS };
            return JSON.stringify(await data.read(asked, by, signal));
          },
        },
      ],
    };
  };
}
