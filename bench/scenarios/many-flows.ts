import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { helloFlow, manyHelloFlows } from '../flows.ts';
import {
  type BenchContext,
  interleave,
  type Line,
  measureSlowness,
  median,
  medianRatio,
  type Scenario,
} from '../harness.ts';
import { assertGood, CONNECTIONS, type Loader, type LoadResult, rawRequest, startLoader } from '../load.ts';
import { flowFolder, type Server, startWeft } from '../servers.ts';
import { type Session, signIn } from '../session.ts';

const FEW = 10;
const PATHS = 10;
/** Requests a second while flows are published. */
const RATE = 1000;
const TRIGGERS = '/api/v1/awel/trigger';

/** Many flows: how long they take to load, whether a request is as fast among them, and what putting one live costs. */
export const manyFlows: Scenario = {
  name: 'many-flows',
  title: 'Many flows with triggers',
  async run({ quick, say }: BenchContext): Promise<Line[]> {
    const count = quick ? 500 : 10_000;
    using fewFolder = flowFolder(manyHelloFlows(FEW));
    using manyFolder = flowFolder(manyHelloFlows(count));
    // Once each, so that compiled code and the data folder are there.
    await (await startWeft(fewFolder.path))[Symbol.asyncDispose]();
    const load = await loadLines(fewFolder.path, manyFolder.path, count, quick ? 1 : 3);
    say(`${count} flows were loaded`);

    await using few = await startWeft(fewFolder.path);
    await using many = await startWeft(manyFolder.path);
    await using loader = startLoader();
    const flat = await lookUpLine(loader, few, many, { count, quick });
    say('requests were compared');
    return [...load, flat, ...(await publishLines(loader, many, manyFolder.path, quick ? 4 : 40))];
  },
};

// -------------------------------------------------------------------------------------------------------- loading

async function loadLines(few: string, many: string, count: number, rounds: number): Promise<Line[]> {
  const ready = async (folder: string): Promise<number> => {
    await using server = await startWeft(folder);
    return server.readyMs;
  };
  const times = await interleave(
    {
      few: () => ready(few),
      many: () => ready(many),
      parse: () => readAndParse(join(many, 'flows')),
      slowness: measureSlowness,
    },
    rounds,
  );
  const ms = times.many.map((time, i) => time - (times.few[i] as number));
  return [
    {
      name: `start with ${count} flows, beyond one with ${FEW}`,
      figure: median(ms) / 1000,
      unit: 's',
      // Of the three seconds for 10,000, half a one is for code that is not compiled yet.
      bar: { kind: 'at most', value: 0.5 + (2.5 * count) / 10_000 },
      slowness: median(times.slowness),
      note: 'to the ready line',
    },
    {
      name: '  against reading and parsing the same files',
      figure: medianRatio(ms, times.parse),
      unit: 'x',
      note: `which takes ${median(times.parse).toFixed(0)} ms`,
    },
  ];
}

function readAndParse(folder: string): number {
  const started = performance.now();
  for (const name of readdirSync(folder)) {
    if (name.endsWith('.json')) JSON.parse(readFileSync(join(folder, name), 'utf8'));
  }
  return performance.now() - started;
}

// ------------------------------------------------------------------------------------------------------- requests

async function lookUpLine(
  loader: Loader,
  few: Server,
  many: Server,
  { count, quick }: { count: number; quick: boolean },
): Promise<Line> {
  const spec = (server: Server, step: number) => ({
    port: server.port,
    requests: Array.from({ length: PATHS }, (_, i) => helloRequest(`/bench/hello-${i * step}`)),
    status: 200,
    connections: CONNECTIONS,
  });
  const rate = (server: Server, step: number) => async (): Promise<number> => {
    const result = await loader.run({ ...spec(server, step), ms: quick ? 150 : 500 });
    assertGood(result);
    return result.requests / result.ms;
  };
  const step = count / PATHS;
  const warmUp = quick ? 6000 : 60_000;
  assertGood(await loader.run({ ...spec(few, 1), count: warmUp }));
  assertGood(await loader.run({ ...spec(many, step), count: warmUp }));
  const cases = { few: rate(few, 1), many: rate(many, step) };
  const rates = await interleave(cases, quick ? 3 : 31);
  return {
    name: `requests a second, ${count} flows against ${FEW}`,
    figure: medianRatio(rates.many, rates.few),
    unit: 'x',
    bar: { kind: 'at least', value: 0.95 },
    note: `${median(rates.many).toFixed(1)} k/s against ${median(rates.few).toFixed(1)} k/s`,
  };
}

