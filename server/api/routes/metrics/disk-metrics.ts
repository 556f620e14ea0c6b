import { Gauge, type Registry } from 'prom-client';
import { diskSpace, diskUsage } from '../../../base/files/disk-usage.ts';

/** How long counted bytes are shown before they are counted again, in milliseconds: a folder may hold many files. */
const COUNT_MS = 60_000;

/** The disk space used by the data folder, and the free space. */
export function addDiskMetrics(registers: Registry[], data: string, now: () => number): void {
  const usage = kept(() => diskUsage(data), now);
  new Gauge({
    name: 'weft_disk_used_bytes',
    help: 'Bytes in the data folder by kind: files of flows, blobs (large values of runs), runs, databases, other. Counted once a minute at most.',
    labelNames: ['kind'],
    // All processes count the same ones.
    aggregator: 'max',
    registers,
    async collect() {
      for (const [kind, bytes] of Object.entries(await usage())) this.set({ kind }, bytes);
    },
  });
  new Gauge({
    name: 'weft_disk_free_bytes',
    help: 'Bytes that are free on the disk of the data folder.',
    aggregator: 'min',
    registers,
    async collect() {
      this.set((await diskSpace(data).catch(() => undefined))?.free ?? Number.NaN);
    },
  });
}

function kept<T>(count: () => Promise<T>, now: () => number): () => Promise<T> {
  let counted: { readonly at: number; readonly value: Promise<T> } | undefined;
  return () => {
    if (counted === undefined || now() - counted.at >= COUNT_MS) counted = { at: now(), value: count() };
    return counted.value;
  };
}
