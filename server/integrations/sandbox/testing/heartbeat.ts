const BEAT_MS = 5;

/**
 * Watches whether this thread keeps answering. `stop` returns the longest time in milliseconds that it computed between two
 * beats. The clock on the wall says nothing on a machine that is busy with other things.
 */
export function watchHeartbeat(): { stop(): number } {
  let last = ownMs();
  let longest = 0;
  const timer = setInterval(() => {
    const now = ownMs();
    longest = Math.max(longest, now - last);
    last = now;
  }, BEAT_MS);
  return {
    stop() {
      clearInterval(timer);
      return longest;
    },
  };
}

function ownMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
