import { CircleX, TriangleAlert } from 'lucide-react';
import type { Problem } from '#shared/problem.ts';
import { applyFixTo, goToProblem } from '../commands/fix.ts';
import { fixesOf } from '../model/document/fixes.ts';
import { infoOf, nodeOf } from '../model/document/edit.ts';
import { titleOf } from '../model/document/geometry.ts';
import { settingName } from '../model/document/setting-name.ts';
import { edgeOfProblem } from '../model/drawing/edge-problems.ts';
import { useEditor, useSession } from '../session/session.tsx';
import type { EditorState } from '../state/editor-store.ts';
import { Button } from '../ui/Button.tsx';
import { cx } from '../ui/cx.ts';
import { problemHelp } from '../model/help-pages.ts';
import { HelpCode } from '../ui/HelpCode.tsx';
import { GrantButton, isGrantable } from './GrantButton.tsx';
import { ProseText } from '../ui/ProseText.tsx';
import { nodeIn } from '../model/document/flat.ts';

/** A path that only stands for the flow as a whole. */
const ALL_NODES = 'nodes';

/** One problem: a click goes to the field, the button fixes it. */
export function ProblemLine({ problem }: { problem: Problem }) {
  const session = useSession();
  const { severity, code, message } = problem;
  const title = useEditor((state) => subjectOf(problem, state));
  const place = useEditor((state) => placeToTell(problem, state));
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
            className={cx('shrink-0 truncate font-medium @2xl:w-40', title === undefined && 'text-text-2')}
          >
            {title ?? 'Flow'}
          </span>
          <span className="min-w-0 flex-1">
            <ProseText text={message} />
            {place !== undefined && <span className="ml-2 text-xs text-text-2">{place}</span>}
          </span>
        </span>
      </button>
      <HelpCode
        code={code}
        page={problemHelp(code)}
        className="hidden shrink-0 text-xs text-text-2 @2xl:inline"
      />
      {isGrantable(problem) && <GrantButton problem={problem} />}
      {fixesOf(problem).map((fix) => (
        <Button key={fix.title} size="sm" onClick={() => applyFixTo(session, fix)}>
          <ProseText text={fix.title} />
        </Button>
      ))}
    </li>
  );
}

/** The name of the setting, unless the message has it already, or it only stands for an edge or the flow. */
function placeToTell(problem: Problem, state: EditorState): string | undefined {
  const { node, field, message, label } = problem;
  const isOfEdge = node === undefined && field?.startsWith('edges[');
  const isSaid = label !== undefined || isOfEdge || field === ALL_NODES;
  return !field || isSaid || message.includes(field) ? undefined : placeName(field, node, state);
}

function placeName(field: string, node: string | undefined, { catalog, doc }: EditorState): string {
  return node === undefined ? field : settingName(field, infoOf(catalog, nodeIn(doc.flow, node)));
}

/** The subject of the problem: a node by its name, an edge by those of its nodes. Undefined for the flow as a whole. */
function subjectOf(problem: Problem, { doc, catalog, checked }: EditorState): string | undefined {
  const nameOf = (id: string): string => {
    const found = nodeIn(doc.flow, id);
    return found ? titleOf(found, catalog) : id;
  };
  if (problem.node !== undefined) return nameOf(problem.node);
  const edge = checked && edgeOfProblem(problem, checked);
  return edge && `${nameOf(nodeOf(edge.from))} → ${nameOf(nodeOf(edge.to))}`;
}
