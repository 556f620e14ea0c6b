import postgres from 'postgres';
import { beforeAll, describe } from 'vitest';
import { busContract, sharedBusContract } from './bus.contract.ts';
import { createLocalBus } from './bus.ts';
import { openPostgresBus } from './postgres/postgres-bus.ts';
import { noticeKeys } from './testing/bus.ts';
import { newDatabase } from './testing/postgres-server.ts';

describe('a bus within one server', () => {
  busContract((failed) => Promise.resolve(createLocalBus(failed)));
});

describe('a bus of servers on PostgreSQL', () => {
  let url: string;
  beforeAll(async () => {
    url = await newDatabase();
  });

  busContract((failed) => openPostgresBus(url, failed, noticeKeys));
  // Notices sent while the connection is cut are lost; this test does not check `onGap`.
  sharedBusContract(() => openPostgresBus(url, () => {}, noticeKeys), cut);

  async function cut(): Promise<void> {
    const client = postgres(url, { max: 1 });
    await client`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    await client.end();
  }
});
