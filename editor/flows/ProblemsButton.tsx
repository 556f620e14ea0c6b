import { CircleAlert, CircleX } from 'lucide-react';
import type { Problem } from '#shared/problem.ts';
import { softTone } from '../ui/Badge.tsx';
import { cx } from '../ui/cx.ts';
import { countText } from '../ui/format.ts';
import { Popover } from '../ui/Popover.tsx';

const MOST = 12;

/** How many problems a flow has; a click lists them. */
export function ProblemsButton({ problems }: { problems: readonly Problem[] }) {
  if (problems.length === 0) return null;
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const [n, word, tone] =
    errors > 0 ? ([errors, 'problem', 'bad'] as const) : ([problems.length, 'warning', 'warn'] as const);
  return (
    <Popover
      label="Problems"
      className="max-h-80 w-96 overflow-y-auto"
      trigger={
        <button
          type="button"
          className={cx('h-6 rounded px-1.5 text-[11px] font-medium hover:underline', softTone[tone])}
        >
          {countText(n, word)}
        </button>
      }
    >
      <ul className="flex flex-col gap-2">
        {problems.slice(0, MOST).map((problem, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: problems have no identity and no state
          <li key={i} className="flex gap-2">
            {problem.severity === 'error' ? (
              <CircleX aria-label="Error" className="mt-0.5 size-4 shrink-0 text-bad" />
            ) : (
              <CircleAlert aria-label="Warning" className="mt-0.5 size-4 shrink-0 text-warn" />
            )}
            <span className="min-w-0 break-words">
              {problem.node !== undefined && <span className="font-mono text-xs">{problem.node}: </span>}
              {problem.message}
            </span>
          </li>
        ))}
      </ul>
      {problems.length > MOST && (
        <p className="mt-2 text-text-2">and {problems.length - MOST} more; open the flow to see them.</p>
      )}
    </Popover>
  );
}
