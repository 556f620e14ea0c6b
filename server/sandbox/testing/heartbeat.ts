const BEAT_MS = 5;

/**
 * Watches whether this process keeps answering. `stop` returns the longest gap between two beats in milliseconds, as
 * far as this process itself was computing in it: on a machine that is busy with other things a gap says nothing.
 */
export function watchHeartbeat(): { stop(): number } {
  let last = { at: performance.now(), cpu: ownMs() };
  let longest = 0;
  const timer = setInterval(() => {
    const now = { at: performance.now(), cpu: ownMs() };
    longest = Math.max(longest, Math.min(now.at - last.at, 2 * (now.cpu - last.cpu)));
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
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
