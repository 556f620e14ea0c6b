const BEAT_MS = 5;
/** Shorter ones are no fault on any machine. */
const SHORT_MS = 200;
/** Milliseconds that `compute` takes on a machine of usual speed. */
const USUAL_MS = 50;

/**
 * Watches whether this thread keeps answering. `stop` returns the longest time that it computed between two beats, in milliseconds of a
 * machine of usual speed. The clock on the wall says nothing on a machine that is busy with other things, and a virtual machine that has
 * to wait for its processor counts that as computing: the same seconds tell how slow it is.
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
      return longest <= SHORT_MS ? longest : longest / Math.max(1, compute() / USUAL_MS);
    },
  };
}

/** Milliseconds of this thread for some work that is always the same. */
function compute(): number {
  const begun = ownMs();
  const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, name: `row ${id}`, tags: ['a', 'b'] }));
  const again = JSON.parse(JSON.stringify(rows)) as unknown[];
  if (again.length !== rows.length) throw new Error('JSON has lost rows.');
  return ownMs() - begun;
}

function ownMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
