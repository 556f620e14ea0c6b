import { basename } from 'node:path';
import type { CodeFlow } from '#engine';
import { isLoading } from '../../../base/authored/loading.ts';

export interface ServeOptions {
  /** 5555 by default; 0 picks a free one. */
  readonly port?: number;
  /** 127.0.0.1 by default; beyond loopback, api-key triggers need WEFT_API_KEYS. */
  readonly host?: string;
}

/**
 * Serves a flow by itself until Ctrl-C, if its file is run with `node`: `--port` and `--host` of that command take precedence
 * over the options. Returns the flow, so that the file can export it. If a server or the command line has loaded the file, it only
 * returns the flow.
 */
export function serve<F extends CodeFlow>(flow: F, options: ServeOptions = {}): F {
  if (!isLoading()) void start(flow, options);
  return flow;
}

async function start(flow: CodeFlow, { port = 5555, host = '127.0.0.1' }: ServeOptions): Promise<void> {
  const { serveAlone } = await import('./serve-alone.ts');
  const path = process.argv[1] ?? `${flow.id}.ts`;
  await serveAlone(flow, { path, shown: basename(path), port, host, args: process.argv.slice(2) });
}
