import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Entry, isCode, type Stored } from './entry.ts';
import type { Examine } from './examine.ts';
import { recheck } from './serve-flows.ts';

/** Flows judged in one turn; requests are answered between two. */
const FLOWS_PER_TURN = 10;

/** What a flow may lack, how its text names that, and the problem where it is not there. */
const WANTS = {
  secrets: { word: '$secret', problem: 'unknown-secret' },
  variables: { word: 'vars', problem: 'unknown-variable' },
} as const;

/**
 * Judges the flows again that name what has changed; one that was missing may have kept them from serving. Gives the ids of those
 * that lack more of it than before.
 */
export async function recheckFlows(
  examine: Examine,
  entries: Iterable<Entry>,
  what: keyof typeof WANTS,
): Promise<string[]> {
  const { word, problem } = WANTS[what];
  const names = (stored: Stored | undefined): boolean => stored?.examined.source.includes(word) === true;
  const lacks = ({ file, draft }: Entry): number =>
    [file, draft].flatMap((stored) => stored?.examined.problems ?? []).filter(({ code }) => code === problem)
      .length;
  const lacking: string[] = [];
  let judged = 0;
  for (const entry of [...entries]) {
    if (isCode(entry) || ![entry.file, entry.draft].some(names)) continue;
    const before = lacks(entry);
    if (entry.file) entry.file = recheck(examine, entry.id, entry.file);
    if (entry.draft) entry.draft = { ...entry.draft, ...recheck(examine, entry.id, entry.draft) };
    if (lacks(entry) > before) lacking.push(entry.id);
    if (++judged % FLOWS_PER_TURN === 0) await nextTurn();
  }
  return lacking;
}
