import cluster from 'node:cluster';
import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** The metrics of one process, in the form that the library adds up. */
export type ProcessMetrics = readonly MetricObjectWithValues<MetricValue<string>>[];

/** A message of one of several processes to its supervisor. */
export type FromProcess =
  | {
      readonly kind: 'ready';
      readonly port: number;
      readonly firstKey: string | undefined;
      readonly entrance: string | undefined;
    }
  /** Requests the metrics of all processes. */
  | { readonly kind: 'ask-metrics'; readonly question: number }
  | { readonly kind: 'metrics'; readonly question: number; readonly metrics: ProcessMetrics }
  | Notice;

/** A notice of the bus for all other processes. */
interface Notice {
  readonly kind: 'notice';
  /** A topic of the bus, which only its processes know. */
  readonly topic: string;
  readonly name: string;
}

/** A message of the supervisor to a process. */
export type ToProcess =
  | { readonly kind: 'give-metrics'; readonly question: number }
  | { readonly kind: 'all-metrics'; readonly question: number; readonly all: readonly ProcessMetrics[] }
  /** All processes are being stopped. */
  | { readonly kind: 'stopping' }
  | Notice;

/** Does nothing without a supervisor, and while it ends. */
export function notifySupervisor(message: FromProcess): void {
  if (cluster.worker?.isConnected()) cluster.worker.send(message, () => {});
}

let readOwn: (() => Promise<ProcessMetrics>) | undefined;

/** Registers, once, the function that reads the metrics of this process. */
export function offerMetrics(read: () => Promise<ProcessMetrics>): void {
  readOwn = read;
}

/** Empty until they are offered. */
export async function ownMetrics(): Promise<ProcessMetrics> {
  return (await readOwn?.()) ?? [];
}

let asked = 0;

/** The metrics of all processes that answer within two seconds, including this one. */
export function metricsOfAll(): Promise<readonly ProcessMetrics[]> {
  const question = ++asked;
  return new Promise((resolve) => {
    const take = (message: ToProcess): void => {
      if (message.kind !== 'all-metrics' || message.question !== question) return;
      process.off('message', take);
      resolve(message.all);
    };
    process.on('message', take);
    notifySupervisor({ kind: 'ask-metrics', question });
  });
}
