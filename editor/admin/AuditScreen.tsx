import { ScrollText } from 'lucide-react';
import type { AuditEntry } from '#shared/audit.ts';
import { listAudit } from '../api/operate.ts';
import { Facts } from '../lists/links.tsx';
import type { ListDefinition } from '../lists/list-model.ts';
import { ListScreen } from '../lists/ListScreen.tsx';
import { useFlowNames } from '../session/use-flow-names.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Moment } from '../ui/Moment.tsx';

/** Who changed what, from where and when, the newest first. */
export function AuditScreen() {
  return (
    <ListScreen
      list={auditOf(useFlowNames())}
      empty={
        <EmptyState icon={ScrollText} title="Nothing was changed yet" steps={[]}>
          Every change of a flow, a key, a secret or a setting is noted here with who made it.
        </EmptyState>
      }
    />
  );
}

type NameOf = (flow: string) => string;

/** The facts with the name of the flow before its id, which stays: names change, and several flows may have the same. */
function named({ facts }: AuditEntry, nameOf: NameOf): AuditEntry['facts'] {
  const { flow } = facts;
  if (typeof flow !== 'string' || nameOf(flow) === flow) return facts;
  return { ...facts, flow: `${nameOf(flow)} (${flow})` };
}

/** The facts as one line: `flow Order triage (orders), state live`. */
const factsText = (entry: AuditEntry, nameOf: NameOf): string =>
  Object.entries(named(entry, nameOf))
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');

const auditOf = (nameOf: NameOf): ListDefinition<AuditEntry> => ({
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
    { name: 'Of', text: (entry) => factsText(entry, nameOf) },
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
  details: (entry) => (
    <Facts
      facts={{
        Who: `${entry.actor.name} (${entry.actor.kind})`,
        When: new Date(entry.at).toLocaleString(),
        ...(entry.from !== undefined && { From: entry.from }),
        ...named(entry, nameOf),
      }}
    />
  ),
});
