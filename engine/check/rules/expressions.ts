import { compileTemplate, type Env, type ExprProblem, hasTemplate, readsOf } from '../../expr/index.ts';
import { otherTemplates } from '../../flow/change-templates.ts';
import { type CheckContext, type NodeView, replaceWord } from '../../flow/context.ts';
import type { Path } from '../../flow/field-path.ts';
import { type ParamValue, visitParams } from '../../flow/param-values.ts';
import { checkNodeReads } from './node-reads.ts';
import { type Read, ROOTS, checkRead } from './reads.ts';

/** Every expression: its grammar, its names, and its reads. */
export function checkExpressions(context: CheckContext): void {
  const reads: Read[] = [];
  for (const view of context.nodes.values()) {
    visitParams(view.node.params, view.info, (at) => {
      if (typeof at.value !== 'string' || at.literal || !hasTemplate(at.value)) return;
      reads.push(...checkTemplate(context, view, at, at.value));
    });
  }
  for (const view of context.nodes.values())
    for (const { path, text } of otherTemplates(view.node))
      reads.push(...checkTemplate(context, view, { path, lazy: false }, text));
  for (const read of reads) checkRead(context, read);
  checkNodeReads(
    context,
    reads.filter((read) => read.root === 'nodes'),
  );
}

function checkTemplate(
  context: CheckContext,
  view: NodeView,
  { path, lazy }: Pick<ParamValue, 'path' | 'lazy'>,
  text: string,
): Read[] {
  const parsed = context.parse(text);
  const compiled = parsed.ok ? compileTemplate(parsed.template, anyEnv) : parsed;
  if (!compiled.ok) for (const error of compiled.errors) reportProblem(context, view, { path, text, error });
  if (!parsed.ok) return [];
  return parsed.template.parts.flatMap((part) =>
    typeof part === 'string'
      ? []
      : readsOf(part.ast).map((read) => ({
          view,
          field: path,
          text,
          lazy,
          root: read.root,
          path: read.path,
          tolerant: read.tolerant,
          offset: part.offset + read.start,
        })),
  );
}

const absent = () => undefined;
const neverMatching = { test: () => false, matches: () => [] };

/** Constant parts that need a library are computed when the flow is compiled, not here. */
function later(): never {
  throw new Error('not computed here');
}

/** Accepts every root and node. `checkRead` and `checkNodeReads` report what a node cannot read, with messages of their own. */
const anyEnv: Env<undefined> = {
  root: (name) => (name !== 'nodes' && ROOTS.includes(name) ? absent : undefined),
  member: (root) => (root === 'nodes' ? absent : undefined),
  // The engine that runs a pattern checks it when the flow is compiled.
  tools: { regex: () => neverMatching, dates: later, digest: later },
  moments: { start: () => 0, now: () => 0, random: () => 0 },
};

function reportProblem(
  context: CheckContext,
  { id }: NodeView,
  { path, text, error }: { path: Path; text: string; error: ExprProblem },
): void {
  const word = /[\w$]*/y;
  word.lastIndex = error.offset;
  const wrong =
    error.length === undefined
      ? (word.exec(text)?.[0] ?? '')
      : text.slice(error.offset, error.offset + error.length);
  const root = error.code === 'expression-unknown-name' ? context.nearest(wrong, ROOTS) : undefined;
  const meant = error.suggestion ?? root;
  const hint = error.suggestion === undefined && root !== undefined ? ` Did you mean \`${root}\`?` : '';
  context.report({
    code: error.code,
    message: `${error.message}${hint}`,
    node: id,
    path,
    offset: error.offset,
    fix:
      meant === undefined || wrong === ''
        ? undefined
        : replaceWord({ id, path, text, offset: error.offset }, wrong, meant),
  });
}
