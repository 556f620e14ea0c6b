import { existsSync } from 'node:fs';
import { signInAddress } from './access/security/sign-in.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from './base/config/config.ts';
import type { Context } from './api/routes/context.ts';
import { openControl } from './admin/control/control.ts';
import { prepareDataFolder, shopFolder } from './base/files/data-folder.ts';
import { createContext, type Given, type OwnedContext } from './start/context.ts';
import { ServiceError } from './base/errors/errors.ts';
import { lockData, waitForProcesses } from './base/files/lock.ts';
import { ownAddress } from './base/config/own-address.ts';
import { listen, listenAlone } from './access/http/http-server.ts';
import { type Front, openFront } from './front.ts';
import { listenForTriggers } from './access/http/trigger-origin.ts';
import { startErrorOf } from './base/files/storage-start.ts';

/** A running server. */
export interface RunningServer {
  readonly front: Front;
  readonly ctx: Context;
  readonly port: number;
  /** The API key that was created because there was none. */
  readonly firstKey: string | undefined;
  /** Stops in order; the same promise for every call. */
  stop(): Promise<void>;
  /** The longest time that this needs, in milliseconds, if nothing hangs. */
  readonly withinMs: number;
}

/** Milliseconds that answers in progress may take after the last run ended. */
const lastAnswersMs = 2000;
/** Milliseconds for the writing and closing after that. */
const CLOSING_MS = 10_000;

/**
 * Starts everything and listens. Throws a `StartError` for errors that the person at the terminal can correct, and cleans up
 * after a failure.
 */
export async function startServer(config: Config, given: Given = {}): Promise<RunningServer> {
  try {
    return await start(config, given);
  } catch (error) {
    throw startErrorOf(error, config.data);
  }
}

async function start(config: Config, given: Given): Promise<RunningServer> {
  await using undo = new AsyncDisposableStack();
  const locked = config.process?.own ?? config.data;
  const problem = prepareDataFolder(locked);
  undo.adopt(lockData(locked), (lock) => lock.release());
  if (config.process === undefined) await waitForProcesses(config.data);
  const ctx = undo.adopt(await createContext(config, given), (context) => context.close());
  if (problem !== undefined) ctx.log.warn(problem);
  ctx.durable.prepare();
  const front = undo.adopt(await openFront(ctx), (opened) => opened.close());
  await ctx.begin();
  const port = await listen(front.server, config);
  undo.defer(await listenForTriggers(front.server, config));
  const own = config.process && (await listenAlone(front.server, config));
  undo.defer(() => own?.close());
  const { processes } = ctx;
  if (processes?.isFirst === true) {
    const { takePassedOn } = await import('./api/processes/passing.ts');
    undo.adopt(await takePassedOn(front.server, processes.socket), (taking) => taking.close());
  }
  await ctx.listening(port, own?.port);
  ctx.durable.resume();
  // Where one process keeps the folder, it answers the command line.
  if (processes?.isFirst !== false) {
    await keepShop(ctx);
    undo.adopt(await openControl(controlOf(ctx, port)), (opened) => opened.close());
  }

  const parts = undo.move();
  let stopping: Promise<void> | undefined;
  return {
    front,
    ctx,
    firstKey: ctx.firstKey,
    port,
    stop: () => (stopping ??= stop(front, ctx, parts)),
    withinMs: config.drainMs + config.graceMs + lastAnswersMs + CLOSING_MS,
  };
}

/** The service of the small shop is this server, whose port may be another one than at its last start. */
async function keepShop(ctx: OwnedContext): Promise<void> {
  if (!existsSync(shopFolder(ctx.config))) return;
  const { moveShop } = await import('./integrations/shop/shop.ts');
  await moveShop(ctx).catch((error: unknown) =>
    ctx.log.warn(`The small shop could not be led to this port: ${String(error)}`),
  );
}

/**
 * The order matters: announce the stop (so that load balancers send requests elsewhere) and wait until they have noticed it, let runs end while their callers
 * can still be answered, then close connections, then release what the parts hold, and unlock the data folder last.
 */
async function stop(front: Front, ctx: OwnedContext, parts: AsyncDisposableStack): Promise<void> {
  const { drainMs, graceMs } = ctx.config;
  front.lifecycle.leaving = true;
  await ctx.nodes.leave();
  await sleep(drainMs);
  front.lifecycle.draining = true;
  await Promise.all([ctx.rest(), ctx.durable.close(graceMs), ctx.runs.drain(graceMs)]);
  const force = setTimeout(() => front.server.closeAllConnections(), lastAnswersMs);
  await parts.disposeAsync();
  clearTimeout(force);
}

function controlOf(ctx: OwnedContext, port: number): Parameters<typeof openControl>[0] {
  const { config, keys, runs, log, auditLog, connections, secrets, pins } = ctx;
  return {
    ...controlFolder(config),
    keys,
    auditLog,
    flows: ctx,
    connections,
    secrets,
    pins,
    runs,
    letters: ctx,
    log,
    address: ctx,
    signInAddress: () => addressFor(ctx, port),
  };
}

/** The command line uses the folder of the settings, whichever process answers. */
function controlFolder({ data, process: one }: Config): { data: string; isShared: boolean } {
  return { data: one?.shared ?? data, isShared: one !== undefined };
}

/** Throws `conflict` if there is no editor to sign in to. */
function addressFor(ctx: Context, port: number): string {
  if (ctx.config.editor === 'on') return signInAddress(ctx, ownAddress(ctx.config, port));
  throw new ServiceError('conflict', 'This server has no editor to sign in to (WEFT_EDITOR=off).');
}
