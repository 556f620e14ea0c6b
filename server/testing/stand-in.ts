import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request to a stand-in. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  /** Read if it is JSON, otherwise a text; undefined without one. */
  readonly body: unknown;
}

/** The address of a stand-in for a service until the end of the test. It answers with JSON; `undefined` is a 404. */
export async function standIn(answer: (asked: Asked) => unknown): Promise<string> {
  const site = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const { pathname } = new URL(request.url ?? '', 'http://stand-in');
      const isJson = /^application\/[\w.+-]*json/.test(request.headers['content-type'] ?? '');
      const body: unknown = text === '' ? undefined : isJson ? JSON.parse(text) : text;
      const path = decodeURIComponent(pathname);
      const given = answer({ method: request.method ?? '', path, body });
      response.writeHead(given === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(given ?? { error: { message: 'Not found', status: 'NOT_FOUND' } }));
    });
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    site.closeAllConnections();
    site.close();
  });
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
}
