import { durableCore, durableUsualContract } from './durable.contract.ts';
import { createMemoryDisk, createMemoryEngine, type MemoryDisk } from './testing/memory-engine.ts';
import { openOnSqlite } from './testing/open-on-sqlite.ts';

const disks = new Map<string, MemoryDisk>();

durableUsualContract('memory', (folder, host) => {
  const disk = disks.get(folder) ?? createMemoryDisk();
  disks.set(folder, disk);
  const engine = createMemoryEngine(host, disk);
  // Late actions of a dead process affect only its own disk.
  return { engine, kill: async () => void disks.set(folder, structuredClone(disk)) };
});

// The whole contract is in `durable.full.test.ts`.
durableCore('OpenWorkflow on SQLite', openOnSqlite);
