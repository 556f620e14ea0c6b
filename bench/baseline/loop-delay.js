// Preloaded into a measured server (with `ipc`): how late its event loop was between the messages `begin` and `tell`.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();

process.on('message', (message) => {
  if (message === 'begin') delay.reset();
  if (message === 'tell') process.send({ p99: late(delay.percentile(99)), max: late(delay.max) });
});
process.channel?.unref();

function late(ns) {
  return Math.max(0, ns / 1e6 - RESOLUTION_MS);
}
