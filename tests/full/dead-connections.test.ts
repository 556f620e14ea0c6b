import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { readGitAddress } from '../../server/base/config/git-address.ts';
import type { GitAddress } from '../../server/base/config/git-address.ts';
import { createRunGit, gitError } from '../../server/flows/service/git/run-git.ts';
import type { RunEvent } from '#shared/run-event.ts';
import { type Answer, call, type Owner, signIn } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { type Fault, type FaultyPort, openFaultyPort } from '../support/faulty-port.ts';
import { httpTrigger, type NodeJson } from '../support/flows.ts';
import { codeOf } from '../support/leaks.ts';
import { metric } from '../support/metrics.ts';
import { discard, startServer, tempFolder, type TestServer } from '../support/server.ts';

/**
 * Whatever a flow connects to, and whatever becomes of the connection: the run gets a coded error in time, and nothing else happens
 * to the server. `busy`: the one connection that the settings of this server allow is in use.
 */
const FAULTS = ['closed', 'reset', 'reset-late', 'dropped', 'silent', 'slow', 'garbage', 'busy'] as const;
type Column = (typeof FAULTS)[number];

/** Columns in which nothing comes, so that only a time limit ends the wait. */
const WAITS: ReadonlySet<Column> = new Set(['dropped', 'silent', 'slow']);
/** That limit, and the one of all others, in milliseconds. */
const SHORT = 1000;
const LONG = 60_000;

interface Kind {
  /** How an answer begins that never ends. */
  readonly begins: string;
  /** Bytes that are no answer. */
  readonly garbage?: Uint8Array;
  /** Prepares what the node needs that reaches the port. */
  node(owner: Owner, name: string, port: number, timeoutMs: number): Promise<NodeJson>;
  /** The code in each column, in their order. */
  readonly codes: Readonly<Record<Column, string>>;
}

const database = (
  kind: 'postgres' | 'mysql',
  begins: string,
  garbage: Uint8Array,
  codes: Partial<Kind['codes']> = {},
): Kind => ({
  begins,
  garbage,
  async node(owner, name, port, timeoutMs) {
    await owner.data('PUT', `/connections/${name}`, {
      kind,
      settings: { host: '127.0.0.1', port, database: 'shop', user: 'weft', tls: 'off' },
      grants: { operators: ['sql.query'], drafts: true },
    });
    return {
      operator: 'sql.query',
      params: { connection: name, sql: 'SELECT 1 AS one', timeoutMs },
    };
  },
  codes: {
    closed: 'connection_failed',
    reset: 'connection_failed',
    'reset-late': 'connection_failed',
    dropped: 'sql_timeout',
    silent: 'sql_timeout',
    slow: 'sql_timeout',
    garbage: 'connection_failed',
    busy: 'outbound_busy',
    ...codes,
  },
});

const HTTP = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-slow: ';

