import type { Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import { isExpression, piecesOf } from '../expressions/templates.ts';
import { following, type Port } from '../graph.ts';
import { itemwise, spreadItems } from '../items.ts';
import { gives, type Given } from '../job.ts';
import { asText } from '../params.ts';

/** Databases and mail: nodes with a connection. */

function required(context: Context): Port {
  const input = context.input();
  if (input === undefined) throw new NotHere('nothing leads to it');
  return input;
}

function connectionOf({ job, step }: Context, type: string): string {
  const [first] = step.credentials;
  return job.connection(first?.name ?? type, first?.type ?? type);
}

const READS = /^\s*(?:--[^\n]*\n\s*)*(?:select|with|show|explain|values)\b/i;

/** SQL with expressions in it becomes SQL with params: a value is never a part of the statement. */
function statementOf(context: Context, given: unknown): { sql: string; params: Record<string, unknown> } {
  const reads = context.reads(required(context));
  const text = asText(given ?? '');
  if (!isExpression(text)) return { sql: text, params: {} };
  const params: Record<string, unknown> = {};
  const pieces = piecesOf(text);
  const [only] = pieces;
  if (pieces.length === 1 && only && 'source' in only)
    throw new NotHere('its whole statement is an expression', ['sql.query with a statement and params']);
  const parts = pieces.map((piece, i) => {
    if ('text' in piece) return piece.text;
    const name = `p${Object.keys(params).length + 1}`;
    params[name] = context.value(`={{${piece.source}}}`, reads);
    // Quotes around it belong to a text; a param has none.
    return pieces[i - 1] && `:${name}`;
  });
  return { sql: unquoted(parts.map((part) => part ?? ':p1').join('')), params };
}

const unquoted = (sql: string): string =>
  sql.replaceAll(/'(:p\d+)'|"(:p\d+)"/g, (_, one: string, other: string) => one ?? other);

/** `$1`, `$2` with values that are given beside the statement. */
function numbered(context: Context, sql: string, params: Record<string, unknown>): string {
  const given =
    context.params.get('options.queryReplacement') ?? context.params.get('additionalFields.queryParams');
  if (typeof given !== 'string' || given === '') return sql;
  const reads = context.reads(required(context));
  const whole = isExpression(given) ? given.slice(1) : given;
  const values = whole.split(/,(?![^{]*\}\})/).map((one) => one.trim());
  values.forEach((one, i) => {
    params[`v${i + 1}`] = context.value(one.includes('{{') ? `=${one}` : one, reads);
  });
  return sql.replaceAll(/\$(\d+)(?::\w+)?/g, (mark, n: string) =>
    Number(n) <= values.length ? `:v${n}` : mark,
  );
}

export function sql(context: Context): Given {
  const { params, step } = context;
  const input = required(context);
  const operation = params.text('operation') ?? (step.version < 2 ? 'insert' : 'insert');
  params.skip('resource', 'options.connectionTimeout', 'options.largeNumbersOutput', 'options.nodeVersion');
  const batching = params.text('options.queryBatching');
  if (batching === 'transaction')
    context.changed('setting', 'The statements of its items were one transaction; here each is its own.', {
      before: batching,
      lost: true,
    });
  const { statement, values } = operation === 'executeQuery' ? queryOf(context) : tableOf(context, operation);
  const connection = connectionOf(context, step.kind);
  const isRead = READS.test(statement);
  const node = {
    operator: isRead ? 'sql.query' : 'sql.execute',
    params: { connection, sql: statement, ...(Object.keys(values).length > 0 && { params: values }) },
  };
  const id = itemwise(context, input, node, { atOnce: 1 });
  context.job.report.use('connection', connection, id);
  const port = context.port(id, 'out', { card: input.card });
  if (isRead || /\breturning\b/i.test(statement))
    return gives(spreadItems(context, port, input.card, isRead ? undefined : 'one => one?.rows ?? one'));
  return gives({ ...port, ...following(input, step.name) });
}

interface Statement {
  readonly statement: string;
  readonly values: Record<string, unknown>;
}

