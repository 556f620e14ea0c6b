import type { FastifyBaseLogger } from 'fastify';
import type { KeyStore } from './key-store.ts';

const everyMs = 60_000;

/** Writes the last uses of keys at most once a minute, and at the end: a request must not cost a write. */
export function keepUses(keys: KeyStore, log: FastifyBaseLogger): { close(): Promise<void> } {
  const write = (): Promise<void> =>
    keys.writeUses().catch((error: unknown) => {
      log.warn({ err: error }, 'the last uses of API keys could not be stored');
    });
  const timer = setInterval(() => void write(), everyMs).unref();
  return {
    close() {
      clearInterval(timer);
      return write();
    },
  };
}
