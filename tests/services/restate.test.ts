import { afterAll, beforeAll } from 'vitest';
import { durableContract } from '../../server/execution/durable/durable.contract.ts';
import { createRestateEngine } from '../../server/execution/durable/restate/restate-engine.ts';
import { openRestate } from '../../server/execution/durable/restate/restate-link.ts';
import { createLocalBus } from '../../server/storage/database/bus.ts';
import { openPostgres } from '../../server/storage/database/postgres/open-postgres.ts';
import { newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
import { weftMigrations } from '../../server/storage/database/weft-tables.ts';
import { freePort } from './proxy-suite.ts';
import { type RestateNode, startRestate } from './restate-server.ts';

let node: RestateNode;

beforeAll(async () => {
  [node] = (await startRestate()) as [RestateNode];
});
afterAll(() => node.kill());

interface Place {
  readonly url: string;
  readonly port: number;
  readonly service: string;
}

const places = new Map<string, Promise<Place>>();

async function placeOf(): Promise<Place> {
  const [url, port] = await Promise.all([newDatabase(), freePort()]);
  return { url, port, service: `weft-${crypto.randomUUID()}` };
}

durableContract('Restate', async (folder) => {
  const known = places.get(folder) ?? placeOf();
  places.set(folder, known);
  const { url, port, service } = await known;
  const sql = await openPostgres(url, weftMigrations);
  const link = await openRestate({
    url: node.url,
    adminUrl: node.adminUrl,
    executes: { serviceUrl: `http://127.0.0.1:${port}`, host: '127.0.0.1', port },
    service,
  });
  const bus = createLocalBus(() => {});
  const engine = createRestateEngine({
    sql,
    link,
    bus,
    node: crypto.randomUUID(),
    now: Date.now,
    complain: () => {},
  });
  const { begin, close } = engine;
  engine.begin = (host) => {
    begin.call(engine, host);
    // The waits of the bed are in no table, where those with a decision would be found.
    void engine.list({ status: ['waiting'], limit: 100 }).then(async (waiting) => {
      await host.decided?.(waiting.map(({ run, waitingFor = '[]' }) => ({ run, waitingFor })));
    });
  };
  engine.close = async () => {
    await close.call(engine);
    await sql.close();
  };
  return {
    engine,
    async kill() {
      await engine.kill();
      await sql.close();
    },
  };
});
