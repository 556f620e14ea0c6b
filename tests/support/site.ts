import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request that a site received. */
export interface Visit {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** An outside server. */
export interface Site {
  readonly url: string;
  /** In the format of WEFT_OUTBOUND_ALLOW. */
  readonly address: string;
  readonly visits: Visit[];
}

/** Starts a server that answers each request after reading it to its end, until the test is over. */
export async function startSite(answer: (visit: Visit, response: ServerResponse) => void): Promise<Site> {
  const visits: Visit[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const visit = { method, url, headers, body: Buffer.concat(chunks) };
      visits.push(visit);
      answer(visit, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `http://${address}`, address, visits };
}
