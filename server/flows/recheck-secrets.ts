import { type Entry, isCode, type Stored } from './entry.ts';
import type { Examine } from './examine.ts';
import { recheck } from './serve-flows.ts';

/** Judges the flows again that name a secret, after secrets have changed; one that was missing may have kept them from serving. */
export function recheckSecrets(examine: Examine, entries: Iterable<Entry>): void {
  for (const entry of entries) {
    if (isCode(entry)) continue;
    if (namesSecret(entry.file)) entry.file = recheck(examine, entry.id, entry.file);
    if (namesSecret(entry.draft)) entry.draft = recheck(examine, entry.id, entry.draft);
  }
}

function namesSecret(stored: Stored | undefined): stored is Stored {
  return stored?.examined.source.includes('$secret') === true;
}
