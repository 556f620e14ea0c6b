import { ScrollText } from 'lucide-react';
import type { AuditEntry } from '#shared/audit.ts';
import { listAudit } from '../api/operate.ts';
import { Facts } from '../lists/links.tsx';
import type { ListDefinition } from '../lists/list-model.ts';
import { ListScreen } from '../lists/ListScreen.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Moment } from '../ui/Moment.tsx';

/** Who changed what, from where and when, the newest first. */
export function AuditScreen() {
  return (
    <ListScreen
      list={AUDIT}
      empty={
        <EmptyState icon={ScrollText} title="Nothing was changed yet" steps={[]}>
          Every change of a flow, a key, a secret or a setting is noted here with who made it.
        </EmptyState>
      }
    />
  );
}

/** The facts as one line: `flow hello, state live`. */
const factsText = ({ facts }: AuditEntry): string =>
  Object.entries(facts)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');

const AUDIT: ListDefinition<AuditEntry> = {
  title: 'Audit',
  noun: 'entry',
  nouns: 'entries',
  reads: 'audit',
  load: async (before) => {
    const { entries, next } = await listAudit(before);
    return { items: entries, next };
  },
  idOf: ({ id }) => id,
  nameOf: ({ what }) => what,
  columns: [
    { name: 'Change', className: 'w-44 max-sm:w-auto', text: ({ what }) => what },
    { name: 'Of', text: factsText },
    { name: 'Who', className: 'w-44 max-md:hidden', text: ({ actor }) => actor.name },
    { name: 'From', className: 'w-28 max-xl:hidden', text: ({ from }) => from ?? '' },
    {
      name: 'When',
      className: 'w-32 max-sm:hidden',
      text: ({ at }) => at,
      cell: ({ at }) => <Moment at={at} />,
    },
  ],
  filters: [
    { name: 'Change', of: ({ what }) => what },
    { name: 'Who', of: ({ actor }) => actor.name },
  ],
  details: ({ facts, actor, from, at }) => (
    <Facts
      facts={{
        Who: `${actor.name} (${actor.kind})`,
        When: new Date(at).toLocaleString(),
        ...(from !== undefined && { From: from }),
        ...facts,
      }}
    />
  ),
};
