import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pause } from './part.ts';
import type { Random } from './random.ts';

/** What the outside saw of one step of one run. */
export interface SeenStep {
  calls: number;
  /** Idempotency keys that came. */
  readonly keys: Set<string>;
}

/** A server outside, which knows what really happened. */
export interface Outside extends AsyncDisposable {
  /** Without a slash at the end; `/<step>?run=<name>` is a step of a run. */
  readonly url: string;
  /** Steps by run and name. */
  readonly runs: ReadonlyMap<string, ReadonlyMap<string, SeenStep>>;
  /** Steps that came again when one that follows them had come: they were finished before. */
  readonly repeated: readonly string[];
}

export interface OutsideDeps {
  readonly random: Random;
  /** The step's place in the flow: those with a higher one begin when it is finished. */
  readonly rankOf: (step: string) => number;
  /** What the server is at, in words. */
  readonly now?: () => string;
  /** This step refuses the first call of each run with a 503. */
  readonly moody: string;
}

/** Takes its time for answers, up to so many milliseconds. */
const MAX_MS = 20;

export async function startOutside({ random, rankOf, moody, now = () => '' }: OutsideDeps): Promise<Outside> {
  const runs = new Map<string, Map<string, SeenStep>>();
  const repeated: string[] = [];
  /** By run, what came and when. */
  const stories = new Map<string, string[]>();

  function note(run: string, step: string, key: string): SeenStep {
    const steps = runs.get(run) ?? new Map<string, SeenStep>();
    runs.set(run, steps);
    const reached = Math.max(...[...steps.keys()].map(rankOf), 0);
    const story = stories.get(run) ?? [];
    stories.set(run, story);
    story.push(`${step} at ${performance.now().toFixed(0)} ms (${now()})`);
    if (reached > rankOf(step)) repeated.push(`${step} of run ${run}: ${story.join(', ')}`);
    const seen = steps.get(step) ?? { calls: 0, keys: new Set() };
    steps.set(step, seen);
    seen.calls++;
    seen.keys.add(key);
    return seen;
  }

  async function answer(request: IncomingMessage): Promise<number> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://outside');
    const step = pathname.slice(1);
    const { calls } = note(searchParams.get('run') ?? '', step, String(request.headers['idempotency-key']));
    await pause(random.between(0, MAX_MS));
    return step === moody && calls === 1 ? 503 : 200;
  }

  const server = createServer((request, response) => {
    request.resume();
    const run = new URL(request.url ?? '/', 'http://outside').searchParams.get('run');
    const body = JSON.stringify({ done: true, run });
    const head = { 'content-type': 'application/json' };
    void answer(request).then((status) => response.writeHead(status, head).end(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    runs,
    repeated,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
