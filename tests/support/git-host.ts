import { execFileSync, spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { tempFolder } from './server.ts';

export const CREDENTIALS = 'weft:token-4711';
/** A test may take git away from the server. */
const { PATH } = process.env;
const ME = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];

/** A real git repository behind a real HTTP server, and a clone in which somebody else works. */
export interface GitHost extends Faults {
  /** As WEFT_FLOWS_FROM names it. */
  readonly from: string;
  readonly url: string;
  /** The bare repository. */
  readonly bare: string;
  readonly clone: string;
  /** Runs git in the clone. */
  git(...args: string[]): string;
  /** Writes files (undefined removes one), commits and pushes them. */
  push(files: Readonly<Record<string, string | Uint8Array | undefined>>, ...options: string[]): string;
  /** A file of the branch as it is in the bare repository; undefined if it is not there. */
  file(path: string): string | undefined;
  /** Requests so far. */
  readonly seen: string[];
}

interface Faults {
  /** What a request gets instead of git: a status, a connection that ends, or a wait before. */
  fault?: ((request: IncomingMessage) => number | 'reset' | Promise<void> | undefined) | undefined;
  /** Awaited once git has done what was asked for, and before anybody is told. */
  beforeAnswer?: ((request: IncomingMessage) => Promise<void> | undefined) | undefined;
}

/** Starts one, without any commit. It ends with the test. */
export async function startGitHost(): Promise<GitHost> {
  const root = tempFolder('git');
  const bare = join(root, 'flows.git');
  const clone = join(root, 'clone');
  const run = (...args: string[]): string =>
    execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  run('init', '--quiet', '--bare', '--initial-branch=main', bare);
  run('-C', bare, 'config', 'http.receivepack', 'true');
  run('clone', '--quiet', bare, clone);
  run('-C', clone, 'checkout', '--quiet', '-B', 'main');
  const seen: string[] = [];
  const host: Omit<GitHost, 'url' | 'from'> = {
    bare,
    clone,
    seen,
    git: (...args) => run('-C', clone, ...ME, ...args).trim(),
    push(files, ...options) {
      for (const [path, text] of Object.entries(files)) {
        const place = join(clone, path);
        mkdirSync(dirname(place), { recursive: true });
        if (text === undefined) rmSync(place);
        else writeFileSync(place, text);
      }
      run('-C', clone, 'add', '--all');
      run('-C', clone, ...ME, 'commit', '--quiet', '--allow-empty', '-m', 'change');
      run('-C', clone, 'push', '--quiet', ...options, 'origin', 'HEAD');
      return run('-C', clone, 'rev-parse', 'HEAD').trim();
    },
    file(path) {
      try {
        return run('-C', bare, 'show', `main:${path}`);
      } catch {
        return undefined;
      }
    },
  };
  const server = createServer((request, response) => void answer(host, root, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
    rmSync(root, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/flows.git`;
  return Object.assign(host, { url, from: `git+${url}#main` });
}

async function answer(
  host: Faults & Pick<GitHost, 'seen'>,
  root: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  host.seen.push(`${request.method} ${request.url}`);
  const fault = await host.fault?.(request);
  if (fault === 'reset') return void request.socket.destroy();
  if (fault !== undefined) return void response.writeHead(fault).end();
  const given = `Basic ${Buffer.from(CREDENTIALS).toString('base64')}`;
  if (request.headers.authorization !== given)
    return void response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
  backend(host, root, request, response);
}

/** `git http-backend` is a CGI program. */
function backend(
  { beforeAnswer }: Faults,
  root: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://host');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: String(request.headers['content-encoding'] ?? ''),
      REMOTE_USER: 'weft',
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => {});
  request.pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('close', () => void send().catch(() => response.destroy()));
  async function send(): Promise<void> {
    await beforeAnswer?.(request);
    const all = Buffer.concat(chunks);
    const end = all.indexOf('\r\n\r\n');
    const headers = all
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => line.split(': ') as [string, string]);
    const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200';
    const others = headers.filter(([name]) => name !== 'Status');
    response.writeHead(Number.parseInt(status, 10), Object.fromEntries(others)).end(all.subarray(end + 4));
  }
}
