import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import { LastCodeRun } from '../form/form-context.tsx';
import type { CodeFault } from '../form/code-editor-props.ts';
import { useRuns } from '../session/session.tsx';

const CodeConsole = lazy(async () => ({ default: (await import('./CodeConsole.tsx')).CodeConsole }));

/** Tells the code of a node where its last run failed and what it wrote, until the node is changed. */
export function CodeRuns({ id, children }: { id: string; children: ReactNode }) {
  const error = useRuns((state) =>
    state.stale[id] === undefined ? state.shown?.nodes[id]?.error : undefined,
  );
  const value = useMemo(
    () => ({
      fault: error && placeOf(error.data, error.message),
      console: (
        <Suspense fallback={null}>
          <CodeConsole id={id} />
        </Suspense>
      ),
    }),
    [error, id],
  );
  return <LastCodeRun value={value}>{children}</LastCodeRun>;
}

/** The place in the code, which the server adds to errors of code. */
function placeOf(data: unknown, message: string): CodeFault | undefined {
  const { line, column = 1 } = (data ?? {}) as { line?: unknown; column?: unknown };
  return typeof line === 'number' && typeof column === 'number' ? { line, column, message } : undefined;
}
