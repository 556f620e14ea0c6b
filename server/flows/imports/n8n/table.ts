import type { Entry } from './entry.ts';
import { branchEntries } from './nodes/branches.ts';
import { codeEntries } from './nodes/code.ts';
import { fieldEntries } from './nodes/fields.ts';
import { formEntries } from './nodes/forms.ts';
import { httpEntries } from './nodes/http.ts';
import { triggerEntries } from './nodes/triggers.ts';
import { webhookEntries } from './nodes/webhooks.ts';
import type { Step } from './workflow.ts';

/** All types of n8n that become something here. */
export const entries: readonly Entry[] = [
  ...triggerEntries,
  ...webhookEntries,
  ...formEntries,
  ...branchEntries,
  ...fieldEntries,
  ...codeEntries,
  ...httpEntries,
  {
    kind: 'splitInBatches',
    versions: '1 to 3',
    word: 'equal',
    becomes: '`data.for-each` with a body',
    difference: 'A loop that nothing leads back to takes all batches.',
  },
  { kind: 'stickyNote', word: 'equal', becomes: 'a note' },
];

const byKind = new Map(entries.map((entry) => [entry.kind, entry]));

export function entryOf({ kind }: Pick<Step, 'kind'>): Entry | undefined {
  return byKind.get(kind);
}
