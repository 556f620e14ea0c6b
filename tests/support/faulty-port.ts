import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from '../../server/storage/database/testing/postgres-server.ts';

/**
 * What becomes of a new connection. `pass`: it leads to the server behind. `closed`: nothing listens. `reset`: it is reset once it
 * is open, `reset-late`: once something was sent. `dropped`: its packets are lost, so it never opens. `silent`: it is open, and
 * nothing comes. `slow`: a byte of an answer comes now and then, and the answer never ends. `garbage`: bytes of no protocol come.
 */
export type Fault = 'pass' | 'closed' | 'reset' | 'reset-late' | 'dropped' | 'silent' | 'slow' | 'garbage';

export interface FaultyPort {
  readonly port: number;
  /** Of the connections from now on, and where `pass` leads from now on; resolves once it holds. */
  become(fault: Fault, to?: Address): Promise<void>;
  /** Nothing passes any more through the connections that are open, and nobody hears of their ends. */
  freeze(): void;
  /** Connections that were taken so far. */
  readonly opened: () => number;
  close(): Promise<void>;
}

interface Address {
  readonly host: string;
  readonly port: number;
}

interface Setup {
  /** Where `pass` leads. */
  readonly to?: Address;
  /** How the answer of `slow` begins. */
  readonly begins?: string;
  /** The bytes of `garbage`; by default HTTP of another kind than anybody asks for, then noise. */
  readonly garbage?: Uint8Array;
}

const SLOW_MS = 50;

/** A port of this machine that spoils its connections, until it is closed. */
export async function openFaultyPort(fault: Fault, setup: Setup = {}): Promise<FaultyPort> {
  const port = await freePort();
  const all = new Set<Socket>();
  const frozen = new WeakSet<Socket>();
  let opened = 0;
  let now: Fault = fault;
  let behind = setup.to;
  let server: Server | undefined;
  let hole: ChildProcess | undefined;

  const take = (socket: Socket): void => {
    opened++;
    keep(all, socket);
    if (now === 'pass' && behind !== undefined) join(socket, connect(behind), { all, frozen });
    else spoil(socket, now, setup);
  };
  const stop = async (): Promise<void> => {
    server?.close();
    server = undefined;
    if (hole === undefined) return;
    hole.kill('SIGKILL');
    await once(hole, 'exit');
    hole = undefined;
  };
  const become = async (next: Fault, to = behind): Promise<void> => {
    now = next;
    behind = to;
    await stop();
    if (next === 'dropped') hole = await openHole(port);
    else if (next !== 'closed') {
      server = createServer({ allowHalfOpen: true }, take);
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    }
  };
  await become(fault);
  return {
    port,
    become,
    freeze: () => all.forEach((socket) => frozen.add(socket)),
    opened: () => opened,
    async close() {
      for (const socket of all) socket.destroy();
      await stop();
    },
  };
}

function keep(all: Set<Socket>, socket: Socket): void {
  all.add(socket);
  socket.on('error', () => {}).once('close', () => all.delete(socket));
}

function join(
  client: Socket,
  upstream: Socket,
  { all, frozen }: { readonly all: Set<Socket>; readonly frozen: WeakSet<Socket> },
): void {
  keep(all, upstream);
  for (const [from, into] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    from.on('data', (data) => void (frozen.has(from) || into.write(data)));
    from.on('close', () => void (frozen.has(from) || into.destroy()));
    from.on('end', () => void (frozen.has(from) || into.destroy()));
  }
}

function spoil(socket: Socket, fault: Fault, { begins = '', garbage = GARBAGE }: Setup): void {
  if (fault === 'reset') return void socket.resetAndDestroy();
  // What is not read is not acknowledged to its sender either.
  socket.on('data', () => fault === 'reset-late' && socket.resetAndDestroy());
  if (fault === 'garbage') socket.write(garbage);
  if (fault === 'slow') trickle(socket, begins);
}

const GARBAGE = Buffer.concat([
  Buffer.from('SSH-2.0-OpenSSH_9.6\r\n'),
  Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 167 + (i >> 3)) % 256)),
]);

function trickle(socket: Socket, begins: string): void {
  let sent = 0;
  const timer = setInterval(() => socket.write(begins[sent++] ?? 'a'), SLOW_MS);
  socket.once('close', () => clearInterval(timer));
}

/** Its line of waiting connections is full and nobody takes any, so the system drops the first packet of each new one. */
const HOLE = `
import socket, sys
hole = socket.socket()
hole.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
hole.bind(('127.0.0.1', int(sys.argv[1])))
hole.listen(0)
waiting = [socket.socket() for _ in range(4)]
for one in waiting:
    one.setblocking(False)
    one.connect_ex(hole.getsockname())
print('full', flush=True)
sys.stdin.read()
`;

async function openHole(port: number): Promise<ChildProcess> {
  const child = spawn('python3', ['-c', HOLE, String(port)], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}
