import type { Fix, Problem } from '#shared/problem.ts';
import { edgeId } from '../model/document/document.ts';
import { nodeOf } from '../model/document/edit.ts';
import { edgeOfProblem } from '../model/drawing/edge-problems.ts';
import { fixedDoc, isSafeFix } from '../model/document/fixes.ts';
import type { Session } from './command.ts';
import { nodeIn } from '../model/document/flat.ts';

/** Commands for problems: go to a problem, fix it. */

/** Applies a fix as one step. If the flow has changed so that nothing is left to fix, only the announcement says so. */
export function applyFixTo({ editor, ui }: Session, fix: Fix): void {
  const { doc, commit, refreshProblems } = editor.getState();
  const next = fixedDoc(doc, fix);
  if (next === doc) {
    ui.setState({ announcement: 'The flow has changed meanwhile; there is nothing left to fix here.' });
  } else {
    const title = fix.title.replaceAll('`', '');
    commit(title, (draft) => Object.assign(draft, next));
    ui.setState({ announcement: `Done: ${title}` });
  }
  refreshProblems();
}

/** Applies every unambiguous fix, as one step. Each may solve or move other problems, so the check runs again after each. */
export function applySafeFixes({ editor, ui }: Session): void {
  const { doc, problems, commit, refreshProblems } = editor.getState();
  let next = doc;
  let count = 0;
  for (const { fix } of problems.filter(isSafeFix)) {
    const fixed = fix ? fixedDoc(next, fix) : next;
    if (fixed !== next) count++;
    next = fixed;
  }
  if (count > 0)
    commit(count === 1 ? 'Fix a problem' : `Fix ${count} problems`, (draft) => Object.assign(draft, next));
  ui.setState({ announcement: `${count} ${count === 1 ? 'problem' : 'problems'} fixed` });
  refreshProblems();
}

/** Selects the subject of a problem, brings it into view and focuses its field. */
export function goToProblem(session: Session, problem: Problem): void {
  const { editor, ui } = session;
  const { doc, select } = editor.getState();
  const edge = edgeOfProblem(problem, doc.flow);
  const nodes = edge ? [nodeOf(edge.from), nodeOf(edge.to)] : (problem.nodes ?? [problem.node]);
  const known = nodes.filter((id) => id !== undefined && nodeIn(doc.flow, id) !== undefined) as string[];
  if (edge) select([], [edgeId(edge)]);
  else select(problem.node !== undefined ? [problem.node] : known);
  ui.setState({
    panel: 'inspector',
    focusField: edge ? undefined : problem.field,
    ...(known.length > 0 && { reveal: { nodes: known, request: (ui.getState().reveal?.request ?? 0) + 1 } }),
  });
}
