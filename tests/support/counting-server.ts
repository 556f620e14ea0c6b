import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An outside server that counts its requests by path. */
export interface CountingServer {
  readonly url: string;
  /** Number of requests for each path since the last `forget`. */
  calls(): Record<string, number>;
  /** The `saw` of the last request for a path. */
  saw(name: string): string | null;
  /** The next requests for a path get a 400, until `forget`. */
  fail(name: string): void;
  forget(): void;
  close(): Promise<void>;
}

export async function countingServer(): Promise<CountingServer> {
  const calls = new Map<string, number>();
  const seen = new Map<string, string | null>();
  const failing = new Set<string>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://outside');
    const name = url.pathname.slice(1);
    calls.set(name, (calls.get(name) ?? 0) + 1);
    seen.set(name, url.searchParams.get('saw'));
    response.statusCode = failing.has(name) ? 400 : 200;
    response.end(`${name}-answer`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: () => Object.fromEntries(calls),
    saw: (name) => seen.get(name) ?? null,
    fail: (name) => void failing.add(name),
    forget() {
      calls.clear();
      seen.clear();
      failing.clear();
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
