import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A registry of npm over a real socket, with a few packages. */
export interface NpmRegistry {
  /** Settings that make npm use this registry only. */
  readonly env: Record<string, string>;
  /** The requested paths. */
  readonly asked: string[];
  /** Answers instead of the registry if it returns true. */
  instead: (request: IncomingMessage, response: ServerResponse) => boolean;
  close(): Promise<void>;
}

/** A published package. */
export interface Published {
  readonly manifest: { readonly name: string; readonly version: string };
  readonly tarball: Buffer;
}

export async function startRegistry(published: readonly Published[], cache: string): Promise<NpmRegistry> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(decodeURIComponent(request.url ?? ''));
    if (!registry.instead(request, response)) serve(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answers = new Map(published.flatMap((one) => answersFor(one, origin)));

  function serve({ url = '' }: IncomingMessage, response: ServerResponse): void {
    const answer = answers.get(decodeURIComponent(url));
    if (Buffer.isBuffer(answer)) response.end(answer);
    else {
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? { error: 'Not found' }));
    }
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

/** The answers of the registry for a package and for its tarball. */
function answersFor({ manifest, tarball }: Published, origin: string): [string, object | Buffer][] {
  const { name, version } = manifest;
  const file = `/${name}/-/${name.replace(/^.*\//, '')}-${version}.tgz`;
  const dist = {
    tarball: `${origin}${file}`,
    integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
    shasum: createHash('sha1').update(tarball).digest('hex'),
  };
  const versions = { [version]: { ...manifest, dist } };
  return [
    [`/${name}`, { name, 'dist-tags': { latest: version }, versions }],
    [file, tarball],
  ];
}
