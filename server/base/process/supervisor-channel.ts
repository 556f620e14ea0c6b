import cluster from 'node:cluster';
import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** The metrics of one process, in the form that the library adds up. */
export type ProcessMetrics = readonly MetricObjectWithValues<MetricValue<string>>[];

/** What one of several processes tells its supervisor. */
export type FromProcess =
  | {
      readonly tell: 'ready';
      readonly port: number;
      readonly firstKey: string | undefined;
      readonly entrance: string | undefined;
    }
  /** Asks for the metrics of all processes. */
  | { readonly tell: 'ask-metrics'; readonly question: number }
  | { readonly tell: 'metrics'; readonly question: number; readonly metrics: ProcessMetrics }
  | Notice;

/** A notice of the bus, for all the others. */
interface Notice {
  readonly tell: 'notice';
  /** A topic of the bus, which only its processes know. */
  readonly topic: string;
  readonly name: string;
}

/** What a supervisor tells a process. */
export type ToProcess =
  | { readonly tell: 'give-metrics'; readonly question: number }
  | { readonly tell: 'all-metrics'; readonly question: number; readonly all: readonly ProcessMetrics[] }
  /** All processes are being stopped. */
  | { readonly tell: 'stopping' }
  | Notice;

/** Harmless without a supervisor, and while it ends. */
export function tellSupervisor(message: FromProcess): void {
  if (cluster.worker?.isConnected()) cluster.worker.send(message, () => {});
}

let readOwn: (() => Promise<ProcessMetrics>) | undefined;

/** Whoever has the metrics of this process says so once. */
export function offerMetrics(read: () => Promise<ProcessMetrics>): void {
  readOwn = read;
}

/** Nothing until they are offered. */
export async function ownMetrics(): Promise<ProcessMetrics> {
  return (await readOwn?.()) ?? [];
}

let asked = 0;

/** The metrics of all processes that answer within two seconds, this one included. */
export function metricsOfAll(): Promise<readonly ProcessMetrics[]> {
  const question = ++asked;
  return new Promise((resolve) => {
    const take = (message: ToProcess): void => {
      if (message.tell !== 'all-metrics' || message.question !== question) return;
      process.off('message', take);
      resolve(message.all);
    };
    process.on('message', take);
    tellSupervisor({ tell: 'ask-metrics', question });
  });
}
