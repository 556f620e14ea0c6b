import { useQuery } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import type { AgentBudgets } from '#shared/agent-budget.ts';
import { getBudgets, saveBudgets } from '../api/operate.ts';
import { ThingPicker } from '../form/ThingPicker.tsx';
import { Loaded } from '../session/Loaded.tsx';
import { useChange } from '../session/use-change.ts';
import { Button } from '../ui/Button.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { Input } from '../ui/Input.tsx';
import { listRow, ListTable } from '../ui/ListTable.tsx';
import { type BudgetRow, budgetsOf, rowsFault, rowsOf } from './budget-rows.ts';

const COLUMNS = [
  { name: 'Budget of' },
  { name: 'Tokens', className: 'w-36 max-sm:w-20' },
  { name: 'Dollars', className: 'w-32 max-sm:w-20' },
  { name: 'Model calls', className: 'w-32 max-md:hidden' },
  { name: 'Actions', className: 'w-12', hidden: true },
];

/** Limits of agents: for each answer, and for an app or an API key in a day. */
export function Budgets() {
  const budgets = useQuery({ queryKey: ['budgets'], queryFn: getBudgets });
  return (
    <section aria-label="Budgets" className="mt-4 flex flex-col gap-2">
      <h2 className="font-semibold">Budgets of agents</h2>
      <p className="text-text-2">
        An agent stops when a budget is used up. Apps and keys have a budget for each day (UTC); * stands for
        all that have no row. An empty field sets no limit.
      </p>
      <Loaded query={budgets} what="the budgets">
        {(saved) => <Editing key={JSON.stringify(saved)} saved={saved} />}
      </Loaded>
    </section>
  );
}

function Editing({ saved }: { saved: AgentBudgets }) {
  const [rows, setRows] = useState<readonly BudgetRow[]>(() => rowsOf(saved));
  const { busy, error, change } = useChange(['budgets'], () => undefined);
  const fault = rowsFault(rows);
  const isChanged = JSON.stringify(rows) !== JSON.stringify(rowsOf(saved));
  const set = (at: number, more: Partial<BudgetRow>): void =>
    setRows(rows.map((row, i) => (i === at ? { ...row, ...more } : row)));
  const add = (kind: BudgetRow['kind']): void =>
    setRows([...rows, { kind, name: '*', tokens: '', cost: '', steps: '' }]);
  return (
    <>
      <ListTable caption="Budgets" columns={COLUMNS}>
        <tbody>
          {rows.map((row, at) => (
            <Line
              key={at}
              row={row}
              onChange={(more) => set(at, more)}
              onRemove={() => setRows(rows.filter((_, i) => i !== at))}
            />
          ))}
        </tbody>
      </ListTable>
      <div className="flex flex-wrap items-center gap-2">
        <Button size="sm" icon={Plus} onClick={() => add('app')}>
          App
        </Button>
        <Button size="sm" icon={Plus} onClick={() => add('key')}>
          API key
        </Button>
        {isChanged && (
          <>
            <Button
              size="sm"
              variant="primary"
              className="ml-auto"
              busy={busy}
              disabled={fault !== undefined}
              onClick={() => void change(() => saveBudgets(budgetsOf(rows, saved)))}
            >
              Save budgets
            </Button>
            <Button size="sm" variant="ghost" onClick={() => setRows(rowsOf(saved))}>
              Discard
            </Button>
          </>
        )}
      </div>
      {isChanged && (fault ?? error) !== undefined && (
        <p role="alert" className="text-bad">
          {fault ?? error}
        </p>
      )}
    </>
  );
}

const KINDS = { answer: 'Each answer', app: 'App', key: 'API key' } as const;

interface LineProps {
  row: BudgetRow;
  onChange(more: Partial<BudgetRow>): void;
  onRemove(): void;
}

function Line({ row, onChange, onRemove }: LineProps) {
  const name = row.kind === 'answer' ? KINDS.answer : `${KINDS[row.kind]} ${row.name}`;
  return (
    <tr className={listRow}>
      <td>
        {row.kind === 'answer' ? (
          <span className="wrap-anywhere">{KINDS.answer}</span>
        ) : (
          <span className="flex items-center gap-2">
            {KINDS[row.kind]}
            <ThingPicker
              of={row.kind}
              label={`Name of the ${row.kind === 'app' ? 'app' : 'key'}`}
              rest={{ id: '*', title: row.kind === 'app' ? 'All other apps' : 'All other keys' }}
              value={row.name}
              onChange={(name) => onChange({ name })}
            />
          </span>
        )}
      </td>
      {(['tokens', 'cost', 'steps'] as const).map((limit, at) => (
        <td key={limit} className={COLUMNS[at + 1]?.className}>
          <Input
            inputMode="decimal"
            aria-label={`${COLUMNS[at + 1]?.name}: ${name}`}
            placeholder="none"
            value={row[limit]}
            onValueChange={(value) => onChange({ [limit]: value })}
          />
        </td>
      ))}
      <td className="!py-1.5">
        {row.kind !== 'answer' && <IconButton icon={X} label={`Remove ${name}`} onClick={onRemove} />}
      </td>
    </tr>
  );
}