const KINDS: Readonly<Record<string, Kind>> = {
  // In frames that are right: the second half of a login that nobody began, and a greeting that is cut off.
  PostgreSQL: database('postgres', 'R\0\0\0z', Buffer.from('R\0\0\0\u000c\0\0\0\u000bnone')),
  MySQL: database('mysql', '\u007f\0\0\0\n8.0', Buffer.from('\u0005\0\0\0\n8.0\0'), {
    // The server speaks first.
    'reset-late': 'sql_timeout',
  }),
  Redis: {
    begins: '$1000\r\n',
    async node(owner, name, port, timeoutMs) {
      await owner.data('PUT', `/connections/${name}`, {
        kind: 'redis',
        settings: { host: '127.0.0.1', port, tls: 'off' },
        grants: { operators: ['redis.get'], drafts: true },
      });
      return { operator: 'redis.get', params: { connection: name, key: 'one', timeoutMs } };
    },
    codes: {
      closed: 'connection_failed',
      reset: 'connection_failed',
      'reset-late': 'connection_failed',
      dropped: 'action_timeout',
      silent: 'action_timeout',
      slow: 'action_timeout',
      garbage: 'connection_failed',
      busy: 'outbound_busy',
    },
  },
  Mail: {
    begins: '220-',
    async node(owner, name, port, timeoutMs) {
      await owner.data('PUT', `/connections/${name}`, {
        kind: 'smtp',
        settings: { host: '127.0.0.1', port, tls: 'off', from: 'shop@example.com' },
        grants: { operators: ['mail.send'], drafts: true },
      });
      const params = { connection: name, to: 'ada@example.com', text: 'Hello', timeoutMs };
      return { operator: 'mail.send', params };
    },
    codes: {
      closed: 'connection_failed',
      reset: 'connection_failed',
      // The server speaks first.
      'reset-late': 'action_timeout',
      dropped: 'action_timeout',
      silent: 'action_timeout',
      slow: 'action_timeout',
      garbage: 'connection_failed',
      busy: 'outbound_busy',
    },
  },
  Mailbox: {
    begins: '* OK ',
    async node(owner, name, port, timeoutMs) {
      await owner.data('PUT', `/connections/${name}`, {
        kind: 'imap',
        settings: { host: '127.0.0.1', port, user: 'ada', password: 'right', tls: 'off' },
        grants: { operators: ['mail.search'], drafts: true },
      });
      return { operator: 'mail.search', params: { connection: name, timeoutMs } };
    },
    codes: {
      closed: 'connection_failed',
      reset: 'connection_failed',
      // The server speaks first.
      'reset-late': 'action_timeout',
      dropped: 'action_timeout',
      silent: 'action_timeout',
      slow: 'action_timeout',
      garbage: 'connection_failed',
      busy: 'outbound_busy',
    },
  },
  SSH: {
    begins: 'SSH-2.0-',
    async node(owner, name, port, timeoutMs) {
      await owner.data('PUT', `/connections/${name}`, {
        kind: 'ssh',
        settings: { host: '127.0.0.1', port, user: 'ada', password: 'right' },
        grants: { operators: ['ssh.run'], drafts: true },
      });
      return { operator: 'ssh.run', params: { connection: name, command: 'true', timeoutMs } };
    },
    codes: {
      closed: 'connection_failed',
      reset: 'connection_failed',
      'reset-late': 'connection_failed',
      dropped: 'action_timeout',
      silent: 'action_timeout',
      slow: 'action_timeout',
      garbage: 'connection_failed',
      busy: 'outbound_busy',
    },
  },
  S3: {
    begins: HTTP,
    async node(owner, name, port, timeoutMs) {
      await owner.data('PUT', `/connections/${name}`, {
        kind: 's3',
        settings: {
          endpoint: `http://127.0.0.1:${port}`,
          bucket: 'files',
          region: 'eu-test-1',
          accessKey: 'key',
          secretKey: 'secret',
          timeoutMs,
        },
        grants: { operators: ['file.list'], drafts: true },
      });
      return { operator: 'file.list', params: { folder: name } };
    },
    codes: {
      closed: 'connection_failed',
      reset: 'connection_failed',
      'reset-late': 'connection_failed',
      dropped: 'connection_failed',
      silent: 'connection_failed',
      slow: 'connection_failed',
      garbage: 'connection_failed',
      busy: 'connection_failed',
    },
  },
  HTTP: {
    begins: HTTP,
    node: async (_owner, _name, port, timeoutMs) => ({
      operator: 'http.request',
      params: { url: `http://127.0.0.1:${port}/`, timeoutMs },
    }),
    codes: {
      closed: 'outbound_failed',
      reset: 'outbound_failed',
      'reset-late': 'outbound_failed',
      dropped: 'outbound_timeout',
      silent: 'outbound_timeout',
      slow: 'outbound_timeout',
      garbage: 'outbound_failed',
      busy: 'outbound_busy',
    },
  },
  models: {
    begins: HTTP,
    async node(owner, name, port, timeoutMs) {
      await owner.data('PUT', `/providers/${name}`, {
        type: 'openai-compatible',
        baseUrl: `http://127.0.0.1:${port}/v1`,
        allow: `127.0.0.1:${port}`,
        models: [{ name: 'm' }],
        timeoutMs,
      });
      return { operator: 'model.chat', params: { model: `${name}/m`, prompt: 'Hello' } };
    },
    codes: {
      closed: 'model_unavailable',
      reset: 'model_unavailable',
      'reset-late': 'model_unavailable',
      dropped: 'model_timeout',
      silent: 'model_timeout',
      slow: 'model_timeout',
      garbage: 'model_unavailable',
      busy: 'outbound_busy',
    },
  },
  MCP: {
    begins: HTTP,
    // How long a tool server may take is fixed.
    node: async (_owner, _name, port) => ({
      operator: 'agent.run',
      params: {
        agent: {
          name: 'Ada',
          model: 'demo/chat',
          prompt: 'Say hello.',
          tools: [{ type: 'mcp', name: 'down', value: `http://127.0.0.1:${port}/mcp` }],
        },
        input: 'Hello',
      },
    }),
    codes: {
      closed: 'outbound_failed',
      reset: 'outbound_failed',
      'reset-late': 'outbound_failed',
      dropped: 'outbound_failed',
      silent: 'outbound_timeout',
      slow: 'outbound_timeout',
      garbage: 'outbound_failed',
      busy: 'outbound_busy',
    },
  },
};

