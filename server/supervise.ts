import cluster, { type Worker } from 'node:cluster';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyBaseLogger } from 'fastify';
import { announce } from './announce.ts';
import type { Config } from './base/config/config.ts';
import { StartError } from './base/errors/start-error.ts';
import { controlSocket, prepareDataFolder } from './base/files/data-folder.ts';
import { type DataLock, lockData, waitForProcesses } from './base/files/lock.ts';
import { startErrorOf } from './base/files/storage-start.ts';
import { PROCESS_MARK } from './one-of-processes.ts';
import type { LastNet } from './base/process/last-net.ts';
import { createSignalReader } from './base/process/signals.ts';
import type { FromProcess, ProcessMetrics, ToProcess } from './base/process/supervisor-channel.ts';

/** The shortest pause before a process that ended is started again, in milliseconds; doubled each time that it ends soon after. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
/** A process that lived for so long ended for another reason than the last time. */
const SETTLED_MS = 60_000;
/** The time in which the last messages of a process that ended are read, in milliseconds. */
const DRAINED_MS = 20;
/** How long metrics wait for those of a process that does not answer, in milliseconds. */
const METRICS_MS = 2000;
/** The time that a process may need to close, in milliseconds, beyond the time that its runs have to end. */
const CLOSING_MS = 15_000;

interface Supervised {
  readonly config: Config;
  readonly log: FastifyBaseLogger;
  /** Standard output is a terminal that a person reads. */
  readonly terminal: boolean;
  readonly net: LastNet;
}

type Ready = Extract<FromProcess, { readonly kind: 'ready' }>;

/**
 * Starts as many processes as the settings ask for, which serve on one port, and starts those that end again, until a
 * signal stops them all (docs/decisions/0044-processes-and-rolling-deploys.md). Resolves once all serve; rejects with a
 * `StartError`. The first one starts alone, because it may have to bring the database to the newest format; without a database it
 * keeps the data folder (docs/decisions/0051-processes-of-a-data-folder.md).
 */
export async function supervise({ config, log, terminal, net }: Supervised): Promise<void> {
  const lock = await prepareFolder(config, log);
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({ exec: fileURLToPath(new URL('./index.js', import.meta.url)), args: [] });
  const all = new Processes(config.processes, log);
  process.once('exit', () => lock.release());
  stopOnSignals(all, log);
  const withinMs = config.drainMs + config.graceMs + CLOSING_MS;
  net.endBy({ stop: () => all.stop(), withinMs });
  const first = await all.start(1);
  const others = await Promise.all(numbersFrom(2, config.processes).map((number) => all.start(number)));
  const told = [first, ...others];
  const firstKey = told.find((ready) => ready.firstKey !== undefined)?.firstKey;
  const { port, entrance } = first;
  announce({ config, port, firstKey, entrance }, terminal, (text) => process.stdout.write(text));
}

async function prepareFolder({ data }: Config, log: FastifyBaseLogger): Promise<DataLock> {
  try {
    const problem = prepareDataFolder(data);
    if (problem !== undefined) log.warn(problem);
    const lock = lockData(data);
    await waitForProcesses(data);
    // Left by processes that were killed; the lock proves that none is running.
    rmSync(controlSocket(data), { force: true });
    return lock;
  } catch (error) {
    throw startErrorOf(error, data);
  }
}

