import type { Fix, Problem } from '#shared/problem.ts';
import { applyFix } from '#engine/edit';
import type { Doc, Point } from './document.ts';
import { nodeOf, snap } from './edit.ts';
import { flatFlow, holderOf } from './flat.ts';
import { freePlace } from './frames.ts';
import { NODE_WIDTH } from './geometry.ts';

/** The document with a fix applied; a node that the fix adds is placed before the node that it feeds. */
export function fixedDoc(doc: Doc, fix: Fix): Doc {
  const flow = applyFix(doc.flow, fix);
  if (flow === doc.flow) return doc;
  const [before, after] = [flatFlow(doc.flow), flatFlow(flow)];
  const added = Object.keys(after.nodes).filter((id) => !Object.hasOwn(before.nodes, id));
  let { layout } = doc;
  for (const id of added) {
    const at = freePlace(
      { flow, layout },
      placeBefore(doc, after.edges.find((edge) => nodeOf(edge.from) === id)?.to),
      { holder: holderOf(flow, id) },
    );
    layout = { ...layout, nodes: { ...layout.nodes, [id]: snap(at) } };
  }
  return { flow, layout };
}

const GAP = 60;

function placeBefore(doc: Doc, to: string | undefined): Point {
  const target = (to && doc.layout.nodes[nodeOf(to)]) || { x: 0, y: 0 };
  return { x: target.x - NODE_WIDTH - GAP, y: target.y };
}

/** Unambiguous fixes: what they remove has no effect, and what they add keeps the meaning of the drawing. */
const SAFE: readonly Problem['code'][] = ['duplicate-edge', 'dangling-edge', 'too-many-edges'];

export function isSafeFix(problem: Problem): boolean {
  return problem.fix !== undefined && SAFE.includes(problem.code);
}

/** The ways to repair a problem, of which somebody chooses one. */
export function fixesOf({ fix, fixes = [] }: Problem): readonly Fix[] {
  return fix ? [fix, ...fixes] : fixes;
}
