import type { Host } from '#engine';

/** A socket that has output to send from time to time. */
interface Flushed {
  flush(): void;
}

const FLUSH_MS = 16;
const FLUSH_CLIENTS = 128;

/**
 * The common clock of all websockets: flushes those that ask for it.
 * A message costs the server about the same whether it has one item or a hundred. So only some of many clients are
 * flushed at a time: each gets fewer and larger messages, and sending takes a bounded part of the server's time,
 * however many clients there are. A thousand clients of a busy run get messages eight times a second.
 */
export function createFlushes(host: Host): {
  readonly wake: (client: Flushed) => void;
  readonly forget: (client: Flushed) => void;
} {
  /** In the order of their requests. */
  const awake = new Set<Flushed>();
  let isSet = false;

  function setClock(): void {
    if (isSet) return;
    isSet = true;
    host.timer(FLUSH_MS, flush);
  }

  function flush(): void {
    isSet = false;
    let left = Math.min(FLUSH_CLIENTS, awake.size);
    for (const client of awake) {
      if (left-- === 0) break;
      awake.delete(client);
      client.flush();
    }
    if (awake.size > 0) setClock();
  }

  return {
    wake(client) {
      awake.add(client);
      setClock();
    },
    forget: (client) => void awake.delete(client),
  };
}
