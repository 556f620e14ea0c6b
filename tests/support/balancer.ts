import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { ask } from './client.ts';
import type { TestServer } from './server.ts';

/** How often the balancer asks `/readyz`, in milliseconds. */
const LOOK_MS = 50;

/** A real load balancer for TCP connections: in turn to the servers whose `/readyz` says 200. */
export async function startBalancer() {
  const servers = new Set<TestServer>();
  let ready: TestServer[] = [];
  let turn = 0;
  let closed = false;
  const sockets = new Set<Socket>();
  const looking = (async () => {
    while (!closed) {
      const asked = [...servers].map(async (server) => {
        const { status } = await ask(`${server.url}/readyz`, { headers: { connection: 'close' } }).catch(
          () => ({ status: 0 }),
        );
        return status === 200 ? [server] : [];
      });
      ready = (await Promise.all(asked)).flat();
      await sleep(LOOK_MS);
    }
  })();
  const door = createServer((client) => {
    const server = ready[turn++ % Math.max(1, ready.length)];
    if (server === undefined) return void client.destroy();
    const { hostname, port } = new URL(server.url);
    const upstream = connect(Number(port), hostname);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy()).on('close', () => void sockets.delete(one));
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    closed = true;
    for (const socket of sockets) socket.destroy();
    door.close();
    await looking;
  });
  const { port } = door.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    add: (server: TestServer) => void servers.add(server),
    isReady: (server: TestServer) => ready.includes(server),
  };
}
