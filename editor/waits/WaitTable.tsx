import { Link } from '@tanstack/react-router';
import type { WaitInfo } from '#shared/wait.ts';
import { Button } from '../ui/Button.tsx';
import { useFlowNames } from '../session/use-flow-names.ts';
import { agoText } from '../ui/format.ts';
import { type Column, listRow, ListTable } from '../ui/ListTable.tsx';
import { expiryWords } from './wait-labels.ts';

interface WaitTableProps {
  waits: readonly WaitInfo[];
  onDecide(wait: WaitInfo): void;
}

const COLUMNS: readonly Column[] = [
  { name: 'Question' },
  { name: 'Flow', className: 'w-50 max-md:hidden' },
  { name: 'Assigned to', className: 'w-40 max-lg:hidden' },
  { name: 'Asked', className: 'w-30 max-sm:hidden' },
  { name: 'Time left', className: 'w-30 max-md:hidden' },
  { name: 'Actions', className: 'w-28', hidden: true },
];

export function WaitTable({ waits, onDecide }: WaitTableProps) {
  const nameOf = useFlowNames();
  return (
    <ListTable columns={COLUMNS}>
      <tbody>
        {waits.map((wait) => (
          <WaitRow key={wait.id} wait={wait} name={nameOf(wait.flow)} onDecide={() => onDecide(wait)} />
        ))}
      </tbody>
    </ListTable>
  );
}

interface WaitRowProps {
  wait: WaitInfo;
  /** Name of the flow. */
  name: string;
  onDecide(): void;
}

function WaitRow({ wait, name, onDecide }: WaitRowProps) {
  const { title, run, ask, openedAt } = wait;
  return (
    <tr className={listRow}>
      <td className="wrap-anywhere">
        <span className="font-semibold">{title}</span>
        <span className="block text-xs text-text-2 md:hidden">
          {name} · {agoText(openedAt)}
        </span>
      </td>
      <td className="truncate max-md:hidden">
        <Link to="/runs/$id" params={{ id: run }} className="hover:underline" title="Opens the run">
          {name}
        </Link>
      </td>
      <td className="truncate text-xs text-text-2 max-lg:hidden">{ask.who ?? '—'}</td>
      <td className="text-xs text-text-2 max-sm:hidden">
        <time dateTime={openedAt} title={new Date(openedAt).toLocaleString()}>
          {agoText(openedAt)}
        </time>
      </td>
      <td className="text-xs text-text-2 max-md:hidden">{expiryWords(wait, Date.now()) ?? 'No deadline'}</td>
      <td className="!py-1.5 text-right">
        <Button aria-label={`${ask.kind === 'form' ? 'Fill in' : 'Decide'}: ${title}`} onClick={onDecide}>
          {ask.kind === 'form' ? 'Fill in…' : 'Decide…'}
        </Button>
      </td>
    </tr>
  );
}
