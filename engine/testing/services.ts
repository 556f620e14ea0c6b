import type { ChatItem } from '#shared/chat-item.ts';
import { exampleInput } from '#shared/example-input.ts';
import type { WaitAsk } from '#shared/wait.ts';
import { WeftError } from '../base/errors.ts';
import { writeJson } from '../operators/_write-json.ts';
import { exampleConnections } from './connections.ts';
import { exampleDocuments, exampleKnowledge } from './documents.ts';
import { exampleFiles, exampleFolders } from './files.ts';
import { exampleMcp } from './mcp.ts';
import type {
  AgentCall,
  CodeCall,
  HttpRequest,
  HttpResponse,
  ModelCall,
  Services,
  SubFlowCall,
} from '../base/services.ts';
import type { DataService } from '../base/data-service.ts';
import type { SqlService } from '../base/sql-service.ts';

/**
 * Services for the examples of operators, which are tests too: three flows that end at once, a store with one value in it, a
 * server that echoes its request, any secret, the HTTP service `crm`, the database `shop` with three customers, and the Redis
 * `cache`. They are new for each call, so that an example always gives the same result.
 */
export function exampleServices(): Services {
  const store = new Map<string, unknown>([['flow greeting', 'Hello']]);
  const files = exampleFiles();
  return {
    files,
    folders: exampleFolders(files),
    documents: exampleDocuments,
    knowledge: exampleKnowledge,
    flows: { run: runExampleFlow },
    agents: { run: answerAsExample },
    http: { send: answerExample },
    code: { run: runExampleCode, stream: streamExampleCode },
    models: {
      chat: echoed,
      embed: async () => ({ vectors: [], usage: { inputTokens: 0, outputTokens: 0 } }),
    },
    waits: {
      linkTo: async (node, { run }, to) =>
        `https://example.com/wait/${run}.${node}${to === 'program' ? '/call' : ''}?token=x`,
      ask: async () => undefined,
    },
    rates: {
      take: async ({ name, mayWaitMs }) => {
        const waitMs = name.includes('busy') ? 3_600_000 : 0;
        return { granted: waitMs <= mayWaitMs, waitMs };
      },
      giveBack: () => {},
    },
    secrets: { reveal: async (name) => `the secret ${name}` },
    sql: exampleSql,
    data: exampleData,
    connections: exampleConnections,
    mcp: exampleMcp,
    state: {
      get: async (scope, key) => store.get(`${scope} ${key}`),
      async set(scope, key, value) {
        store.set(`${scope} ${key}`, value);
      },
      async add(scope, key, by) {
        const before = store.get(`${scope} ${key}`) ?? 0;
        if (typeof before !== 'number') throw new WeftError('bad_state', 'It is no number.');
        store.set(`${scope} ${key}`, before + by);
        return before + by;
      },
    },
  };
}

/** The answers in examples: Ada approves, and fills in forms with fitting values, which calls and events bring too. */
export function exampleAnswer(ask: unknown): unknown {
  const { kind, schema } = ask as WaitAsk;
  const given = { by: 'Ada', via: 'session', at: '1970-01-01T00:00:00.000Z', comment: '' } as const;
  if (kind === 'approval') return { decision: 'approved', ...given };
  const everyField = schema && { ...schema, required: Object.keys(schema['properties'] ?? {}) };
  const decision = kind === 'form' ? 'submitted' : 'received';
  return { decision, ...given, data: exampleInput(everyField ?? {}) };
}

/** One agent that repeats its input. */
async function* answerAsExample({ who, input }: AgentCall): AsyncGenerator<ChatItem> {
  if (typeof who === 'string') throw new WeftError('app_not_found', `There is no app ${who}.`);
  yield { type: 'speaker', sender: who.name, receiver: 'User', model: who.model ?? null };
  yield { type: 'text', text: input.text };
  const usage = { inputTokens: 1, outputTokens: 1 };
  yield { type: 'finish', reason: 'stop', usage, model: 'demo/echo' };
}

function runExampleFlow({ flow, input }: SubFlowCall): unknown {
  if (flow === 'echo') return input;
  if (flow === 'refuse') throw new WeftError('stopped', 'It was to be.');
  if (typeof input === 'number') return input * 2;
  throw new WeftError('bad_input', 'There is no double of it.');
}

