import type { Problem } from '#shared/problem.ts';
import { nodeOf, portOf } from '../model/document/edit.ts';
import { picked } from '../model/document/pick.ts';
import { valueHead } from '../model/value-head.ts';
import { useRuns } from '../session/session.tsx';
import { usePortTypes } from '../session/use-port-types.ts';
import type { RunState } from '../state/run-store.ts';
import { countText } from '../ui/format.ts';

interface WireFactsProps {
  from: string;
  /** The field of the value that it carries. */
  pick: string | undefined;
  problem: Problem | undefined;
}

/** What is wrong with a wire, what it carries, and what went over it last, below its buttons, where it covers no names. */
export function WireFacts({ from, pick, problem }: WireFactsProps) {
  const carries = usePortTypes(from, 'output')?.carries;
  const last = useRuns((s) => lastOf(s, from));
  if (!problem && !carries && !last && pick === undefined) return null;
  return (
    <div
      data-facts
      className="pointer-events-none absolute top-full left-1/2 mt-1 flex w-max max-w-80 -translate-x-1/2 flex-col gap-1 rounded-md border border-line bg-surface px-2 py-1 text-[11px] leading-4 text-text-2 shadow-sm"
    >
      {problem && (
        <span className={problem.severity === 'error' ? 'text-bad' : 'text-warn'}>{problem.message}</span>
      )}
      {pick !== undefined && (
        <span>
          carries the field <code className="font-mono text-text">{pick}</code>
        </span>
      )}
      {carries && pick === undefined && <code className="truncate font-mono">{carries}</code>}
      {last && <LastValue {...last} pick={pick} />}
    </div>
  );
}

type Last = { readonly items: number } | { readonly value: unknown };

function LastValue({ pick, ...last }: Last & { readonly pick: string | undefined }) {
  if ('items' in last) return <span>Last run: stream of {countText(last.items, 'item')}</span>;
  const { kind, head } = valueHead(picked(last.value, pick));
  return (
    <>
      <span>Last run: {kind}</span>
      <code className="line-clamp-2 font-mono break-all text-text">{head}</code>
    </>
  );
}

const lasts = new WeakMap<object, Record<string, Last>>();

/** The same object for the same values of a node, so that it is not drawn again. */
function lastOf({ shown }: RunState, from: string): Last | undefined {
  const [run, port] = [shown?.nodes[nodeOf(from)], portOf(from)];
  if (!run) return undefined;
  const items = run.counts[port];
  if (items === undefined && !Object.hasOwn(run.outputs, port)) return undefined;
  const known = lasts.get(run) ?? {};
  lasts.set(run, known);
  known[port] ??= items === undefined ? { value: run.outputs[port] } : { items };
  return known[port];
}
