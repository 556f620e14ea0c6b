import type { ChatItem, PlanStatus } from '#shared/chat-item.ts';
import type { Rendering } from './vis.ts';

/** The contents of the chunks of an answer; undefined if an item has none. */
export interface Contents {
  take(item: ChatItem): string | undefined;
  /** `status` is the status of the question, if it did not succeed. */
  end(status?: PlanStatus): string | undefined;
}

/** Each content is only the new text. */
export function increments(rendering: Rendering): Contents {
  return {
    take: (item) => rendering.take(item) || undefined,
    end: (status) => rendering.end(status) || undefined,
  };
}

/** Below this many characters, each token repeats the whole text. */
const ALWAYS_BELOW = 2000;
/**
 * Above it, the whole text is repeated once it has grown by this share, so a long answer costs a fixed multiple of its
 * length and not its square.
 */
const GROWTH = 1 / 50;

/** Each content is the whole text so far, as DB-GPT sends it. */
export function wholes(rendering: Rendering): Contents {
  let sent = '';
  let fresh = 0;

  function next(): string | undefined {
    fresh = 0;
    const text = rendering.whole();
    if (text === sent) return undefined;
    sent = text;
    return text;
  }

  return {
    take(item) {
      rendering.take(item);
      if (item.type === 'plan') return next();
      if (item.type !== 'text') return undefined;
      fresh += item.text.length;
      return sent.length < ALWAYS_BELOW || fresh >= sent.length * GROWTH ? next() : undefined;
    },
    end(status) {
      rendering.end(status);
      return next();
    },
  };
}