const customers = [
  { id: 1, name: 'Ada', city: 'London' },
  { id: 2, name: 'Émilie', city: 'Paris' },
  { id: 3, name: 'Mary', city: 'London' },
];

/** Understands no SQL: it looks for customers of a city, and every change changes one row. */
const exampleSql: SqlService = {
  async query({ connection, params }, _by, signal) {
    await Promise.resolve();
    signal.throwIfAborted();
    checkShop(connection);
    return customers.filter(({ city }) => city === params['city']).map(({ id, name }) => ({ id, name }));
  },
  async *stream({ connection, params }) {
    checkShop(connection);
    for (const { id, name, city } of customers) if (city === params['city']) yield { id, name };
  },
  async execute({ connection, statements }, _by, signal) {
    await Promise.resolve();
    signal.throwIfAborted();
    checkShop(connection);
    return statements.map(() => ({ count: 1, rows: [] }));
  },
};

const exampleData: DataService = {
  async scheme({ connection }, _by, signal) {
    await Promise.resolve();
    signal.throwIfAborted();
    checkShop(connection);
    const columns = ['id', 'name', 'city'].map((name) => ({ name, type: 'TEXT', key: name === 'id' }));
    return { dialect: 'SQLite', tables: [{ parts: ['customers'], columns, links: [] }], others: 0 };
  },
  async read({ connection }, _by, signal) {
    await Promise.resolve();
    signal.throwIfAborted();
    checkShop(connection);
    return { rows: customers, more: false };
  },
};

function checkShop(connection: string): void {
  if (connection !== 'shop')
    throw new WeftError('connection_missing', `There is no connection ${connection}.`);
}

/** Aborts as a real server would; there is nothing below `/404`. */
async function answerExample(
  { method, url: given, connection, body }: HttpRequest,
  _by: unknown,
  signal: AbortSignal,
): Promise<HttpResponse> {
  await Promise.resolve();
  signal.throwIfAborted();
  if (connection !== undefined && connection !== 'crm')
    throw new WeftError('connection_missing', `There is no connection ${connection}.`);
  const url = connection === undefined ? given : `https://crm.example.com${given}`;
  const status = url.endsWith('/404') ? 404 : 200;
  const text = JSON.stringify({ method, url, ...(typeof body === 'string' && { body }) });
  return { status, headers: { 'content-type': 'application/json' }, url, body: pieces(text) };
}

async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

/** Without any sandbox: the code of examples is our own. */
async function runExampleCode({ code, input, context }: CodeCall): Promise<unknown> {
  context.signal.throwIfAborted();
  const { constructor } = Object.getPrototypeOf(runExampleCode) as { constructor: FunctionConstructor };
  try {
    return (await constructor('input', 'ctx', code.source)(copy(input), context)) ?? null;
  } catch (error) {
    throw error instanceof WeftError ? error : new WeftError('code_failed', String(error));
  }
}

async function* streamExampleCode({ code, input, context }: CodeCall): AsyncGenerator<unknown> {
  context.signal.throwIfAborted();
  const { constructor } = Object.getPrototypeOf(streamExampleCode) as { constructor: FunctionConstructor };
  try {
    yield* constructor('input', 'ctx', code.source)(input, context) as AsyncIterable<unknown>;
  } catch (error) {
    throw error instanceof WeftError ? error : new WeftError('code_failed', String(error));
  }
}

/** Like the demo provider's `echo`; a test of the server keeps the two equal. */
async function* echoed(
  { messages, schema }: ModelCall,
  _by: unknown,
  signal: AbortSignal,
): AsyncGenerator<ChatItem> {
  await Promise.resolve();
  signal.throwIfAborted();
  const words = (text: string): string[] => text.match(/\s*\S+/g) ?? [];
  const asked = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  const said = words(schema ? JSON.stringify(exampleInput(schema) ?? null) : asked);
  for (const text of said) yield { type: 'text', text };
  const inputTokens = messages.reduce((sum, { content }) => sum + words(content).length, 0);
  yield {
    type: 'finish',
    reason: 'stop',
    usage: { inputTokens, outputTokens: said.length },
    model: 'demo/echo',
  };
}

function copy(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(writeJson(value)) as unknown);
}
