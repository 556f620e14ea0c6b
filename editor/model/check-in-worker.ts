import type { Catalog } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import type { Problem } from '#shared/problem.ts';
import type { World } from '#engine/check';

/** A flow to check, and the rest of the server as far as the checks depend on it. */
export interface CheckRequest {
  readonly flow: Flow;
  readonly catalog: Catalog;
  readonly world: World;
}

/** The message to the worker; it includes the catalog only if that has changed. */
export interface CheckMessage {
  readonly id: number;
  readonly flow: Flow;
  readonly world: World;
  readonly catalog?: Catalog;
}

/** The message from the worker; `id` is that of the `CheckMessage`. */
export interface CheckAnswer {
  readonly id: number;
  readonly problems: readonly Problem[];
}

/** A worker that checks one flow after another. */
export interface CheckWorker {
  /** Rejects if the worker fails. */
  check(request: CheckRequest): Promise<readonly Problem[]>;
  /** Ends the worker; open checks are never answered. */
  close(): void;
}

/** A worker that checks large flows; it lives as long as the flow is open. */
export function openCheckWorker(): CheckWorker {
  const worker = new Worker(new URL('./check-worker.ts', import.meta.url), { type: 'module' });
  const waiting = new Map<number, PromiseWithResolvers<readonly Problem[]>>();
  let sent: Catalog | undefined;
  let last = 0;
  worker.onmessage = ({ data }: MessageEvent<CheckAnswer>) => {
    waiting.get(data.id)?.resolve(data.problems);
    waiting.delete(data.id);
  };
  worker.onerror = () => {
    for (const { reject } of waiting.values()) reject(new Error('The worker that checks flows has failed.'));
    waiting.clear();
  };
  return {
    check: ({ flow, catalog, world }) => {
      const id = ++last;
      const answer = Promise.withResolvers<readonly Problem[]>();
      waiting.set(id, answer);
      const message: CheckMessage = { id, flow, world, ...(catalog !== sent && { catalog }) };
      sent = catalog;
      worker.postMessage(message);
      return answer.promise;
    },
    close: () => worker.terminate(),
  };
}
