import { CircleX, TriangleAlert } from 'lucide-react';
import type { Problem } from '#shared/problem.ts';
import { applyFixTo, goToProblem } from '../commands/fix.ts';
import { fixesOf } from '../model/document/fixes.ts';
import { titleOf } from '../model/document/geometry.ts';
import { useEditor, useSession } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { cx } from '../ui/cx.ts';
import { ProseText } from '../ui/ProseText.tsx';
import { nodeIn } from '../model/document/flat.ts';

/** A path that only stands for the flow as a whole. */
const ALL_NODES = 'nodes';

/** One problem: a click goes to the field, the button fixes it. */
export function ProblemLine({ problem }: { problem: Problem }) {
  const session = useSession();
  const { node, severity, code, message, field } = problem;
  const title = useEditor(({ doc, catalog }) => {
    const found = node === undefined ? undefined : nodeIn(doc.flow, node);
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
        <span className="flex min-w-0 flex-1 flex-col @2xl:flex-row @2xl:items-baseline @2xl:gap-2">
          <span
            className={cx('shrink-0 truncate font-medium @2xl:w-32', title === undefined && 'text-text-2')}
          >
            {title ?? 'Flow'}
          </span>
          <span className="min-w-0 flex-1">
            <ProseText text={message} />
            {field && field !== ALL_NODES && !message.includes(field) && (
              <code className="ml-2 font-mono text-xs text-text-2">{field}</code>
            )}
          </span>
          <code className="hidden shrink-0 font-mono text-xs text-text-2 @2xl:inline">{code}</code>
        </span>
      </button>
      {fixesOf(problem).map((fix) => (
        <Button key={fix.title} size="sm" onClick={() => applyFixTo(session, fix)}>
          {fix.title}
        </Button>
      ))}
    </li>
  );
}
