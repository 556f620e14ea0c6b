import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createOutbound } from '../../server/base/outbound/outbound.ts';
import { asker, startClient } from '../../server/base/outbound/testing/ask.ts';
import { startSite } from '../../server/base/outbound/testing/victim.ts';
import {
  OUTER_NAME,
  ownAddress,
  PASSWORD,
  programs,
  type RealProxyName,
  startRealProxy,
  USER,
} from '../support/real-proxy.ts';
import { freePort } from './proxy-suite.ts';

const never = new AbortController().signal;
const own = ownAddress ?? '';

/** What goes out through a proxy of the system. The destination is this machine, at an address that is not loopback. */
export function outboundProxySuite(name: RealProxyName): void {
  const { protocol } = programs[name];

  async function optionsFor(
    open: readonly number[],
    credentials: string | undefined = `${USER}:${PASSWORD}`,
  ) {
    const proxy = { address: await startRealProxy(name, open), credentials, except: [] };
    return { allow: [own], resolve: async () => [own], proxy };
  }

  describe.skipIf(ownAddress === undefined)(`through ${name}`, () => {
    test('requests arrive with their names, and connections are used again', async () => {
      const ports = new Set<number | undefined>();
      const site = await startSite((request, response) => {
        ports.add(request.socket.remotePort);
        response.end(`for ${request.headers.host}`);
      }, own);
      const ask = startClient(await optionsFor([site.port]));
      for (let i = 0; i < 3; i++) {
        expect(await ask(`http://shop.example:${site.port}/`)).toMatchObject({
          body: `for shop.example:${site.port}`,
        });
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
      expect(ports.size).toBe(1);
    });

    test('sockets pass what a server says first, and what is said to it', async () => {
      const server = createServer((socket) => {
        socket.on('error', () => {}).write('220 hello\r\n');
        socket.on('data', (bytes) => socket.end(`250 ${String(bytes)}`));
      });
      await new Promise<void>((resolve) => server.listen(0, own, resolve));
      onTestFinished(() => void server.close());
      const { port } = server.address() as AddressInfo;
      const outbound = createOutbound(await optionsFor([port]));
      onTestFinished(() => outbound.close());
      const socket = await outbound.connect({ host: 'mail.example', port }, asker, never, {
        timeoutMs: 5000,
      });
      socket.write('HELO\r\n');
      let all = '';
      for await (const bytes of socket) all += String(bytes);
      expect(all).toBe('220 hello\r\n250 HELO\r\n');
    });

    test('a wrong password, or none, is said', async () => {
      const port = await freePort();
      for (const credentials of ['', `${USER}:canary-of-the-tests`]) {
        const options = await optionsFor([port], credentials);
        const outcome = await startClient(options)(`http://shop.example:${port}/`);
        expect(outcome).toMatchObject({ code: 'proxy_auth', transient: false });
        expect(JSON.stringify(outcome)).not.toContain('canary');
      }
    });

    test('where nothing listens, the destination is named', async () => {
      const port = await freePort();
      const outcome = await startClient(await optionsFor([port]))(`http://shop.example:${port}/`);
      expect(outcome).toMatchObject({
        code: 'outbound_failed',
        message: expect.stringContaining(`could not reach http://shop.example:${port}`),
      });
    });

    test('what is inside is refused before the proxy is asked', async () => {
      const site = await startSite((_request, response) => response.end('secret'), own);
      const options = await optionsFor([site.port]);
      for (const proxyDns of ['local', 'proxy'] as const) {
        const ask = startClient({ ...options, allow: [], proxyDns });
        expect(await ask(`${site.url}/`)).toMatchObject({ code: 'outbound_refused' });
      }
    });

    if (protocol === 'http')
      test('a port that it does not allow is said', async () => {
        const site = await startSite((_request, response) => response.end('x'), own);
        const outcome = await startClient(await optionsFor([443]))(`http://shop.example:${site.port}/`);
        expect(outcome).toMatchObject({
          code: 'proxy_refused',
          message: expect.stringContaining('status 403'),
        });
      });

    if (name === 'squid')
      test('names that it alone knows are handed on to it', async () => {
        const site = await startSite((request, response) => response.end(`for ${request.headers.host}`), own);
        const options = await optionsFor([site.port]);
        const ask = startClient({ proxy: options.proxy, proxyDns: 'proxy' });
        const url = `http://${OUTER_NAME}:${site.port}/`;
        expect(await ask(url)).toMatchObject({ body: `for ${OUTER_NAME}:${site.port}` });
      });
  });
}
