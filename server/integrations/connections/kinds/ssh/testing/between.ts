import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A way to a port of this machine that can be disturbed; it ends with the test. */
export async function startBetween(port: number) {
  const sockets = new Set<Socket>();
  const clients = new Set<Socket>();
  let isFrozen = false;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const target = connect(port, '127.0.0.1');
    clients.add(client);
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => isFrozen || to.destroyed || to.write(bytes));
      from.on('error', () => {});
      from.on('close', () => sockets.delete(from));
    }
    client.on('close', () => target.destroy());
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    /** From now on nothing arrives on either side. */
    freeze: () => void (isFrozen = true),
    /** Sends bytes that are no SSH to the clients, and then leaves their sockets open. */
    disturb() {
      isFrozen = true;
      for (const client of clients) client.write(Buffer.alloc(4096, 0xff));
    },
  };
}
