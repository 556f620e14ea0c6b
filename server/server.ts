import type { FastifyInstance } from 'fastify';
import { buildApp } from './app.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { openControl } from './control/control.ts';
import { prepareDataFolder } from './data-folder.ts';
import { createContext } from './deps.ts';
import { lockData } from './lock.ts';
import { StartError } from './start-error.ts';
import { startErrorOf } from './storage-start.ts';

/** A server that answers. */
export interface RunningServer {
  readonly app: FastifyInstance;
  readonly ctx: Context;
  readonly port: number;
  /** An API key that was made because there was none. */
  readonly firstKey: string | undefined;
  /** Stops in order; the same promise for every call. */
  stop(): Promise<void>;
}

/** How long answers that are being sent may take after the last run ended, in milliseconds. */
const lastAnswersMs = 2000;

/** Starts everything and listens. Throws a `StartError` for what the person at the terminal can mend, and leaves nothing behind. */
export async function startServer(config: Config, overrides: Partial<Context> = {}): Promise<RunningServer> {
  try {
    return await start(config, overrides);
  } catch (error) {
    throw startErrorOf(error, config.data);
  }
}

async function start(config: Config, overrides: Partial<Context>): Promise<RunningServer> {
  await using undo = new AsyncDisposableStack();
  prepareDataFolder(config.data);
  undo.adopt(lockData(config.data), (lock) => lock.release());
  const ctx = undo.adopt(await createContext(config, overrides), (context) => context.close());
  ctx.durable.prepare();
  const app = undo.adopt(await buildApp(ctx), (built) => built.close());
  await listen(app, config);
  const { port } = app.server.address() as { port: number };
  ctx.listening(port);
  ctx.durable.resume();
  const { keys, runs, log } = ctx;
  undo.adopt(await openControl({ data: config.data, keys, flows: ctx, runs, letters: ctx, log }), (control) =>
    control.close(),
  );

  const parts = undo.move();
  let stopping: Promise<void> | undefined;
  return {
    app,
    ctx,
    firstKey: ctx.firstKey,
    port,
    stop: () => (stopping ??= stop(app, ctx, parts)),
  };
}

/**
 * The order matters: say that we stop (so that balancers look elsewhere), let runs end while their callers can still be
 * answered, then close connections, then what the parts hold, and give the data folder back last.
 */
async function stop(app: FastifyInstance, ctx: Context, parts: AsyncDisposableStack): Promise<void> {
  app.lifecycle.draining = true;
  await Promise.all([ctx.durable.close(ctx.config.graceMs), ctx.runs.drain(ctx.config.graceMs)]);
  const force = setTimeout(() => app.server.closeAllConnections(), lastAnswersMs);
  await parts.disposeAsync();
  clearTimeout(force);
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    // `localhost` would be two sockets, and only one of them gets our handlers for what is no proper request.
    await app.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new StartError(listenFailures[code]?.(host, port) ?? `Cannot listen on ${host}:${port} (${code}).`);
  }
}

const listenFailures: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `Port ${port} on ${host} is taken. Stop what uses it, or set WEFT_PORT (0 picks a free one).`,
  EACCES: (_host, port) => `This user may not listen on port ${port}. Set WEFT_PORT to one above 1023.`,
  EADDRNOTAVAIL: (host) => `This machine has no address ${host}. Set WEFT_HOST.`,
  ENOTFOUND: (host) => `The host name ${host} is unknown. Set WEFT_HOST.`,
};
