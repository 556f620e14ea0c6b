// Preloaded into a measured server (with `ipc`): how late its event loop was between the messages `begin` and `tell`, p99 and
// at most, in milliseconds. `own`: as far as it can be the loop's own doing, which is no more than the CPU time that its thread took
// since the last look; the rest it waited for its core.
import { percentile } from '../harness.ts';

const LOOK_MS = 10;
let looks = { late: [], own: [] };
let looked = performance.now();
let cpu = process.threadCpuUsage();

setInterval(() => {
  const now = performance.now();
  const late = Math.max(0, now - looked - LOOK_MS);
  const { user, system } = process.threadCpuUsage(cpu);
  looks.late.push(late);
  looks.own.push(Math.min(late, (user + system) / 1000));
  cpu = process.threadCpuUsage();
  looked = now;
}, LOOK_MS).unref();

process.on('message', (message) => {
  if (message === 'begin') looks = { late: [], own: [] };
  if (message === 'tell') process.send({ late: worst(looks.late), own: worst(looks.own) });
});
process.channel?.unref();

function worst(values) {
  return { p99: percentile(values, 99), max: percentile(values, 100) };
}
