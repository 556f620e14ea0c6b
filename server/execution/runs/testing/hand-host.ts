import type { Host } from '#engine';

/** A host whose clock and timers move only when the test moves them. */
export interface HandHost extends Host {
  /** Moves the clock, and calls due timers on the way. */
  advance(ms: number): void;
  /** Calls deferred functions until there are none. */
  settle(): void;
}

/** `defer` as given (the real one if sockets are involved), otherwise by hand. */
export function createHandHost(defer?: (fn: () => void) => void): HandHost {
  let now = 1_700_000_000_000;
  let ids = 0;
  let timers: { at: number; fn: () => void }[] = [];
  const deferred: (() => void)[] = [];

  function advance(ms: number): void {
    const end = now + ms;
    for (;;) {
      const due = timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      timers = timers.filter((timer) => timer !== due);
      now = Math.max(now, due.at);
      due.fn();
    }
    now = end;
  }

  return {
    now: () => now,
    random: () => 0.5,
    id: () => `id-${++ids}`,
    timer(ms, fn) {
      const timer = { at: now + ms, fn };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    defer: defer ?? ((fn) => void deferred.push(fn)),
    advance,
    settle() {
      for (let fn = deferred.shift(); fn !== undefined; fn = deferred.shift()) fn();
    },
  };
}
