import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { restateProgram } from '../runner/services.ts';
import { tempFolder } from '../support/server.ts';
import { freePort } from './proxy-suite.ts';

/** Ready within a minute, in milliseconds, however busy the machine is. */
const READY_MS = 60_000;

/** A Restate server of its own; ports and data stay the same when it is started again. */
export interface RestateNode {
  readonly url: string;
  readonly adminUrl: string;
  start(): Promise<void>;
  /** As by kill -9. */
  kill(): Promise<void>;
}

/** Nodes of one Restate: several keep each entry of the log twice, as long as two of three live. */
export async function startRestate(count = 1): Promise<readonly RestateNode[]> {
  const ports = await Promise.all(
    Array.from({ length: count }, async () => ({
      fabric: await freePort(),
      ingress: await freePort(),
      admin: await freePort(),
    })),
  );
  const folder = tempFolder('restate');
  const peers = ports.map(({ fabric }) => `http://127.0.0.1:${fabric}`);
  const nodes = ports.map((of, at) => makeNode({ ...of, folder: join(folder, `n${at}`), at, peers }));
  await Promise.all(nodes.map((node) => node.start()));
  return nodes;
}

interface Place {
  readonly folder: string;
  readonly at: number;
  readonly fabric: number;
  readonly ingress: number;
  readonly admin: number;
  readonly peers: readonly string[];
}

function makeNode(place: Place): RestateNode {
  const { folder, ingress, admin } = place;
  const file = join(folder, 'restate.toml');
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, configOf(place));
  const adminUrl = `http://127.0.0.1:${admin}`;
  const url = `http://127.0.0.1:${ingress}`;
  let process_: ChildProcess | undefined;
  return {
    url,
    adminUrl,
    async start() {
      const env = { ...process.env, DO_NOT_TRACK: '1' };
      process_ = spawn(restateProgram, ['--config-file', file, '--no-logo'], { stdio: 'ignore', env });
      for (const at of [`${adminUrl}/health`, `${url}/restate/health`]) await untilReady(at);
    },
    async kill() {
      const child = process_;
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Benchmarks start it too, where no test runs. */
async function untilReady(at: string): Promise<void> {
  const end = performance.now() + READY_MS;
  for (;;) {
    if ((await fetch(at).catch(() => undefined))?.ok === true) return;
    if (performance.now() > end) throw new Error(`${at} is not ready.`);
    await sleep(50);
  }
}

function configOf({ folder, at, fabric, ingress, admin, peers }: Place): string {
  const several = peers.length > 1;
  return `
cluster-name = "weft-test"
node-name = "n${at}"
roles = ["http-ingress", "admin", "worker", "log-server", "metadata-server"]
auto-provision = ${at === 0}
default-num-partitions = 4
default-replication = ${several ? 2 : 1}
base-dir = "${folder}"
bind-address = "127.0.0.1:${fabric}"
advertised-address = "http://127.0.0.1:${fabric}"
listen-mode = "tcp"
disable-telemetry = true
log-filter = "error"
rocksdb-total-memory-size = "512 MiB"
[metadata-client]
type = "replicated"
addresses = [${peers.map((peer) => `"${peer}"`).join(', ')}]
[bifrost]
default-provider = "${several ? 'replicated' : 'local'}"
[ingress]
bind-address = "127.0.0.1:${ingress}"
[admin]
bind-address = "127.0.0.1:${admin}"
`;
}
