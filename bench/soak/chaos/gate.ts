import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { pause } from '../part.ts';

/**
 * A door between a process and the database. `half-open`: both sides believe in their connection, and nothing passes; those that were
 * so once stay so.
 */
export type Passing = 'pass' | 'delay' | 'refuse' | 'half-open';

export interface Gate extends AsyncDisposable {
  readonly port: number;
  mode: Passing;
  /** Connections that listen for notices are half-open. */
  isDeaf: boolean;
  /** How late everything is that passes while it delays, in milliseconds. */
  delayMs: number;
  /** Resets all connections. */
  cut(): void;
  /** Nothing passes any more through the connections that are open, or of these that listen; new ones are as `mode` says. */
  mute(of?: 'all' | 'listening'): void;
}

const LISTENS = /\blisten "/i;

/** A TCP proxy of our own. */
export async function openGate(to: { readonly host: string; readonly port: number }): Promise<Gate> {
  const pairs = new Set<{ readonly sockets: readonly Socket[]; isMute: boolean; listens: boolean }>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    client.on('error', () => {});
    if (gate.mode === 'refuse') return void client.resetAndDestroy();
    const upstream = connect({ ...to, allowHalfOpen: true });
    const pair = { sockets: [client, upstream], isMute: gate.mode === 'half-open', listens: false };
    pairs.add(pair);
    client.on('data', (data) => {
      pair.listens ||= LISTENS.test(data.toString('latin1'));
      if (pair.listens && gate.isDeaf) pair.isMute = true;
    });
    const end = (): void => {
      // Of a half-open connection the other side never hears.
      if (pair.isMute) return;
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    const forward = (from: Socket, into: Socket): void => {
      const late = inOrder((data) => into.writable && into.write(data));
      from.on('error', () => {}).once('close', end);
      from.once('end', end);
      from.on('data', (data) => {
        if (gate.mode === 'half-open') pair.isMute = true;
        if (!pair.isMute) late(data, gate.mode === 'delay' ? gate.delayMs : 0);
      });
    };
    forward(client, upstream);
    forward(upstream, client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const gate: Gate = {
    port: (server.address() as AddressInfo).port,
    mode: 'pass',
    isDeaf: false,
    delayMs: 0,
    cut() {
      for (const { sockets } of pairs) for (const socket of sockets) socket.resetAndDestroy();
      pairs.clear();
    },
    mute(of = 'all') {
      for (const pair of pairs) if (of === 'all' || pair.listens) pair.isMute = true;
    },
    async [Symbol.asyncDispose]() {
      gate.cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return gate;
}

/** What comes later is never written earlier, however the delay changes. */
function inOrder(write: (data: Buffer) => void): (data: Buffer, ms: number) => void {
  let last: Promise<void> = Promise.resolve();
  let queued = 0;
  return (data, ms) => {
    if (ms === 0 && queued === 0) return write(data);
    queued++;
    const due = performance.now() + ms;
    last = last.then(async () => {
      const left = due - performance.now();
      if (left > 0) await pause(left);
      queued--;
      write(data);
    });
  };
}

/** Connections go to the next of the ports, in turn, that takes them. */
export async function openDoor(
  ports: readonly number[],
): Promise<AsyncDisposable & { readonly port: number }> {
  const sockets = new Set<Socket>();
  let turn = 0;
  const server = createServer((client) => {
    client.on('error', () => {});
    const attempt = ([port, ...others]: readonly number[]): void => {
      if (port === undefined) return void client.destroy();
      const upstream = connect(port, '127.0.0.1');
      const refused = (): void => attempt(others);
      upstream.once('error', refused).once('connect', () => {
        upstream.off('error', refused);
        for (const [one, other] of [
          [client, upstream],
          [upstream, client],
        ] as const) {
          sockets.add(one);
          one
            .on('error', () => other.destroy())
            .on('close', () => {
              sockets.delete(one);
              other.destroy();
            });
          one.pipe(other);
        }
      });
    };
    const first = turn++ % ports.length;
    attempt([...ports.slice(first), ...ports.slice(0, first)]);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