function numbersFrom(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

function stopOnSignals(all: Processes, log: FastifyBaseLogger): void {
  const read = createSignalReader(() => performance.now());
  const onSignal = (signal: NodeJS.Signals): void => {
    const wish = read();
    if (wish === 'repeat') return;
    if (wish === 'leave') {
      all.signal('SIGKILL');
      process.exit(1);
    }
    log.info({ signal, processes: all.size }, 'stopping all processes');
    void all.stop().then((code) => process.exit(code));
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal);
}

class Processes {
  private readonly workers = new Map<number, Worker>();
  private readonly questions = new Map<string, (metrics: ProcessMetrics) => void>();
  private readonly count: number;
  private readonly log: FastifyBaseLogger;
  private stopping = false;
  private asked = 0;
  /** The worst exit code of those that ended while all were stopping. */
  private code = 0;

  constructor(count: number, log: FastifyBaseLogger) {
    this.count = count;
    this.log = log;
  }

  get size(): number {
    return this.workers.size;
  }

  /** Starts a process for the first time. Rejects with a `StartError` if it ends before it serves; its own message is out. */
  async start(number: number): Promise<Ready> {
    const ready = await this.fork(number, 0);
    if (ready !== undefined) return ready;
    if (this.stopping) return await new Promise(() => {});
    await this.stop();
    throw new StartError(`Process ${number} of ${this.count} did not start.`);
  }

  signal(signal: NodeJS.Signals): void {
    for (const worker of this.workers.values()) worker.process.kill(signal);
  }

  /** Stops all in their order; resolves to the worst exit code. */
  async stop(): Promise<number> {
    this.stopping = true;
    const ended = [...this.workers.values()].map(
      (worker) => new Promise((resolve) => worker.once('exit', resolve)),
    );
    for (const worker of this.workers.values()) send(worker, { kind: 'stopping' });
    this.signal('SIGTERM');
    await Promise.all(ended);
    return this.code;
  }

  /** Resolves once the process serves; undefined if it ended before. */
  private fork(number: number, pauseMs: number): Promise<Ready | undefined> {
    const startedAt = performance.now();
    const worker = cluster.fork({ [PROCESS_MARK]: `${number}/${this.count}` });
    this.workers.set(number, worker);
    returnUntaken(worker);
    let isReady = false;
    return new Promise((resolve) => {
      worker.on('message', (message: FromProcess) => {
        if (message.kind === 'ready') {
          isReady = true;
          resolve(message);
        } else if (message.kind === 'notice') this.handOn(worker, message);
        else if (message.kind === 'ask-metrics') void this.giveMetrics(worker, message.question);
        else this.questions.get(`${message.question} ${worker.id}`)?.(message.metrics);
      });
      worker.on('error', (err) => this.log.error({ err, process: number }, 'a process failed'));
      worker.once('exit', (code, signal) => {
        this.workers.delete(number);
        if (this.stopping) this.code = Math.max(this.code, code ?? 1);
        // A first start that fails is told to whoever waits for it; later ones are tried again.
        else if (isReady || pauseMs > 0) {
          const settled = performance.now() - startedAt > SETTLED_MS;
          const next = settled || pauseMs === 0 ? FIRST_PAUSE_MS : Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
          this.log.error(
            { process: number, code, signal, againInMs: next },
            'a process ended; it is started again',
          );
          void this.again(number, next);
        }
        resolve(undefined);
      });
    });
  }

  private async again(number: number, pauseMs: number): Promise<void> {
    await sleep(pauseMs);
    if (this.stopping) return;
    if ((await this.fork(number, pauseMs)) !== undefined)
      this.log.info({ process: number }, 'a process serves again');
  }

  private handOn(from: Worker, notice: Extract<FromProcess, { readonly kind: 'notice' }>): void {
    for (const worker of this.workers.values()) if (worker !== from) send(worker, notice);
  }

  /** Gives one process the metrics of all that answer in time. */
  private async giveMetrics(asker: Worker, question: number): Promise<void> {
    const id = ++this.asked;
    const all = await Promise.all([...this.workers.values()].map((worker) => this.metricsOf(worker, id)));
    send(asker, {
      kind: 'all-metrics',
      question,
      all: all.flatMap((one) => (one === undefined ? [] : [one])),
    });
  }

  private async metricsOf(worker: Worker, id: number): Promise<ProcessMetrics | undefined> {
    const key = `${id} ${worker.id}`;
    const answered = new Promise<ProcessMetrics>((resolve) => this.questions.set(key, resolve));
    send(worker, { kind: 'give-metrics', question: id });
    const late = new AbortController();
    const inTime = await Promise.race([
      answered,
      sleep(METRICS_MS, undefined, { signal: late.signal }).catch(() => undefined),
    ]);
    late.abort();
    this.questions.delete(key);
    return inTime;
  }
}

/** A message of Node to a process about a connection, and the answer to it. */
interface ClusterMessage {
  readonly cmd?: 'NODE_CLUSTER';
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

/**
 * A connection that is handed to a process which dies before it takes it is forgotten by Node: it stays open here, and its client
 * waits for ever. Once the process is gone, Node is told that it was not accepted, and hands it to another one.
 */
function returnUntaken({ process: child }: Worker): void {
  const untaken = new Set<number>();
  const send = child.send.bind(child) as (...args: unknown[]) => boolean;
  child.send = (...args: unknown[]) => {
    const { cmd, act, seq } = args[0] as ClusterMessage;
    if (cmd === 'NODE_CLUSTER' && act === 'newconn' && seq !== undefined) untaken.add(seq);
    return send(...args);
  };
  child.on('internalMessage', ({ ack }: ClusterMessage) => {
    if (ack !== undefined) untaken.delete(ack);
  });
  const giveBack = (): void => {
    if (child.connected) child.disconnect();
    // Node may wait for the rest of a message before it takes the process off its list; none comes any more.
    child.emit('internalMessage', {});
    for (const ack of untaken) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false });
  };
  // What the process had answered is read first.
  child.once('exit', () => void setTimeout(giveBack, DRAINED_MS));
}

/** One that has just ended cannot be told anything. */
function send(worker: Worker, message: ToProcess): void {
  if (worker.isConnected()) worker.send(message, () => {});
}
