import { ChartColumn, Image, type LucideIcon, Table2, Type } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { type Numbers, watched, type Watched, watchNodes, type WatchView } from '../model/document/watch.ts';
import { briefly } from '../model/expression/source-members.ts';
import type { Table } from '../model/form/table.ts';
import { valueHead } from '../model/value-head.ts';
import { useIsPast, useRuns, useSession } from '../session/session.tsx';
import type { NodeRun } from '../state/run-store.ts';
import { countText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';

type Shown = Exclude<WatchView, 'auto'>;

const VIEWS: Readonly<Record<Shown, readonly [LucideIcon, string]>> = {
  picture: [Image, 'Show as a picture'],
  table: [Table2, 'Show as a table'],
  chart: [ChartColumn, 'Show as a chart'],
  text: [Type, 'Show as a text'],
};
const TEXT = 400;
const ROWS = 3;
const COLUMNS = 3;

/** The last output of a watched node, below its card. */
export function NodeWatch({ id, view }: { id: string; view: WatchView }) {
  const run = useRuns((s) => s.shown?.nodes[id]);
  const shown = useRuns((s) => s.shown?.id);
  return (
    <div
      data-watch={view}
      className="weft-watch nodrag nopan nowheel absolute top-full mt-1.5 w-full overflow-hidden rounded-lg border border-line bg-surface text-xs shadow-sm"
    >
      <Output id={id} view={view} run={run} shown={shown} />
    </div>
  );
}

interface OutputProps {
  id: string;
  view: WatchView;
  run: NodeRun | undefined;
  /** The run on the canvas. */
  shown: string | undefined;
}

function Output({ id, view, run, shown }: OutputProps) {
  const port = run && portOf(run);
  const value = port === undefined ? undefined : run?.outputs[port];
  const ways = useMemo(() => watched(value), [value]);
  const items = Object.values(run?.counts ?? {})[0];
  if (items !== undefined) return <Head>stream of {countText(items, 'item')}</Head>;
  if (port === undefined) return <Head>{run ? 'no output' : 'shows the output of the next run'}</Head>;
  const wished = ways.views.find((one) => one === view) ?? ways.views[0] ?? 'text';
  return (
    <>
      <Head aside={<Ways id={id} views={ways.views} shown={wished} />}>{valueHead(value).kind}</Head>
      <div className="border-t border-line p-1.5">
        <Value view={wished} value={value} ways={ways} run={shown ?? ''} />
      </div>
    </>
  );
}

/** `out`, or the first output that has a value. */
function portOf({ outputs }: NodeRun): string | undefined {
  if (Object.hasOwn(outputs, 'out')) return 'out';
  return Object.keys(outputs).find((name) => name !== 'error');
}

function Head({ children, aside }: { children: ReactNode; aside?: ReactNode }) {
  return (
    <div className="flex h-7 items-center gap-1 pr-1 pl-2 text-[11px] text-text-2">
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {aside}
    </div>
  );
}

function Ways({ id, views, shown }: { id: string; views: readonly Shown[]; shown: Shown }) {
  const { editor } = useSession();
  const isPast = useIsPast();
  if (views.length < 2 || isPast) return null;
  return views.map((view) => {
    const [icon, label] = VIEWS[view];
    return (
      <IconButton
        key={view}
        size="sm"
        side="top"
        icon={icon}
        label={label}
        pressed={view === shown}
        onClick={() => editor.getState().commit('Watch', (draft) => watchNodes(draft, [id], view))}
      />
    );
  });
}

function Value({ view, value, ways, run }: { view: Shown; value: unknown; ways: Watched; run: string }) {
  const [picture] = ways.pictures;
  if (view === 'picture' && picture)
    return (
      <img
        src={`/api/v1/runs/${run}/files/${picture.$file}`}
        alt={picture.name}
        className="max-h-40 w-full rounded-sm object-contain"
      />
    );
  if (view === 'table' && ways.table) return <Rows table={ways.table} />;
  if (view === 'chart' && ways.numbers) return <Bars numbers={ways.numbers} />;
  if (typeof value === 'number') return <p className="text-xl font-semibold tabular-nums">{value}</p>;
  return <p className="line-clamp-6 break-words whitespace-pre-wrap">{valueHead(value, TEXT).head}</p>;
}

function Rows({ table: { columns, rows } }: { table: Table }) {
  const shown = columns.slice(0, COLUMNS);
  const more = rows.length - ROWS;
  return (
    <>
      <table className="w-full table-fixed text-left text-[11px]">
        <thead className="text-text-2">
          <tr>
            {shown.map((column) => (
              <th key={column} scope="col" className="truncate py-0.5 pr-1 font-medium">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, ROWS).map((row, i) => (
            <tr key={i} className="border-t border-line">
              {shown.map((column) => (
                <td key={column} className="truncate py-0.5 pr-1">
                  {typeof row[column] === 'string' ? row[column].slice(0, 60) : briefly(row[column])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 && <p className="pt-0.5 text-[11px] text-text-2">and {countText(more, 'row')} more</p>}
    </>
  );
}

const WIDTH = 220;
const HEIGHT = 72;

/** From zero, so that lengths compare; values below it hang down. */
function Bars({ numbers: { name, values } }: { numbers: Numbers }) {
  const most = Math.max(0, ...values);
  const least = Math.min(0, ...values);
  const scale = HEIGHT / (most - least || 1);
  const step = WIDTH / values.length;
  const words = `${name || 'Values'}: ${values.length} from ${Math.min(...values)} to ${Math.max(...values)}`;
  return (
    <svg role="img" aria-label={words} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="w-full">
      <title>{words}</title>
      {values.map((value, i) => (
        <rect
          key={i}
          x={i * step}
          width={Math.max(0.5, step * 0.8)}
          y={(most - Math.max(0, value)) * scale}
          height={Math.max(1, Math.abs(value) * scale)}
          fill="var(--accent)"
        />
      ))}
    </svg>
  );
}
