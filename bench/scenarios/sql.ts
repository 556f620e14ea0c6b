import postgres from 'postgres';
import { NO_DATA, type DbData } from '../../server/base/adapters/db.ts';
import { openConnections } from '../../server/integrations/connections/connections.ts';
import { createOutbound } from '../../server/base/outbound/outbound.ts';
import { createRedactor } from '../../server/base/secrets/redactor.ts';
import { newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
import { type BenchContext, type Line, median, type Scenario } from '../harness.ts';

const ASKER = { flow: 'f', version: 'v', run: 'r', node: 'n', operator: 'sql.query' };
const NEVER = new AbortController().signal;
const LIMITS = { timeoutMs: 30_000, maxRows: 100_000, maxBytes: 100_000_000 };

const ONE = 'SELECT id, name, price FROM goods WHERE id = $1';
const STREAM =
  "SELECT i AS id, 'article ' || i AS name, i * 1.5::float8 AS price FROM generate_series(1, 1000000) AS i LIMIT $1";
const MANY = 'SELECT id, name, price FROM goods WHERE id <= $1 ORDER BY id';

/** What a query through a connection costs this process, and the driver alone. */
export const sql: Scenario = {
  name: 'sql',
  title: 'Queries to PostgreSQL through a connection, and by its driver alone',
  async run({ quick, say }: BenchContext): Promise<Line[]> {
    const url = new URL(await newDatabase());
    const driver = postgres(url.href, { max: 1, onnotice: () => {} });
    await driver.unsafe('CREATE TABLE goods (id INT PRIMARY KEY, name TEXT, price DOUBLE PRECISION)');
    await driver.unsafe(
      "INSERT INTO goods SELECT i, 'article ' || i, i * 1.5 FROM generate_series(1, 1000) AS i",
    );
    const outbound = createOutbound({ allow: [] });
    const connections = openConnections({ ...deps(), sockets: outbound, http: outbound });
    await connections.put('shop', { kind: 'postgres', settings: settingsOf(url), grants: { flows: ['f'] } });
    say('the database is there');
    const through = (text: string, value: number) =>
      connections.sql.query({ connection: 'shop', sql: text, params: { 1: value }, ...LIMITS }, ASKER, NEVER);
    const alone = (text: string, value: number) => driver.unsafe(text, [value], { prepare: true });
    try {
      const lines: Line[] = [];
      for (const [name, text, value, calls] of [
        ['one row', ONE, 500, quick ? 200 : 1000],
        ['1,000 rows', MANY, 1000, quick ? 20 : 100],
      ] as const) {
        const rounds = { through: [] as number[], alone: [] as number[] };
        for (let round = 0; round < (quick ? 3 : 15); round++) {
          rounds.through.push(await cpuOf(calls, () => through(text, value)));
          rounds.alone.push(await cpuOf(calls, () => alone(text, value)));
        }
        // The first of each has compiled the code.
        const [own, native] = [rounds.through, rounds.alone].map((all) => median(all.slice(1))) as [
          number,
          number,
        ];
        lines.push({
          name: `${name}: processor time, of the driver alone`,
          figure: own / native,
          unit: 'x',
          bar: { kind: 'at most', value: 1.3 },
          note: `${own.toFixed(0)} µs and ${native.toFixed(0)} µs a query`,
        });
      }
      lines.push(await streamLine(connections, driver, quick ? 100_000 : 1_000_000));
      return lines;
    } finally {
      connections.close();
      await outbound.close();
      await driver.end();
    }
  },
};

/** What a stream costs, read to its end. */
async function streamLine(
  { sql: service }: ReturnType<typeof openConnections>,
  driver: postgres.Sql,
  count: number,
): Promise<Line> {
  const through: number[] = [];
  const alone: number[] = [];
  for (let round = 0; round < 4; round++) {
    const call = { connection: 'shop', sql: STREAM, params: { 1: count }, timeoutMs: LIMITS.timeoutMs };
    through.push(await cpuOf(1, () => sumOf(service.stream(call, ASKER, NEVER))));
    alone.push(await cpuOf(1, () => sumOfPieces(driver.unsafe(STREAM, [count]).cursor(1000))));
  }
  // The first of each has compiled the code.
  const [own, native] = [through, alone].map((all) => median(all.slice(1))) as [number, number];
  return {
    name: `a stream of ${count.toLocaleString('en')} rows: processor time, of the driver’s cursor alone`,
    figure: own / native,
    unit: 'x',
    bar: { kind: 'at most', value: 1.5 },
    note: `${(own / 1000).toFixed(0)} ms and ${(native / 1000).toFixed(0)} ms`,
  };
}

async function sumOf(rows: AsyncIterable<unknown>): Promise<number> {
  let sum = 0;
  for await (const row of rows) sum += (row as { price: number }).price;
  return sum;
}

async function sumOfPieces(pieces: AsyncIterable<readonly unknown[]>): Promise<number> {
  let sum = 0;
  for await (const piece of pieces) for (const row of piece) sum += (row as { price: number }).price;
  return sum;
}

/** Microseconds of processor time of this process for each call, one call after the other. */
async function cpuOf(calls: number, call: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < calls; i++) await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

function deps() {
  let data: DbData = NO_DATA;
  return {
    db: {
      onOthers: () => {},
      get data() {
        return data;
      },
      change: async <K extends keyof DbData>(part: K, next: (now: DbData[K]) => DbData[K]) => {
        data = { ...data, [part]: next(data[part]) };
      },
    },
    sealer: { seal: (text: string) => text, unseal: (sealed: string) => sealed },
    redactor: createRedactor(),
    folders: {},
    untrusted: new Map(),
    now: Date.now,
  };
}

function settingsOf(url: URL) {
  const { hostname: host, port, pathname, username: user } = url;
  return { host, port: Number(port), database: pathname.slice(1), user, tls: 'off', most: 1 };
}
