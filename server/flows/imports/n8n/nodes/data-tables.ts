import { isRecord } from '#shared/json.ts';
import type { Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import type { Port } from '../graph.ts';
import { itemwise, spreadItems } from '../items.ts';
import { gives, type Given } from '../job.ts';
import { asText } from '../params.ts';

/** Data tables, which n8n keeps itself. */

function required(context: Context): Port {
  const input = context.input();
  if (input === undefined) throw new NotHere('nothing leads to it');
  return input;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Conditions of a data table: what is compared, and how. */
const COMPARED: Readonly<Record<string, string>> = {
  eq: '=',
  neq: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  like: 'LIKE',
  ilike: 'ILIKE',
};

function conditionsOf(context: Context, values: Record<string, unknown>): string {
  const { params } = context;
  const reads = context.reads(required(context));
  const glue = (params.text('matchType') ?? 'anyCondition') === 'allConditions' ? ' AND ' : ' OR ';
  const parts = params.list('filters.conditions').map((one, i) => {
    const column = quoted(asText(one['keyName'] ?? 'id'));
    const how = asText(one['condition'] ?? 'eq');
    if (how === 'isEmpty') return `${column} IS NULL`;
    if (how === 'isNotEmpty') return `${column} IS NOT NULL`;
    if (how === 'isTrue' || how === 'isFalse') return `${column} = ${how === 'isTrue' ? 'TRUE' : 'FALSE'}`;
    const sign = COMPARED[how];
    if (sign === undefined) throw new NotHere(`it compares by “${how}”`, ['sql.query']);
    values[`f${i + 1}`] = context.value(one['keyValue'] ?? '', reads);
    return `${column} ${sign} :f${i + 1}`;
  });
  return parts.length === 0 ? '' : ` WHERE ${parts.join(glue)}`;
}

/** The name of the table, of which a list of the editor has written its id too. */
function tableOf({ params, step }: Context, operation: string): string {
  const locator = step.parameters['dataTableId'];
  const resource = params.text('resource') ?? 'row';
  params.skip(
    'resource',
    'dataTableId',
    'columns.schema',
    'columns.matchingColumns',
    'columns.attemptToConvertTypes',
    'columns.convertFieldsToString',
    'options.optimizeBulk',
  );
  const given = isRecord(locator) ? (locator['cachedResultName'] ?? locator['value']) : locator;
  const table = asText(given ?? '');
  const ways = ['sql.query', 'sql.execute'];
  if (resource !== 'row') throw new NotHere(`it does “${resource} ${operation}”`, ways);
  if (table === '' || table.startsWith('=')) throw new NotHere('its table is not named', ways);
  return table;
}

/** A data table is a table of a database here, with the same columns. */
function dataTable(context: Context): Given {
  const { params, job } = context;
  const input = required(context);
  const operation = params.text('operation') ?? 'insert';
  const table = tableOf(context, operation);
  const values: Record<string, unknown> = {};
  const made = DATA_TABLES[operation];
  if (!made) throw new NotHere(`it does “${operation}”`, ['sql.query', 'sql.execute']);
  const statement = made(context, quoted(table), values);
  const connection = job.connection('data tables', 'postgres');
  context.changed('data', 'Its rows are not in the file: make the table, and put them into it.', {
    before: table,
  });
  const isRead = statement.startsWith('SELECT');
  const id = itemwise(
    context,
    input,
    {
      operator: isRead ? 'sql.query' : 'sql.execute',
      params: { connection, sql: statement, ...(Object.keys(values).length > 0 && { params: values }) },
    },
    { atOnce: 1 },
  );
  job.report.use('connection', connection, id);
  const port = context.port(id, 'out', { card: input.card });
  return operation === 'rowExists' || operation === 'rowNotExists'
    ? ifThere(context, port, operation === 'rowExists')
    : gives(spreadItems(context, port, input.card, isRead ? undefined : 'one => one?.rows ?? one'));
}

/** The item goes on if there is such a row, or if there is none. */
function ifThere(context: Context, counts: Port, isThere: boolean): Given {
  const { step } = context;
  const input = context.input() as Port;
  const isList = input.card === 'many';
  const found = `(number(${isList ? 'input[at]' : 'input'}?.[0]?.rows) > 0) == ${isThere}`;
  const value = isList
    ? `{{ ${input.expr}.filter((one, at) => ${found}) }}`
    : `{{ ${found} ? [${input.expr}] : [] }}`;
  const kept = context.add(`${step.name} items`, { operator: 'core.map', params: { value } });
  context.wire(counts, `${kept}.in`);
  return gives(context.port(kept, 'out', { card: 'many', mayBeEmpty: true, aligned: new Set([step.name]) }));
}

function rowValues(context: Context, values: Record<string, unknown>): string[] {
  const { params } = context;
  const reads = context.reads(required(context));
  if ((params.text('columns.mappingMode') ?? 'defineBelow') !== 'defineBelow')
    throw new NotHere('it takes the columns of whatever comes', ['sql.execute with the columns written out']);
  const given = params.get('columns.value');
  const pairs = isRecord(given) ? Object.entries(given).filter(([, one]) => one !== null) : [];
  if (pairs.length === 0) throw new NotHere('its columns are not set', ['sql.execute']);
  pairs.forEach(([, one], i) => {
    values[`c${i + 1}`] = context.value(one, reads);
  });
  return pairs.map(([name]) => name);
}

const DATA_TABLES: Readonly<
  Record<string, (context: Context, table: string, values: Record<string, unknown>) => string>
> = {
  get(context, table, values) {
    const { params } = context;
    const limit = params.flag('returnAll') ? '' : ` LIMIT ${params.number('limit') ?? 50}`;
    return `SELECT * FROM ${table}${conditionsOf(context, values)}${limit}`;
  },
  rowExists: (context, table, values) =>
    `SELECT count(*) AS rows FROM ${table}${conditionsOf(context, values)}`,
  rowNotExists: (context, table, values) =>
    `SELECT count(*) AS rows FROM ${table}${conditionsOf(context, values)}`,
  insert(context, table, values) {
    const columns = rowValues(context, values);
    return `INSERT INTO ${table} (${columns.map(quoted).join(', ')}) VALUES (${columns.map((_, i) => `:c${i + 1}`).join(', ')}) RETURNING *`;
  },
  update(context, table, values) {
    const columns = rowValues(context, values);
    return `UPDATE ${table} SET ${columns.map((name, i) => `${quoted(name)} = :c${i + 1}`).join(', ')}${conditionsOf(context, values)} RETURNING *`;
  },
  upsert(context, table, values) {
    const columns = rowValues(context, values);
    const set = columns.map((name, i) => `${quoted(name)} = :c${i + 1}`).join(', ');
    const list = columns.map(quoted).join(', ');
    const row = columns.map((_, i) => `:c${i + 1}`).join(', ');
    const where = conditionsOf(context, values);
    return `WITH changed AS (UPDATE ${table} SET ${set}${where} RETURNING *), added AS (INSERT INTO ${table} (${list}) SELECT ${row} WHERE NOT EXISTS (SELECT 1 FROM changed) RETURNING *) SELECT * FROM changed UNION ALL SELECT * FROM added`;
  },
  deleteRows: (context, table, values) => `DELETE FROM ${table}${conditionsOf(context, values)} RETURNING *`,
};

export const dataTableEntries: readonly Entry[] = [
  {
    kind: 'dataTable',
    word: 'close',
    becomes: '`sql.query`, `sql.execute`',
    difference:
      'The table has to be made in a PostgreSQL database, with the columns id, createdAt and updatedAt where they are read.',
    convert: dataTable,
  },
];
