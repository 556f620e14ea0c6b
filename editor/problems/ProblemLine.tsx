import { CircleX, TriangleAlert } from 'lucide-react';
import type { Problem } from '#shared/problem.ts';
import { applyProblemFix, goToProblem } from '../commands/fix.ts';
import { titleOf } from '../model/geometry.ts';
import { useEditor, useSession } from '../shell/session.tsx';
import { Button } from '../ui/Button.tsx';
import { ProseText } from '../ui/ProseText.tsx';

/** One problem: a click goes to the field, the button mends it. */
export function ProblemLine({ problem }: { problem: Problem }) {
  const session = useSession();
  const { node, severity, code, message, field, fix } = problem;
  const title = useEditor(({ doc, catalog }) => {
    const found = node === undefined ? undefined : doc.flow.nodes[node];
    return found ? titleOf(found, catalog) : node;
  });
  const isError = severity === 'error';
  const Icon = isError ? CircleX : TriangleAlert;
  return (
    <li className="flex items-center gap-2 pr-3 hover:bg-surface-2">
      <button
        type="button"
        onClick={() => goToProblem(session, problem)}
        className="flex min-h-8 min-w-0 flex-1 cursor-default items-center gap-2 py-1 pl-3 text-left outline-offset-[-2px]"
      >
        <Icon
          aria-label={isError ? 'Error' : 'Warning'}
          className={`size-4 shrink-0 ${isError ? 'text-bad' : 'text-warn'}`}
        />
        {title !== undefined && <span className="max-w-40 shrink-0 truncate font-medium">{title}</span>}
        <span className="min-w-0 flex-1">
          <ProseText text={message} />
          {field && <code className="ml-2 font-mono text-xs text-text-2">{field}</code>}
        </span>
        <code className="shrink-0 font-mono text-xs text-text-2">{code}</code>
      </button>
      {fix && (
        <Button size="sm" onClick={() => applyProblemFix(session, problem)}>
          {fix.title}
        </Button>
      )}
    </li>
  );
}