function helloRequest(path: string, body = '"Hello, Ada, your age is 18"') {
  return { raw: rawRequest('GET', `${TRIGGERS}${path}?name=Ada`), body, exact: body.endsWith('18"') };
}

// ----------------------------------------------------------------------------------------------------- publishing

const ID = 'hello_5';
const PATH = '/bench/hello-5';

/** Puts versions of one flow live while it is asked for, and waits until each answers. */
async function publishLines(loader: Loader, server: Server, folder: string, times: number): Promise<Line[]> {
  const session = await signIn(server);
  const load = {
    port: server.port,
    requests: [helloRequest(PATH, '"Hello')],
    status: 200,
    connections: 16,
    rate: RATE,
  };
  await publish(session, server, 'Hello, {{ input.name }} (warm)');

  const quiet = await repeat(times, (i) => publish(session, server, `Hello, {{ input.name }} (quiet ${i})`));
  const slowness = measureSlowness();
  const paced = await loader.start(load);
  const loaded = await repeat(times, (i) =>
    publish(session, server, `Hello, {{ input.name }} (loaded ${i})`),
  );
  const fromFile = await repeat(Math.ceil(times / 4), (i) =>
    replaceFile(folder, server, `Hello, {{ input.name }} (file ${i})`),
  );
  const result = await paced.stop();
  if (result.requests === 0) throw new Error('there was no load while flows were published');
  return [
    {
      name: 'save of one flow until it answers, under load',
      figure: median(loaded),
      unit: 'ms',
      bar: { kind: 'at most', value: 20 },
      slowness,
      note: `${RATE} requests a second; longest ${Math.max(...loaded).toFixed(0)} ms; without load ${median(quiet).toFixed(1)} ms`,
    },
    failedLine(result, 2 * times),
    {
      name: 'file replaced from outside until it answers',
      figure: median(fromFile),
      unit: 'ms',
      note: 'gathers changes first',
    },
  ];
}

function failedLine({ failed, firstFailure, requests }: LoadResult, publishes: number): Line {
  return {
    name: `failed requests while ${publishes} versions went live`,
    figure: failed,
    unit: '',
    bar: { kind: 'at most', value: 0 },
    note: firstFailure ?? `of ${requests}`,
  };
}

async function repeat(times: number, fn: (i: number) => Promise<number>): Promise<number[]> {
  const results: number[] = [];
  for (let i = 0; i < times; i++) results.push(await fn(i));
  return results;
}

async function publish(session: Session, server: Server, template: string): Promise<number> {
  const { revision } = await session.get(ID);
  const started = performance.now();
  await session.save(helloFlow(ID, PATH, { template }), revision);
  await untilAnswers(server, template);
  return performance.now() - started;
}

async function replaceFile(folder: string, server: Server, template: string): Promise<number> {
  const file = join(folder, 'flows', `${ID}.json`);
  const next = join(folder, 'next.json');
  writeFileSync(next, `${JSON.stringify(helloFlow(ID, PATH, { template }), null, 2)}\n`);
  const started = performance.now();
  renameSync(next, file);
  await untilAnswers(server, template);
  return performance.now() - started;
}

const ANSWER_LIMIT_MS = 10_000;

async function untilAnswers({ origin }: Server, template: string): Promise<void> {
  const wanted = JSON.stringify(template.replace('{{ input.name }}', 'Ada'));
  const started = performance.now();
  let answer = '';
  while (answer !== wanted) {
    if (performance.now() - started > ANSWER_LIMIT_MS)
      throw new Error(`${ID} answers ${answer} instead of ${wanted}`);
    answer = await (await fetch(`${origin}${TRIGGERS}${PATH}?name=Ada`)).text();
  }
}
