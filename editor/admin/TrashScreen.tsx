import { ArchiveRestore, Trash2 } from 'lucide-react';
import type { DeletedFlow } from '#shared/api.ts';
import { withoutDirectionMarks } from '#shared/direction-marks.ts';
import { dropDeletedFlow, listDeletedFlows, restoreDeletedFlow } from '../api/operate.ts';
import type { Hands, ListDefinition } from '../lists/list-model.ts';
import { ListScreen } from '../lists/ListScreen.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { countText } from '../ui/format.ts';
import { Moment } from '../ui/Moment.tsx';

/** Deleted flows: restored as drafts, or deleted for good. */
export function TrashScreen() {
  return (
    <ListScreen
      list={TRASH}
      empty={
        <EmptyState icon={Trash2} title="The trash is empty" steps={[]}>
          Deleted flows are kept here with their draft and layout. A restored flow is a draft, which starts
          nothing until it is published.
        </EmptyState>
      }
    />
  );
}

/** A flow without a name goes by its id. */
const nameOf = ({ id, name = id }: DeletedFlow): string => withoutDirectionMarks(name);

const TRASH: ListDefinition<DeletedFlow> = {
  title: 'Trash',
  noun: 'deleted flow',
  reads: 'trash',
  load: async () => ({ items: await listDeletedFlows() }),
  idOf: ({ id, at }) => `${id} ${at}`,
  nameOf,
  columns: [
    {
      name: 'Flow',
      text: nameOf,
      cell: (flow) => (
        <span className="block truncate font-semibold" title={nameOf(flow)}>
          <bdi>{nameOf(flow)}</bdi>
        </span>
      ),
    },
    {
      name: 'Id',
      className: 'w-56 max-md:hidden',
      text: ({ id }) => id,
      cell: ({ id }) => <code className="block truncate font-mono text-xs text-text-2">{id}</code>,
    },
    {
      name: 'Deleted',
      className: 'w-40',
      text: ({ at }) => new Date(at).toISOString(),
      cell: ({ at }) => <Moment at={at} />,
    },
  ],
  entries: (flow, hands) => [
    {
      id: 'restore',
      label: 'Restore as a draft',
      icon: ArchiveRestore,
      onSelect: () => restore([flow], hands),
    },
    { id: 'separator', separator: true },
    {
      id: 'drop',
      label: 'Delete for good…',
      icon: Trash2,
      danger: true,
      onSelect: () => drop([flow], hands),
    },
  ],
  bulk: [
    { label: 'Restore as drafts', run: restore },
    { label: 'Delete for good…', isDanger: true, run: drop },
  ],
};

function restore(flows: readonly DeletedFlow[], hands: Hands): void {
  hands.act(
    async () => {
      for (const flow of flows) await restoreDeletedFlow(flow);
    },
    `${countText(flows.length, 'flow')} restored as ${flows.length === 1 ? 'a draft' : 'drafts'}.`,
  );
}

function drop(flows: readonly DeletedFlow[], hands: Hands): void {
  hands.ask({
    title: `Delete ${countText(flows.length, 'flow')} for good?`,
    description: 'They cannot be restored afterwards. Their runs stay in the history.',
    action: 'Delete for good',
    work: async () => {
      for (const flow of flows) await dropDeletedFlow(flow);
    },
  });
}
