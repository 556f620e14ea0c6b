import { lazy, Suspense, useState } from 'react';
import type { FlowSummary } from '#shared/api.ts';
import { softTone } from '../ui/Badge.tsx';
import { cx } from '../ui/cx.ts';
import { countText } from '../ui/format.ts';

const ProblemsDialog = lazy(() =>
  import('./ProblemsDialog.tsx').then((file) => ({ default: file.ProblemsDialog })),
);

/** The number of problems of a flow; a click lists them. */
export function ProblemsButton({ flow }: { flow: FlowSummary }) {
  const [isOpen, setOpen] = useState(false);
  const errors = flow.problems.filter(({ severity }) => severity === 'error').length;
  const warnings = flow.problems.length - errors;
  if (errors + warnings === 0) return null;
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        className={cx(
          'relative inline-flex h-5 items-center rounded px-1.5 text-[11px] font-medium hover:underline',
          // As tall as a badge, but large enough to hit.
          'after:absolute after:inset-x-0 after:-inset-y-0.5',
          softTone[errors > 0 ? 'bad' : 'warn'],
        )}
      >
        {errors > 0 ? countText(errors, 'problem') : countText(warnings, 'warning')}
      </button>
      <Suspense fallback={null}>
        {isOpen && <ProblemsDialog flow={flow} onClose={() => setOpen(false)} />}
      </Suspense>
    </>
  );
}
