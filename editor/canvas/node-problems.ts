import type { Problem } from '#shared/problem.ts';

/** The problems of one node, for its mark on the canvas. */
export interface NodeProblems {
  readonly errors: number;
  readonly warnings: number;
  /** The message of the worst one. */
  readonly first: string;
  /** All messages, one a line. */
  readonly text: string;
}

const known = new WeakMap<readonly Problem[], ReadonlyMap<string, NodeProblems>>();

/** Problems by node, computed once per list, since every node on the canvas asks. */
export function problemsOf(problems: readonly Problem[], node: string): NodeProblems | undefined {
  let byNode = known.get(problems);
  if (!byNode) {
    byNode = count(problems);
    known.set(problems, byNode);
  }
  return byNode.get(node);
}

function count(problems: readonly Problem[]): ReadonlyMap<string, NodeProblems> {
  const byNode = new Map<string, NodeProblems>();
  for (const { node, severity, message: written } of problems) {
    if (node === undefined) continue;
    // A card and its tip show plain text, where the signs around code would stand as they are.
    const message = written.replaceAll('`', '');
    const before = byNode.get(node) ?? { errors: 0, warnings: 0, first: message, text: '' };
    const isFirstError = severity === 'error' && before.errors === 0;
    byNode.set(node, {
      errors: before.errors + (severity === 'error' ? 1 : 0),
      warnings: before.warnings + (severity === 'warning' ? 1 : 0),
      first: isFirstError ? message : before.first,
      text: before.text === '' ? message : `${before.text}\n${message}`,
    });
  }
  return byNode;
}
