import type { SourceCall } from '../../base/operator.ts';

/** How far a source that asks again and again has come. */
export interface Polled {
  /** What is asked; a source that asks for something else begins anew. */
  readonly of: string;
  /** When it was last asked, in Unix milliseconds. */
  readonly at: number;
  readonly cursor: unknown;
}

interface Item {
  readonly id: string;
  readonly value: unknown;
  /** Gives what the run starts with in place of the value; null if it is not there any more. */
  readonly load?: () => Promise<unknown>;
}

/** What one question has given: items in the order in which they start runs. */
export interface Gathered {
  readonly items: readonly Item[];
  readonly cursor: unknown;
}

/**
 * Asks again and again, `everyMs` apart, also over restarts, and starts a run for each new item. `existing: 'skip'`: what
 * is there at the first question starts none.
 */
export async function poll(
  call: SourceCall,
  {
    of,
    everyMs,
    existing,
  }: { readonly of: string; readonly everyMs: number; readonly existing: 'start' | 'skip' },
  ask: (cursor: unknown) => Promise<Gathered>,
): Promise<void> {
  const kept = call.cursor as Polled | null | undefined;
  let last = kept?.of === of ? kept : undefined;
  for (;;) {
    const wait = last === undefined ? 0 : Math.min(everyMs, last.at + everyMs - call.now());
    if (wait > 0) await call.sleep(wait);
    const at = call.now();
    const { items, cursor } = await ask(last?.cursor);
    if (last === undefined && existing === 'skip') await call.skip(items.map(({ id }) => id));
    else for (const item of items) await start(call, item);
    last = { of, at, cursor };
    await call.keep(last);
    call.works();
  }
}

async function start(call: SourceCall, { id, value, load }: Item): Promise<void> {
  const loaded = load === undefined ? value : await load();
  if (load === undefined || loaded !== null) await call.emit({ id, value: loaded });
}

export const EXISTING = ['start', 'skip'] as const;
