import { ask } from './client.ts';
import type { TestServer } from './server.ts';

/** One number of `/metrics`, e.g. `process_resident_memory_bytes`. */
export async function metric(server: Pick<TestServer, 'url'>, name: string): Promise<number> {
  const { text } = await ask(`${server.url}/metrics`);
  const line = text.split('\n').find((row) => row.startsWith(`${name} `));
  if (line === undefined) throw new Error(`There is no metric ${name}.`);
  return Number(line.slice(name.length + 1));
}
