import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { onTestFinished } from 'vitest';
import type { Config } from '../base/config/config.ts';
import { type RunningServer, startServer } from '../server.ts';
import type { Given } from '../start/context.ts';
import { testConfig } from './fake-context.ts';

/** A separate folder for the running test, deleted when it ends. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export interface Bed extends RunningServer {
  readonly url: string;
  readonly app: FastifyInstance;
  /** The start token of this server. */
  readonly token: string;
}

/** A whole server over an empty folder, on a free port, stopped when the test ends. */
export async function startBed(changes: Partial<Config> = {}, given: Given = {}): Promise<Bed> {
  const folder = await tempFolder();
  const config = testConfig({
    flows: [join(folder, 'flows')],
    operators: join(folder, 'operators'),
    data: join(folder, 'data'),
    ...changes,
  });
  const server = await startServer(config, { editorFiles: '/nonexistent', ...given });
  onTestFinished(() => server.stop());
  const app = await server.front.app();
  return {
    ...server,
    app,
    url: `http://127.0.0.1:${server.port}`,
    token: server.ctx.access.issueStartToken(),
  };
}

/** Cookie and CSRF headers of a signed-in browser. */
export async function signIn(bed: Bed): Promise<{ cookie: string; 'x-weft-csrf': string }> {
  const answer = await fetch(`${bed.url}/?token=${bed.token}`, { redirect: 'manual' });
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
  const session = await fetch(`${bed.url}/api/v1/session`, { headers: { cookie } });
  const { data } = (await session.json()) as { data: { csrf: string } };
  return { cookie, 'x-weft-csrf': data.csrf };
}

/** Sends bytes unchanged and returns everything that comes back until the server closes. */
export function rawRequest(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
  });
}
