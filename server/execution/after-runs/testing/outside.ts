import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Another party's server. */
export interface Outside {
  readonly url: string;
  /** The requests it received, oldest first. */
  readonly got: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }[];
  /** Addresses that answer 500 while they are in this set. */
  readonly failing: Set<string>;
  /** Addresses that do not answer before `free` is called. */
  readonly held: Set<string>;
  free(): void;
  close(): void;
}

export async function startOutside(): Promise<Outside> {
  const got: Outside['got'] = [];
  const failing = new Set<string>();
  const held = new Set<string>();
  let waiting: (() => void)[] = [];
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      const path = request.url ?? '';
      got.push({ path, headers: request.headers, body });
      if (held.has(path)) await new Promise<void>((resolve) => waiting.push(resolve));
      response.statusCode = failing.has(path) ? 500 : 200;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ path }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    got,
    failing,
    held,
    free() {
      held.clear();
      for (const go of waiting) go();
      waiting = [];
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
