import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../server/storage/database/testing/postgres-server.ts';
import { restateProgram } from '../runner/services.ts';
import { tempFolder } from '../support/server.ts';

const START_LIMIT_MS = 300_000;
/** A node that starts may take a connection and say nothing to it. */
const ANSWER_LIMIT_MS = 5_000;

/** A Restate server of its own; ports and data stay the same when it is started again. */
export interface RestateNode {
  readonly url: string;
  readonly adminUrl: string;
  start(): Promise<void>;
  /** As by kill -9. */
  kill(): Promise<void>;
}

/**
 * Nodes of one Restate: several keep each entry of the log twice, as long as two of three live. With `identity`, the file of a
 * private key, they sign what they ask of servers.
 */
export async function startRestate(count = 1, identity?: string): Promise<readonly RestateNode[]> {
  const ports = await Promise.all(
    Array.from({ length: count }, async () => ({
      fabric: await freePort(),
      ingress: await freePort(),
      admin: await freePort(),
    })),
  );
  const folder = tempFolder('restate');
  const peers = ports.map(({ fabric }) => `http://127.0.0.1:${fabric}`);
  const nodes = ports.map((of, at) =>
    makeNode({ ...of, folder: join(folder, `n${at}`), at, peers, identity }),
  );
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
  readonly identity: string | undefined;
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
      for (const at of [`${adminUrl}/health`, `${url}/restate/health`]) await untilOk(at);
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

async function untilOk(url: string): Promise<void> {
  const limit = performance.now() + START_LIMIT_MS;
  for (;;) {
    const isOk = await fetch(url, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) }).then(
      (response) => response.ok,
      () => false,
    );
    if (isOk) return;
    if (performance.now() > limit) throw new Error(`${url} is not ready.`);
    await sleep(50);
  }
}

function configOf({ folder, at, fabric, ingress, admin, peers, identity }: Place): string {
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
${identity === undefined ? '' : `request-identity-private-key-pem-file = "${identity}"`}
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
