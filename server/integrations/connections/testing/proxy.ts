import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { TLSSocket } from 'node:tls';
import { certificate, key } from './self-signed.ts';

/** A server between a connection and its database; tests can disturb its connections. */
export interface Proxy {
  readonly port: number;
  /** The treatment of the bytes that the database sends from now on. */
  mode: 'pass' | 'break' | 'hang' | 'garbage';
  /** Connections that were opened so far. */
  readonly opened: () => number;
  /** Ends all open connections, as a server ends idle ones. */
  cut(): void;
  /** Silences the open connections without closing them, like a host without power. */
  freeze(): void;
  /** The target of connections that are opened from now on. */
  to: { readonly host: string; readonly port: number };
}

export interface ProxyOptions {
  /** Encrypts the connection once the client has requested it in the protocol of PostgreSQL. */
  readonly encrypts?: boolean;
  readonly mode?: Proxy['mode'];
}

/** Starts it in front of the database at a host and port; it ends with the test. */
export async function startProxy(
  to: { readonly host: string; readonly port: number },
  { encrypts = false, mode = 'pass' }: ProxyOptions = {},
): Promise<Proxy> {
  const open = new Set<Socket>();
  const frozen = new WeakSet<Socket>();
  let opened = 0;
  const server = createServer((plain) => {
    opened++;
    plain.on('error', () => {});
    if (!encrypts) return join(plain);
    plain.once('data', () => {
      plain.write('S');
      const secure = new TLSSocket(plain, { isServer: true, cert: certificate, key });
      secure.on('error', () => {});
      join(secure);
    });
  });

  function join(client: Socket): void {
    const upstream = connect(proxy.to.port, proxy.to.host);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        open.delete(socket);
        if (frozen.has(socket) && socket === upstream) return;
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (data) => upstream.write(data));
    upstream.on('data', (data) => {
      if (frozen.has(upstream)) return;
      if (proxy.mode === 'pass') client.write(data);
      if (proxy.mode === 'garbage') client.write(Buffer.alloc(data.length + 64, 0xfe));
      if (proxy.mode === 'break') client.destroy();
    });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: Proxy = {
    port: (server.address() as AddressInfo).port,
    mode,
    to,
    opened: () => opened,
    cut: () => open.forEach((socket) => socket.destroy()),
    freeze: () => open.forEach((socket) => frozen.add(socket)),
  };
  onTestFinished(() => {
    proxy.cut();
    server.close();
  });
  return proxy;
}
