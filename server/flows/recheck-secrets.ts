import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Entry, isCode, type Stored } from './entry.ts';
import type { Examine } from './examine.ts';
import { recheck } from './serve-flows.ts';

/** Flows judged in one turn; requests are answered between two. */
const FLOWS_PER_TURN = 10;

/** Judges the flows again that name a secret, after secrets have changed; one that was missing may have kept them from serving. */
export async function recheckSecrets(examine: Examine, entries: Iterable<Entry>): Promise<void> {
  const concerned = [...entries].filter(
    (entry) => !isCode(entry) && [entry.file, entry.draft].some(namesSecret),
  );
  for (const [i, entry] of concerned.entries()) {
    if (entry.file) entry.file = recheck(examine, entry.id, entry.file);
    if (entry.draft) entry.draft = recheck(examine, entry.id, entry.draft);
    if (i % FLOWS_PER_TURN === FLOWS_PER_TURN - 1) await nextTurn();
  }
}

function namesSecret(stored: Stored | undefined): boolean {
  return stored?.examined.source.includes('$secret') === true;
}
