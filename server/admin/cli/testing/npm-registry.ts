import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A registry of npm over a real socket, with one package. */
export interface NpmRegistry {
  /** Settings that make npm use this registry only. */
  readonly env: Record<string, string>;
  /** The requested paths. */
  readonly asked: string[];
  /** Answers instead of the registry if it returns true. */
  instead: (request: IncomingMessage, response: ServerResponse) => boolean;
  close(): Promise<void>;
}

export async function startRegistry(
  manifest: { readonly name: string; readonly version: string },
  tarball: Buffer,
  cache: string,
): Promise<NpmRegistry> {
  const { name, version } = manifest;
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (!registry.instead(request, response)) serve(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const file = `/${name}/-/${name}-${version}.tgz`;
  const dist = {
    tarball: `${origin}${file}`,
    integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
    shasum: createHash('sha1').update(tarball).digest('hex'),
  };
  const packument = {
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { ...manifest, dist } },
  };

  function serve({ url }: IncomingMessage, response: ServerResponse): void {
    if (url === `/${name}`) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(packument));
    } else if (url === file) response.end(tarball);
    else response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"Not found"}');
  }

  const registry: NpmRegistry = {
    env: {
      npm_config_registry: `${origin}/`,
      npm_config_cache: cache,
      npm_config_noproxy: '127.0.0.1',
      npm_config_fetch_retries: '0',
    },
    asked,
    instead: () => false,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return registry;
}
