import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunSummary } from '#shared/run-event.ts';
import { createHost } from '../server/base/adapters/node-host.ts';
import { HistoryWriter } from '../server/execution/history/history-writer.ts';
import type { RunHistory } from '../server/execution/history/history.ts';
import { type Line, measureSlowness } from './harness.ts';
import { assertGood, CONNECTIONS, rawRequest, startLoader } from './load.ts';

const RATE = 50_000;
const TICK_MS = 10;
const BODY = 'hello';

/**
 * Writes lines to the history at a steady rate, from a process that also answers requests as fast as it can. Dropped
 * lines count as missing.
 */
export async function besideServing(
  history: RunHistory,
  rowsFrom: (from: number, recorded: boolean, count: number) => RunSummary[],
  ms: number,
): Promise<Line> {
  const slowness = measureSlowness();
  const log = { warn: console.error, info: () => {}, error: console.error };
  const writer = new HistoryWriter({ host: createHost(), history, log: log as never });
  const server = createServer((_, response) => response.end(BODY)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  await using loader = startLoader();
  const load = await loader.start({
    port: (server.address() as AddressInfo).port,
    requests: [{ raw: rawRequest('GET', '/'), body: BODY }],
    status: 200,
    connections: CONNECTIONS,
  });
  const start = performance.now();
  const offered = await feed(ms, (from, count) => {
    for (const row of rowsFrom(from, false, count)) writer.line(row);
  });
  await writer.flush();
  const seconds = (performance.now() - start) / 1000;
  const served = await load.stop();
  server.close();
  server.closeAllConnections();
  assertGood(served);
  const kept = offered - writer.dropped;
  return {
    name: `summaries of runs beside serving, ${RATE} a second offered`,
    figure: kept / seconds,
    unit: '/s',
    // The last hand-over takes some milliseconds after the last line was offered.
    bar: { kind: 'at least', value: RATE * 0.97 },
    slowness,
    note: `${writer.dropped} of ${offered} dropped, ${Math.round(served.requests / (served.ms / 1000))} requests/s answered meanwhile`,
  };
}

/** Offers the lines that are due, until the time is up. */
function feed(ms: number, offer: (from: number, count: number) => void): Promise<number> {
  const start = performance.now();
  let offered = 0;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const passed = Math.min(performance.now() - start, ms);
      const due = Math.floor((passed / 1000) * RATE) - offered;
      offer(offered, due);
      offered += due;
      if (passed < ms) return;
      clearInterval(timer);
      resolve(offered);
    }, TICK_MS);
  });
}
