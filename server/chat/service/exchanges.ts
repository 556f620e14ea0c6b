import type { Run } from '#engine';

/** One question and its answer in progress. */
export interface Exchange {
  readonly run: Run;
  readonly owner: string;
  readonly conversation: string;
  /** It was stopped: it ends here, as if it were complete. */
  stopped: boolean;
}

/** Chats in progress by their conversation, so that they can be stopped. */
export interface Exchanges {
  add(exchange: Exchange): void;
  remove(exchange: Exchange): void;
  /** Stops all chats of a conversation; returns how many. */
  stop(owner: string, conversation: string): number;
}

export function createExchanges(): Exchanges {
  const byConversation = new Map<string, Set<Exchange>>();
  return {
    add(exchange) {
      const key = keyOf(exchange);
      const others = byConversation.get(key);
      if (others) others.add(exchange);
      else byConversation.set(key, new Set([exchange]));
    },
    remove(exchange) {
      const key = keyOf(exchange);
      const all = byConversation.get(key);
      all?.delete(exchange);
      if (all?.size === 0) byConversation.delete(key);
    },
    stop(owner, conversation) {
      const all = [...(byConversation.get(keyOf({ owner, conversation })) ?? [])];
      for (const exchange of all) {
        exchange.stopped = true;
        exchange.run.cancel('stop');
      }
      return all.length;
    },
  };
}

function keyOf({ owner, conversation }: Pick<Exchange, 'owner' | 'conversation'>): string {
  return JSON.stringify([owner, conversation]);
}
