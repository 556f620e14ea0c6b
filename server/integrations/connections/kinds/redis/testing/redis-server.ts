import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { onTestFinished } from 'vitest';
import { certificate, key } from '../../../testing/self-signed.ts';

/** A small Redis in memory with the commands that its tests need; it shares no code with the client. */
export interface RedisServer {
  readonly port: number;
  /** Connections that were opened so far. */
  readonly opened: () => number;
  /** Executes a command on the first database, as if a client had sent it. */
  run(command: readonly (string | Buffer)[]): void;
}

interface Options {
  readonly password?: string;
  readonly encrypts?: boolean;
}

interface Stored {
  readonly value: Buffer;
  readonly until: number;
}

/** Ends with the test. */
export async function startRedis({ password, encrypts = false }: Options = {}): Promise<RedisServer> {
  const databases = Array.from({ length: 16 }, () => new Map<string, Stored>());
  let opened = 0;
  const serve = (socket: Socket): void => {
    opened++;
    const state = { database: 0, isIn: password === undefined };
    let unread = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (piece) => {
      unread = Buffer.concat([unread, piece]);
      for (;;) {
        const found = commandIn(unread);
        if (found === undefined) return;
        unread = unread.subarray(found.end);
        socket.write(answered(found.parts));
      }
    });

    function answered([command = Buffer.alloc(0), ...args]: Buffer[]): Buffer | string {
      const name = command.toString().toUpperCase();
      if (name === 'AUTH') {
        if (password === undefined)
          return '-ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?\r\n';
        state.isIn = String(args.at(-1)) === password && (args.length === 1 || String(args[0]) === 'default');
        return state.isIn ? '+OK\r\n' : '-WRONGPASS invalid username-password pair or user is disabled.\r\n';
      }
      if (!state.isIn) return '-NOAUTH Authentication required.\r\n';
      if (name === 'INFO') return bulk(Buffer.from('# Server\r\nredis_version:7.9.9\r\n'));
      if (name === 'SELECT') {
        const number = Number(args[0]);
        if (number >= databases.length) return '-ERR DB index is out of range\r\n';
        state.database = number;
        return '+OK\r\n';
      }
      return valueCommand(databases[state.database] as Map<string, Stored>, name, args);
    }
  };
  const server = encrypts ? createTlsServer({ cert: certificate, key }, serve) : createServer(serve);
  server.on('tlsClientError', () => {});
  return {
    port: await listening(server),
    opened: () => opened,
    run([name, ...args]) {
      valueCommand(
        databases[0] as Map<string, Stored>,
        String(name),
        args.map((arg) => Buffer.from(arg)),
      );
    },
  };
}

function valueCommand(stored: Map<string, Stored>, name: string, args: Buffer[]): Buffer | string {
  const [first = Buffer.alloc(0), value = Buffer.alloc(0), ...options] = args;
  const known = stored.get(String(first));
  const now = known !== undefined && known.until > Date.now() ? known : undefined;
  if (name === 'LPUSH') {
    stored.set(String(first), { value: Buffer.from('a list'), until: Infinity });
    return ':1\r\n';
  }
  if (name === 'GET' && String(now?.value) === 'a list')
    return '-WRONGTYPE Operation against a key holding the wrong kind of value\r\n';
  if (name === 'GET') return now === undefined ? '$-1\r\n' : bulk(now.value);
  if (name !== 'SET') return `-ERR unknown command '${name}'\r\n`;
  const words = options.map(String);
  if ((words.includes('NX') && now !== undefined) || (words.includes('XX') && now === undefined))
    return '$-1\r\n';
  const px = words.indexOf('PX');
  stored.set(String(first), { value, until: px === -1 ? Infinity : Date.now() + Number(words[px + 1]) });
  return '+OK\r\n';
}

function bulk(value: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`$${value.length}\r\n`), value, Buffer.from('\r\n')]);
}

/** The first command of the received bytes, once it is complete. */
function commandIn(bytes: Buffer): { parts: Buffer[]; end: number } | undefined {
  let at = 0;
  const line = (): string | undefined => {
    const end = bytes.indexOf('\r\n', at);
    if (end === -1) return undefined;
    const text = bytes.toString('latin1', at, end);
    at = end + 2;
    return text;
  };
  const count = line();
  if (count === undefined) return undefined;
  if (!/^\*\d+$/.test(count)) throw new Error(`${count} is no command.`);
  const parts: Buffer[] = [];
  for (let i = 0; i < Number(count.slice(1)); i++) {
    const length = line();
    if (length === undefined) return undefined;
    const size = Number(length.slice(1));
    if (bytes.length < at + size + 2) return undefined;
    parts.push(bytes.subarray(at, at + size));
    at += size + 2;
  }
  return { parts, end: at };
}

/** Starts a server that passes each connection to a function of the test. Returns its port. */
export function startServer(onSocket: (socket: Socket) => void): Promise<number> {
  return listening(
    createServer((socket) => {
      socket.on('error', () => {});
      onSocket(socket);
    }),
  );
}

async function listening(server: ReturnType<typeof createServer>): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
