import { join } from 'node:path';
import { durableContract, durableUsualContract } from './durable.contract.ts';
import { createMemoryDisk, createMemoryEngine, type MemoryDisk } from './testing/memory-engine.ts';
import { createOpenWorkflowEngine } from './openworkflow/openworkflow-engine.ts';

const disks = new Map<string, MemoryDisk>();

durableUsualContract('memory', (folder, host) => {
  const disk = disks.get(folder) ?? createMemoryDisk();
  disks.set(folder, disk);
  const engine = createMemoryEngine(host, disk);
  // Late actions of a dead process reach only the disk that it had.
  return { engine, kill: async () => void disks.set(folder, structuredClone(disk)) };
});

durableContract('OpenWorkflow on SQLite', (folder) => {
  const engine = createOpenWorkflowEngine({ file: join(folder, 'durable.db'), full: false });
  return { engine, kill: () => engine.kill() };
});
