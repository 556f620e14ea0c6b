import { setImmediate as nextTurn } from 'node:timers/promises';
import { namedIn } from './called-flows.ts';
import { type Entry, isLive } from './entry.ts';
import type { FlowIndex } from './flow-index.ts';
import { inTurns } from './mutation-queue.ts';

/** The kinds of things that a flow may lack, with the problem for each. */
const WANTS = {
  secrets: 'unknown-secret',
  variables: 'unknown-variable',
  connections: 'unknown-connection',
  services: 'unknown-operator',
} as const;

type Index = Pick<FlowIndex, 'entries' | 'renew'>;

/**
 * Checks the flows again that may read the changed things; a missing one may have prevented them from serving. Returns
 * the ids of flows that lack more than before.
 */
export async function recheckFlows(index: Index, what: keyof typeof WANTS): Promise<string[]> {
  const lacks = ({ file, draft }: Entry): number =>
    [file, draft]
      .flatMap((stored) => stored?.examined.problems ?? [])
      .filter(({ code }) => code === WANTS[what]).length;
  const reading = [...index.entries.values()].filter(({ file, draft }) =>
    [file, draft].some((stored) => stored?.examined.reads[what]),
  );
  const lacking: string[] = [];
  for await (const entry of inTurns(reading)) {
    const before = lacks(entry);
    await index.renew(entry);
    if (lacks(entry) > before) lacking.push(entry.id);
  }
  return lacking;
}

export interface RelatedChecks {
  /** The serving version of these flows has changed. */
  served(ids: readonly string[]): void;
  close(): Promise<void>;
}

/**
 * Checks flows again that depend on which others serve. Runs in the background, since the result prevents no flow
 * from serving.
 */
export function createRelatedChecks(index: Index, onError: (error: unknown) => void): RelatedChecks {
  const changed = new Set<string>();
  let running: Promise<void> | undefined;
  let closed = false;

  async function recheck(): Promise<void> {
    while (changed.size > 0 && !closed) {
      const related = relatedTo(changed, [...index.entries.values()]);
      changed.clear();
      for await (const entry of inTurns(related)) if (!closed) await index.renew(entry);
    }
  }

  return {
    served(ids) {
      for (const id of ids) changed.add(id);
      running ??= nextTurn()
        .then(recheck)
        .catch(onError)
        .finally(() => (running = undefined));
    },
    async close() {
      closed = true;
      await running;
    },
  };
}

/** The flows that name one of these, directly or through others, and those that wait for a path. */
function relatedTo(ids: ReadonlySet<string>, entries: readonly Entry[]): Entry[] {
  const reached = new Set(ids);
  const callers = new Set<Entry>();
  for (let before = -1; before !== callers.size; ) {
    before = callers.size;
    for (const entry of entries) {
      if (callers.has(entry) || !callsOf(entry).some((id) => reached.has(id))) continue;
      callers.add(entry);
      reached.add(entry.id);
    }
  }
  return entries.filter((entry) => callers.has(entry) || entry.draft !== undefined || !isLive(entry));
}

function callsOf({ file, draft }: Entry): readonly string[] {
  return [file, draft].flatMap((stored) =>
    stored === undefined ? [] : namedIn(stored.examined.flow, stored.examined.calls),
  );
}
