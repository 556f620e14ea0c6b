import type { RunEvent } from '#shared/run-event.ts';
import type { Gap } from './follower.ts';
import { type Follower, givePast } from './follower.ts';
import type { RunHistory } from './history.ts';
import type { RunReads } from './run-reads.ts';

/** Ended runs of a history, for readers without a server. */
export function historyRuns(history: RunHistory): RunReads {
  return {
    get: (id) => history.get(id),
    list: (query) => history.list(query),
    value: (id, hash) => history.value(id, hash),
    tape: (id) => history.tape(id),
    async events(id, after) {
      if ((await history.get(id)) === undefined) return undefined;
      const seen: (RunEvent | Gap)[] = [];
      const follower: Follower = { after, fn: (event) => seen.push(event) };
      givePast(follower, { kept: await history.events(id, after), events: [] });
      return seen;
    },
  };
}
