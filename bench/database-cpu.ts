import postgres from 'postgres';
import { cpuMs, siblings } from './proc.ts';

/**
 * Reads the processor time of all processes of a PostgreSQL on this machine, in milliseconds. On a busy machine it says more about a
 * statement than the time until its answer, which is mostly the wait for a core.
 */
export async function databaseCpu(url: string): Promise<() => number> {
  const client = postgres(url, { max: 1 });
  const [row] = await client`SELECT pg_backend_pid() AS pid`;
  const all = siblings(Number(row?.['pid']));
  await client.end();
  return () => all().reduce((sum, pid) => sum + (cpuMs(pid) || 0), 0);
}