function queryOf(context: Context): Statement {
  const { sql: text, params: values } = statementOf(context, context.params.get('query'));
  return { statement: numbered(context, text, values), values };
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Reading and changing a table without SQL. */
function tableOf(context: Context, operation: string): Statement {
  const { params, step } = context;
  const name = (given: string): string =>
    step.kind === 'mySql' ? `\`${given.replaceAll('`', '``')}\`` : quoted(given);
  const table = asText(params.get('table') ?? '');
  const schema = step.kind === 'mySql' ? undefined : params.text('schema');
  if (table === '' || table.startsWith('='))
    throw new NotHere('the name of its table is worked out at run time', ['sql.query']);
  const whole = schema === undefined ? name(table) : `${name(schema)}.${name(table)}`;
  const values: Record<string, unknown> = {};
  const make = STATEMENTS[operation];
  if (!make) throw new NotHere(`it does “${operation}”`, ['sql.execute']);
  return { statement: make(context, { whole, name, values }), values };
}

interface Table {
  readonly whole: string;
  /** Quotes a name. */
  readonly name: (given: string) => string;
  /** Takes the values of the statement. */
  readonly values: Record<string, unknown>;
}

const STATEMENTS: Readonly<Record<string, (context: Context, table: Table) => string>> = {
  select(context, table) {
    const { params } = context;
    const limit = params.flag('returnAll') ? '' : ` LIMIT ${params.number('limit') ?? 50}`;
    const order = params
      .list('sort.values')
      .map(
        (one) => `${table.name(asText(one['column'] ?? ''))} ${one['direction'] === 'DESC' ? 'DESC' : 'ASC'}`,
      );
    const sorted = order.length > 0 ? ` ORDER BY ${order.join(', ')}` : '';
    return `SELECT * FROM ${table.whole}${filterOf(context, table)}${sorted}${limit}`;
  },
  deleteTable(context, table) {
    const command = context.params.text('deleteCommand') ?? 'truncate';
    if (command !== 'delete') throw new NotHere(`it does “${command}” with a whole table`, ['sql.execute']);
    return `DELETE FROM ${table.whole}${filterOf(context, table)}`;
  },
  insert(context, { whole, name, values }) {
    const columns = columnsOf(context, values);
    return `INSERT INTO ${whole} (${columns.map((one) => name(one)).join(', ')}) VALUES (${columns.map((_, i) => `:c${i + 1}`).join(', ')})`;
  },
};

function filterOf(context: Context, { name, values }: Table): string {
  const { params } = context;
  const reads = context.reads(required(context));
  const where = params.list('where.values').map((one, i) => {
    const condition = asText(one['condition'] ?? 'equal');
    const sign = SIGNS[condition];
    if (sign === undefined) throw new NotHere(`its condition is “${condition}”`, ['sql.query']);
    const column = name(asText(one['column'] ?? ''));
    if (sign.endsWith('NULL')) return `${column} ${sign}`;
    values[`w${i + 1}`] = context.value(one['value'], reads);
    return `${column} ${sign} :w${i + 1}`;
  });
  const glue = params.text('combineConditions') === 'OR' ? ' OR ' : ' AND ';
  return where.length === 0 ? '' : ` WHERE ${where.join(glue)}`;
}

const SIGNS: Readonly<Record<string, string>> = {
  equal: '=',
  '!=': '<>',
  LIKE: 'LIKE',
  '>': '>',
  '<': '<',
  '>=': '>=',
  '<=': '<=',
  'IS NULL': 'IS NULL',
  'IS NOT NULL': 'IS NOT NULL',
};

function columnsOf(context: Context, values: Record<string, unknown>): string[] {
  const { params } = context;
  const reads = context.reads(required(context));
  params.skip(
    'columns.schema',
    'columns.mappingMode',
    'columns.matchingColumns',
    'columns.attemptToConvertTypes',
    'columns.convertFieldsToString',
    'dataMode',
  );
  const mapped = params.get('columns.value');
  const pairs: [string, unknown][] =
    typeof mapped === 'object' && mapped !== null
      ? Object.entries(mapped)
      : params.list('valuesToSend.values').map((one) => [asText(one['column'] ?? ''), one['value']]);
  const named =
    typeof params.get('columns') === 'string'
      ? asText(params.get('columns'))
          .split(',')
          .map((one) => one.trim())
          .filter(Boolean)
      : [];
  const all =
    pairs.length > 0
      ? pairs
      : named.map((one): [string, unknown] => [one, `={{ $json[${JSON.stringify(one)}] }}`]);
  if (all.length === 0)
    throw new NotHere('it takes the columns of whatever comes', ['sql.execute with the columns written out']);
  all.forEach(([, value], i) => {
    values[`c${i + 1}`] = context.value(value, reads);
  });
  return all.map(([column]) => column);
}

function redis(context: Context): Given {
  const { params, step } = context;
  const input = required(context);
  const reads = context.reads(input);
  const operation = params.text('operation') ?? 'info';
  const connection = connectionOf(context, 'redis');
  const key = context.text(params.get('key') ?? '', reads);
  const type = params.text('keyType') ?? 'automatic';
  if (type !== 'automatic' && type !== 'string')
    throw new NotHere(`its key holds a ${type}`, ['redis.get and redis.set of a text', 'code.run']);
  const passed = {
    card: input.card,
    mayBeEmpty: input.mayBeEmpty,
    ...following(input, step.name),
  };
  if (operation === 'set') {
    const ttl = params.flag('expire') ? { ttlMs: Math.max(1, params.number('ttl') ?? 60) * 1000 } : {};
    params.skip('ttl');
    const id = itemwise(context, input, {
      operator: 'redis.set',
      params: { connection, key, value: context.value(params.get('value'), reads), ...ttl },
    });
    context.job.report.use('connection', connection, id);
    return { outputs: [input], item: input };
  }
  if (operation !== 'get')
    throw new NotHere(`it does “${operation}”`, ['redis.get and redis.set', 'state.add, to count']);
  const id = itemwise(context, input, { operator: 'redis.get', params: { connection, key } });
  context.job.report.use('connection', connection, id);
  const name = params.text('propertyName') ?? 'propertyName';
  const made = context.add(`${step.name} item`, {
    operator: 'core.map',
    params: { value: `{{ { ${JSON.stringify(name)}: input } }}` },
    ...(input.card === 'many' && { each: {} }),
  });
  context.wire(`${id}.out`, `${made}.in`);
  return gives(context.port(made, 'out', passed));
}

function emailSend(context: Context): Given {
  const { params, step } = context;
  const input = required(context);
  const reads = context.reads(input);
  if ((params.text('operation') ?? 'send') !== 'send')
    throw new NotHere('it sends a mail and waits for the answer', ['human.approval with mail.send']);
  const connection = connectionOf(context, 'smtp');
  const format = params.text('emailFormat') ?? (step.version >= 2 ? 'html' : undefined);
  params.skip('resource', 'options.appendAttribution', 'options.allowUnauthorizedCerts', 'emailFormat');
  const optional = (name: string, ...paths: string[]): Record<string, unknown> => {
    const given = paths.map((path) => params.get(path)).find((one) => one !== undefined && one !== '');
    return given === undefined ? {} : { [name]: context.text(given, reads) };
  };
  const files = asText(params.get('options.attachments') ?? params.get('attachments') ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
  const node = {
    operator: 'mail.send',
    params: {
      connection,
      ...optional('from', 'fromEmail'),
      ...optional('to', 'toEmail'),
      ...optional('cc', 'options.ccEmail', 'ccEmail'),
      ...optional('bcc', 'options.bccEmail', 'bccEmail'),
      ...optional('replyTo', 'options.replyTo'),
      ...optional('subject', 'subject'),
      ...(format === 'text' ? {} : optional('html', 'html')),
      ...(format === 'html' ? {} : optional('text', 'text')),
      ...(files.length > 0 && {
        attachments: `{{ compact([${files.map((name) => `input?.[${JSON.stringify(name)}]`).join(', ')}]) }}`,
      }),
    },
  };
  const id = itemwise(context, input, node, { atOnce: 1 });
  context.job.report.use('connection', connection, id);
  return gives(
    context.port(id, 'out', {
      card: input.card,
      mayBeEmpty: input.mayBeEmpty,
      ...following(input, step.name),
    }),
  );
}

function emailRead(context: Context): Given {
  const { params, step } = context;
  const connection = connectionOf(context, 'imap');
  params.skip('options.forceReconnect');
  const format = params.text('format') ?? 'simple';
  if (format === 'raw') throw new NotHere('it gives mails as they were sent, in one text', ['trigger.mail']);
  const prefix = params.text('dataPropertyAttachmentsPrefixName') ?? 'attachment_';
  const hasFiles = params.flag('downloadAttachments') || format === 'resolved';
  if (params.text('postProcessAction') === 'read') params.skip('postProcessAction');
  const rules = asText(params.get('options.customEmailConfig') ?? '');
  if (rules.length > 0 && !/^\["UNSEEN"\]$/.test(rules.replaceAll(/\s/g, '')))
    context.changed('setting', 'Its own rules of IMAP are not kept; choose by sender and subject.', {
      before: rules,
      lost: true,
    });
  const trigger = context.add(step.name, {
    operator: 'trigger.mail',
    params: { connection, mailbox: params.text('mailbox') ?? 'INBOX', unread: true },
  });
  const item = context.add(`${step.name} item`, {
    operator: 'core.map',
    params: {
      value: `{{ { ...input, textPlain: input?.text, textHtml: input?.html${
        hasFiles
          ? `, ...fromEntries((input?.attachments ?? []).map((one, at) => [${JSON.stringify(prefix)} + at, one]))`
          : ''
      } } }}`,
    },
  });
  context.wire(`${trigger}.out`, `${item}.in`);
  context.job.report.use('connection', connection, trigger);
  return gives(
    context.port(item, 'out', { card: 'one', aligned: new Set([step.name]), triggers: new Set([step.name]) }),
  );
}

function feedTrigger(context: Context): Given {
  const { params, step } = context;
  params.skip('pollTimes');
  const id = context.add(step.name, {
    operator: 'trigger.feed',
    params: { url: asText(params.get('feedUrl') ?? 'https://feed.invalid') },
  });
  return gives(
    context.port(id, 'out', { card: 'one', aligned: new Set([step.name]), triggers: new Set([step.name]) }),
  );
}

const WITH_PARAMS =
  'Values in SQL become params of the statement; upserts and updates without SQL are placeholders.';

export const databaseEntries: readonly Entry[] = [
  {
    kind: 'postgres',
    versions: '1 to 2.6',
    word: 'equal',
    becomes: '`sql.query`, `sql.execute`',
    difference: WITH_PARAMS,
    convert: sql,
  },
  {
    kind: 'mySql',
    versions: '1 to 2.5',
    word: 'equal',
    becomes: '`sql.query`, `sql.execute`',
    difference: WITH_PARAMS,
    convert: sql,
  },
  {
    kind: 'timescaleDb',
    word: 'equal',
    becomes: '`sql.query`, `sql.execute`',
    difference: WITH_PARAMS,
    convert: sql,
  },
  {
    kind: 'crateDb',
    word: 'close',
    becomes: '`sql.query`, `sql.execute`',
    difference: WITH_PARAMS,
    convert: sql,
  },
  {
    kind: 'redis',
    word: 'close',
    becomes: '`redis.get`, `redis.set`',
    difference: 'Lists, counters, patterns and messages are placeholders.',
    convert: redis,
  },
  { kind: 'emailSend', versions: '1 to 2.1', word: 'equal', becomes: '`mail.send`', convert: emailSend },
  {
    kind: 'emailReadImap',
    versions: '1 to 2',
    word: 'close',
    becomes: '`trigger.mail`',
    difference: 'Mails stay as they are unless mail.change marks them.',
    convert: emailRead,
  },
  {
    kind: 'rssFeedReadTrigger',
    word: 'close',
    becomes: '`trigger.feed`',
    difference: 'It is read every 15 minutes unless another time is set.',
    convert: feedTrigger,
  },
];
