import type { ChatItem } from '#shared/chat-item.ts';
import type { Rendering } from './vis.ts';

/** The contents of the chunks of an answer; undefined where an item gives none. */
export interface Contents {
  take(item: ChatItem): string | undefined;
  end(): string | undefined;
}

/** Each content is what is new. */
export function increments(rendering: Rendering): Contents {
  return {
    take: (item) => rendering.take(item) || undefined,
    end: () => rendering.end() || undefined,
  };
}

/** Below this many characters each token gives the whole text again. */
const ALWAYS_BELOW = 2000;
/** Above it, growth by this share does: a long answer then costs a fixed multiple of its length, and not the square. */
const GROWTH = 1 / 50;

/** Each content is all there is so far, as the original sends it. */
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
    end() {
      rendering.end();
      return next();
    },
  };
}
