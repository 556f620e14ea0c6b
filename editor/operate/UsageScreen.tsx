import { useQuery } from '@tanstack/react-query';
import { ChartColumn, Download } from 'lucide-react';
import { useState } from 'react';
import { USAGE_PARTS, type Usage, type UsageSum } from '#shared/usage.ts';
import { getUsage } from '../api/operate.ts';
import { runSubject } from '../model/run-subject.ts';
import { FlowLink } from '../lists/links.tsx';
import { csvOf, type ListColumn } from '../lists/list-model.ts';
import { useServer } from '../session/app-context.tsx';
import { HomePage } from '../session/HomePage.tsx';
import { Loaded } from '../session/Loaded.tsx';
import { useRunNames } from '../session/use-flow-names.ts';
import { Button } from '../ui/Button.tsx';
import { downloadText } from '../ui/download.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { listRow, ListTable } from '../ui/ListTable.tsx';
import { SegmentedControl } from '../ui/SegmentedControl.tsx';
import { Select } from '../ui/Select.tsx';
import { sectionTitle } from '../ui/styles.ts';
import { Budgets } from './Budgets.tsx';
import { type Bar, barsOf, chartWords, dollarsText, firstDay, tokensText } from './usage-numbers.ts';

const PARTS: Readonly<Record<Usage['by'], string>> = {
  flow: 'Flow',
  model: 'Model',
  key: 'API key',
  day: 'Day',
};

const PERIODS = [7, 30, 90].map((days) => ({ value: String(days), label: `Last ${days} days` }));

/** Tokens and cost of models: by day as a chart, and by flow, model or key as a table; the budgets of agents. */
export function UsageScreen() {
  const [by, setBy] = useState<Usage['by']>('flow');
  const [days, setDays] = useState('30');
  const isAdmin = useServer((state) => state.session?.scopes.includes('admin') === true);
  const since = firstDay(Date.now(), Number(days));
  const daily = useQuery({ queryKey: ['usage', 'day', since], queryFn: () => getUsage('day', since) });
  const sums = useQuery({ queryKey: ['usage', by, since], queryFn: () => getUsage(by, since) });
  return (
    <HomePage
      title="Usage"
      actions={
        <Select label="Period" value={days} onValueChange={setDays} options={PERIODS} className="w-40" />
      }
    >
      <Loaded query={daily} what="the usage">
        {(usage) =>
          usage.total.calls === 0 ? (
            <EmptyState icon={ChartColumn} title="No model was called in this time" steps={[]}>
              Each call of a model is counted here with its tokens, and with its cost where the model has
              prices.
            </EmptyState>
          ) : (
            <>
              <Totals total={usage.total} />
              <Chart bars={barsOf(usage.rows, since, Date.now())} />
            </>
          )
        }
      </Loaded>
      {daily.data && daily.data.total.calls > 0 && (
        <>
          <div className="flex flex-wrap items-center gap-2">
            <SegmentedControl
              label="Sum by"
              value={by}
              onValueChange={setBy}
              options={USAGE_PARTS.map((part) => ({ value: part, label: PARTS[part] }))}
            />
          </div>
          <Loaded query={sums} what="the usage">
            {(usage) => <Sums usage={usage} />}
          </Loaded>
        </>
      )}
      {isAdmin && <Budgets />}
    </HomePage>
  );
}

function Totals({ total: { calls, tokens, cost, unpriced } }: { total: Usage['total'] }) {
  const facts = [
    ['Calls', calls.toLocaleString('en')],
    ['Input tokens', tokensText(tokens.input)],
    ['Output tokens', tokensText(tokens.output)],
    ['Cached tokens', tokensText(tokens.cached)],
    ['Cost', dollarsText(cost)],
  ] as const;
  return (
    <>
      <dl className="grid grid-cols-5 gap-3 max-lg:grid-cols-3 max-sm:grid-cols-2">
        {facts.map(([name, value]) => (
          <div key={name} className="rounded-lg border border-line bg-surface px-3 py-2">
            <dt className="text-xs text-text-2">{name}</dt>
            <dd className="text-base font-semibold tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      {unpriced > 0 && (
        <p className="text-xs text-text-2">
          {unpriced.toLocaleString('en')} calls went to models without prices; their cost is not in the sum.
          Set prices under Models.
        </p>
      )}
    </>
  );
}

function Chart({ bars }: { bars: readonly Bar[] }) {
  const most = Math.max(...bars.map(({ tokens }) => tokens), 1);
  return (
    <figure className="rounded-lg border border-line bg-surface p-3">
      <figcaption className={sectionTitle}>Tokens by day</figcaption>
      <div className="mt-2 flex h-32 items-end gap-0.5" role="img" aria-label={chartWords(bars)}>
        {bars.map(({ day, tokens, cost }) => (
          <div
            key={day}
            title={`${day}: ${tokens.toLocaleString('en')} tokens, ${dollarsText(cost)}`}
            className="flex h-full min-w-0 flex-1 items-end hover:bg-surface-3"
          >
            <div className="w-full rounded-t-sm bg-accent" style={{ height: `${(100 * tokens) / most}%` }} />
          </div>
        ))}
      </div>
      <div className="mt-1 flex justify-between text-[11px] text-text-2">
        <span>{bars[0]?.day}</span>
        <span>at most {tokensText(most)}</span>
        <span>{bars.at(-1)?.day}</span>
      </div>
    </figure>
  );
}

const columnsBy = (by: Usage['by'], nameOf: (name: string) => string): readonly ListColumn<UsageSum>[] => [
  { name: PARTS[by], text: ({ name }) => (name === '' ? 'No key' : nameOf(name)) },
  { name: 'Calls', className: 'w-24 max-sm:hidden', text: ({ calls }) => String(calls) },
  { name: 'Input tokens', className: 'w-32 max-md:hidden', text: ({ tokens }) => String(tokens.input) },
  { name: 'Output tokens', className: 'w-32 max-md:hidden', text: ({ tokens }) => String(tokens.output) },
  { name: 'Cost', className: 'w-28', text: ({ cost }) => String(cost) },
];

function Sums({ usage: { by, rows } }: { usage: Usage }) {
  const runName = useRunNames(by === 'flow' ? rows.map(({ name }) => name) : []);
  const nameOf = (name: string): string => (by === 'flow' ? runName(name) : name);
  const columns = columnsBy(by, nameOf);
  return (
    <>
      <div className="flex">
        <Button
          size="sm"
          variant="ghost"
          icon={Download}
          className="ml-auto"
          onClick={() => downloadText(`usage by ${by}.csv`, csvOf(rows, columns), 'text/csv')}
        >
          CSV
        </Button>
      </div>
      <ListTable caption={`Usage by ${PARTS[by].toLowerCase()}`} columns={columns}>
        <tbody className="tabular-nums">
          {rows.map(({ name, calls, tokens, cost, unpriced }) => (
            <tr key={name} className={listRow}>
              <td className="truncate" title={nameOf(name)}>
                {by === 'flow' && runSubject(name).kind === 'flow' ? (
                  <FlowLink id={name} name={nameOf(name)} />
                ) : (
                  <bdi>{nameOf(name) || 'No key'}</bdi>
                )}
              </td>
              <td className="max-sm:hidden">{calls.toLocaleString('en')}</td>
              <td className="max-md:hidden">{tokens.input.toLocaleString('en')}</td>
              <td className="max-md:hidden">{tokens.output.toLocaleString('en')}</td>
              <td>{cost === 0 && unpriced > 0 ? 'no prices' : dollarsText(cost)}</td>
            </tr>
          ))}
        </tbody>
      </ListTable>
    </>
  );
}
