import type { CacheNote } from '#shared/run-event.ts';
import { durationText } from '../ui/format.ts';

const NOT_REUSED: Readonly<Record<string, string>> = {
  'first-time': 'it has stored no output yet',
  'other-input': 'the inputs differ from those of stored outputs',
  'node-changed': 'the node was changed since it stored one',
  expired: 'the stored output has expired',
  stream: 'it has a stream, which cannot be stored',
  'lazy-params': 'its params cannot be compared; give the reuse a key',
  'reads-run': 'it depends on more than its params and inputs; give the reuse a key',
  'no-cache': 'nothing stores outputs where the run was',
  'input-too-large': 'its input is too large to compare',
  'not-comparable': 'its input cannot be compared',
  'not-storable': 'its output is not JSON',
  'output-too-large': 'its output is too large to store',
};

/** Whether a node used an earlier output, and why or why not, in a sentence. */
export function reuseText({ hit, reason, ageMs, run }: CacheNote): string {
  if (!hit) return `Not reused: ${NOT_REUSED[reason] ?? reason}.`;
  const what =
    { 'same-input': 'the inputs are the same', 'same-key': 'the key is the same' }[reason] ?? reason;
  const age = ageMs === undefined ? '' : `, ${durationText(ageMs)} old`;
  return `Reused from ${run === undefined ? 'an earlier run' : `run ${run}`}${age}: ${what}.`;
}
