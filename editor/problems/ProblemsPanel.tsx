import {
  CircleCheck,
  CircleX,
  type LucideIcon,
  SearchCheck,
  TriangleAlert,
  WandSparkles,
} from 'lucide-react';
import type { Problem } from '#shared/problem.ts';
import { applySafeFixes } from '../commands/fix.ts';
import { isSafeFix } from '../model/document/fixes.ts';
import { useEditor, useSession } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { countText } from '../ui/format.ts';
import { sectionTitle } from '../ui/styles.ts';
import { ProblemLine } from './ProblemLine.tsx';

/** All problems of the flow on the canvas. */
export function ProblemsPanel() {
  const session = useSession();
  const problems = useEditor((state) => state.problems);
  const isChecked = useEditor((state) => state.checked !== undefined);
  if (problems.length === 0 && !isChecked) {
    return <EmptyState icon={SearchCheck} title="The flow is being checked…" />;
  }
  if (problems.length === 0) {
    return (
      <EmptyState icon={CircleCheck} title="No problems">
        Mistakes in settings, expressions and edges appear here as you make them.
      </EmptyState>
    );
  }
  const safe = problems.filter(isSafeFix).length;
  return (
    <div className="@container flex min-h-0 flex-1 flex-col overflow-y-auto pb-2">
      {safe > 0 && (
        <div className="flex items-center gap-2 border-b border-line px-3 py-1.5">
          <span className="min-w-0 flex-1 text-xs text-text-2">
            {countText(safe, 'problem')} can be fixed without changing what the flow does.
          </span>
          <Button size="sm" icon={WandSparkles} onClick={() => applySafeFixes(session)}>
            Fix all safe
          </Button>
        </div>
      )}
      <Group severity="error" title="Errors" hint="to be fixed before publishing" problems={problems} />
      <Group severity="warning" title="Warnings" problems={problems} />
    </div>
  );
}

const LOOKS: Readonly<Record<Problem['severity'], { icon: LucideIcon; color: string }>> = {
  error: { icon: CircleX, color: 'text-bad' },
  warning: { icon: TriangleAlert, color: 'text-warn' },
};

/** More lines at once help nobody, and thousands would block the page. */
const MOST = 200;

interface GroupProps {
  severity: Problem['severity'];
  title: string;
  hint?: string;
  problems: readonly Problem[];
}

function Group({ severity, title, hint, problems }: GroupProps) {
  const own = problems.filter((problem) => problem.severity === severity);
  if (own.length === 0) return null;
  const { icon: Icon, color } = LOOKS[severity];
  return (
    <div role="group" aria-label={title}>
      <h3 className={`${sectionTitle} flex items-center gap-1.5 px-3 pt-2 pb-1`}>
        <Icon aria-hidden className={`size-3.5 ${color}`} />
        {title} ({own.length})
        {hint !== undefined && <span className="font-normal tracking-normal normal-case">{hint}</span>}
      </h3>
      <ul>
        {own.slice(0, MOST).map((problem, i) => (
          <ProblemLine key={`${problem.code} ${problem.node} ${problem.field} ${i}`} problem={problem} />
        ))}
      </ul>
      {own.length > MOST && (
        <p className="px-3 py-1 text-xs text-text-2">
          and {own.length - MOST} more; fix some of these first.
        </p>
      )}
    </div>
  );
}
