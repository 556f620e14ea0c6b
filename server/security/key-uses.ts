import type { FastifyBaseLogger } from 'fastify';
import type { KeyStore } from './key-store.ts';

const everyMs = 60_000;

/** Writes when keys were used at most once a minute, and at the end: a request must not cost a write. */
export function keepUses(keys: KeyStore, log: FastifyBaseLogger): { close(): Promise<void> } {
  const write = (): Promise<void> =>
    keys.writeUses().catch((error: unknown) => {
      log.warn({ err: error }, 'when API keys were used could not be written');
    });
  const timer = setInterval(() => void write(), everyMs).unref();
  return {
    close() {
      clearInterval(timer);
      return write();
    },
  };
}
