import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { Agent } from 'undici';
import { type Answer, keyHeaders, signIn } from '../../tests/support/client.ts';
import {
  faults,
  fire,
  type Shot,
  type ShotRoute,
  shots,
  type ShotTarget,
} from '../../tests/support/shots.ts';
import { exampleFlow } from '../flows.ts';
import type { Line } from '../harness.ts';
import { flowFolder, type Server, startWeft } from '../servers.ts';
import { fact, never, type SoakContext, type SoakPart } from './part.ts';

const AT_ONCE = 16;
/** Requests that are made up at a time. */
const BATCH = 2000;

/** Requests by chance to every route, by everybody. */
export const bodies: SoakPart = {
  name: 'bodies',
  title: 'Requests that chance put together',
  async run({ random, short, say }: SoakContext): Promise<Line[]> {
    const count = short ? 2000 : 1_000_000;
    using folder = flowFolder(['simple_dag_example', 'order_triage'].map(exampleFlow));
    await using server = await startWeft(folder.path, { anyCore: true });
    await using stack = new AsyncDisposableStack();
    const agent = stack.adopt(new Agent({ connections: AT_ONCE }), (one) => one.close());
    const target = await targetOf(server, folder.path, agent);
    const all = shots(await routesOf(server));
    const found: string[] = [];
    let slowest = 0;
    for (let done = 0; done < count; done += BATCH) {
      const todo = fc.sample(all, { seed: random.between(0, 2 ** 31 - 1), numRuns: BATCH });
      const shooter = async (): Promise<void> => {
        for (let shot = todo.pop(); shot !== undefined; shot = todo.pop()) {
          const began = performance.now();
          found.push(...(await faultsOf(shot, target)));
          slowest = Math.max(slowest, performance.now() - began);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, shooter));
      if (!short && done % 100_000 === 0) say(`${done} requests: ${server.rssMB().toFixed(0)} MB`);
    }
    const hasEnded = server.child.exitCode !== null || server.child.signalCode !== null;
    return [
      fact('requests', count),
      never('bugs, pages, stacks, uncoded refusals', found),
      never('crashes', hasEnded ? ['the server has ended'] : []),
      fact('slowest answer', slowest, 'ms'),
    ];
  },
};

async function targetOf(server: Server, folder: string, dispatcher: Agent): Promise<ShotTarget> {
  const owner = await signIn({ url: server.origin, entrance: server.url });
  return {
    url: server.origin,
    dispatcher,
    headers: {
      owner: owner.headers,
      key: keyHeaders({ key: readFileSync(join(folder, 'data/api-key.txt'), 'utf8').trim() }),
      wrong: { authorization: 'Bearer wrong' },
      nobody: {},
    },
  };
}

/** Every route that the server says it has. */
async function routesOf({ origin }: Server): Promise<ShotRoute[]> {
  const { paths } = (await (await fetch(`${origin}/openapi.json`)).json()) as {
    paths: Record<string, object>;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase(),
      url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    })),
  );
}

async function faultsOf(shot: Shot, target: ShotTarget): Promise<string[]> {
  let answer: Answer;
  try {
    answer = await fire(shot, target);
  } catch (error) {
    return [`${shot.method} ${shot.path}: ${String(error)}`];
  }
  return faults(shot, answer).map(
    (fault) => `${fault}: ${JSON.stringify(shot)} gave ${answer.status} ${answer.text.slice(0, 200)}`,
  );
}