let server: TestServer;
let owner: Owner;
const ports = new Map<string, FaultyPort>();

beforeAll(async () => {
  const limits: Record<string, object> = {};
  for (const [kind, setup] of Object.entries(KINDS)) {
    for (const fault of FAULTS) {
      const port = await openFaultyPort(fault === 'busy' ? 'silent' : fault, setup);
      ports.set(`${kind} ${fault}`, port);
      if (fault === 'busy') limits[`127.0.0.1:${port.port}`] = { calls: 1, streams: 1, queue: 0 };
    }
  }
  server = await startServer({
    env: {
      WEFT_OUTBOUND_ALLOW: '127.0.0.1',
      WEFT_OUTBOUND_LIMITS: JSON.stringify(limits),
      // Runs that wait for ever.
      WEFT_GRACE_MS: '0',
    },
  });
  owner = await signIn(server);
});

afterAll(async () => {
  await discard(server);
  await Promise.all([...ports.values()].map((port) => port.close()));
});

/** The code of the answer, or of what the run has logged: an agent answers without the tools that it cannot use. */
async function codeIn(answer: Answer): Promise<unknown> {
  const code = codeOf(answer);
  if (code !== undefined) return code;
  const run = answer.headers.get('x-weft-run');
  const { events } = await owner.data<{ events: RunEvent[] }>('GET', `/runs/${run}/events`);
  const said = events.flatMap((event) => (event.kind === 'log' ? [event.data] : []));
  return (said[0] as { code?: unknown } | undefined)?.code ?? answer.text;
}

test.concurrent.each(Object.entries(KINDS))('%s', async (kind, { node, codes }) => {
  const found = FAULTS.map(async (fault) => {
    const name = `${kind}_${fault}`.toLowerCase().replace('-', '_');
    const port = ports.get(`${kind} ${fault}`) as FaultyPort;
    const timeoutMs = WAITS.has(fault) || codes[fault].endsWith('_timeout') ? SHORT : LONG;
    const at = await node(owner, name, port.port, timeoutMs);
    const flow = {
      format: 1,
      id: name,
      nodes: { trigger: httpTrigger(`/${name}`), at },
      edges: [{ from: 'trigger.out', to: 'at.in' }],
    };
    await owner.data('POST', '/flows', { text: JSON.stringify(flow) });
    const first = call(server, `/${name}`);
    if (fault !== 'busy') return [fault, await codeIn(await first)];
    await eventually(() => expect(port.opened()).toBe(1));
    const second = call(server, `/${name}`);
    first.catch(() => {});
    return [fault, await codeIn(await second)];
  });
  expect(Object.fromEntries(await Promise.all(found))).toEqual(codes);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  for (const what of ['rejection', 'exception'])
    expect(await metric(server, `weft_uncaught_errors_total{kind="${what}"}`)).toBe(0);
});

test('git', async () => {
  const faults = FAULTS.filter((fault) => fault !== 'busy');
  const found = faults.map(async (fault) => {
    const { port, close } = await openFaultyPort(fault as Fault, { begins: HTTP });
    onTestFinished(close);
    const address = readGitAddress(`git+http://127.0.0.1:${port}/flows.git#main`) as GitAddress;
    const git = createRunGit(address, undefined, new AbortController().signal);
    const asked = { cwd: join(tempFolder('git')), timeoutMs: SHORT };
    const error = await git(['ls-remote', '--', address.url], asked).then(
      gitError,
      (thrown: unknown) => thrown,
    );
    return [fault, (error as { code?: unknown }).code];
  });
  expect(await Promise.all(found)).toEqual(faults.map((fault) => [fault, 'git_unreachable']));
});
