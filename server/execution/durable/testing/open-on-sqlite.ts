import { join } from 'node:path';
import { createOpenWorkflowEngine } from '../openworkflow/openworkflow-engine.ts';
import type { OpenEngine } from './durable-bed.ts';

export const openOnSqlite: OpenEngine = (folder) => {
  const engine = createOpenWorkflowEngine({ file: join(folder, 'durable.db'), full: false });
  return { engine, kill: () => engine.kill() };
};
