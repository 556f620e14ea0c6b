import { type CheckContext, didYouMean, type NodeView, replaceWord } from '../../flow/context.ts';
import { certainOutputs, upstream } from '../../flow/facts.ts';
import { plainOutputs } from '../../flow/ports.ts';
import { type Read, where } from './reads.ts';

/** A read of another node's output: `nodes.x…`. */
interface NodeRead {
  readonly read: Read;
  readonly target: NodeView;
  /** `node.port`, or `node` if all its outputs are read together. */
  readonly output: string;
}

/** Reads of other nodes: they exist, lie upstream, carry values, and have run whenever the reader runs. */
export function checkNodeReads(context: CheckContext, reads: readonly Read[]): void {
  const found = reads.map((read) => resolve(context, read)).filter((read) => read !== undefined);
  if (found.length === 0) return;
  const inside = found.filter(({ target }) => context.nodes.has(target.id));
  checkInside(context, inside);
  if (inside.length === found.length) return;
  checkOutside(
    context,
    found.filter(({ target }) => !context.nodes.has(target.id)),
  );
}

function checkInside(context: CheckContext, found: readonly NodeRead[]): void {
  const isUpstream = upstream(
    context,
    found.map(({ target }) => target.id),
  );
  const isCertain = certainOutputs(
    context,
    found.map(({ output }) => output),
  );
  for (const { read, target, output } of found) {
    const reader = read.view.id;
    if (!isUpstream(reader, target.id) || reader === target.id) reportNotUpstream(context, read, target);
    else if (context.kinds.get(output) === 'stream') reportStream(context, read, output);
    else if (!read.tolerant && target.info && !isCertain(reader, output))
      reportMaybeSkipped(context, read, target);
  }
}

/** Reads, in a body, of nodes that come before the node around it. */
function checkOutside(context: CheckContext, found: readonly NodeRead[]): void {
  for (let { outside } = context; outside; outside = outside.context.outside) {
    const { context: around, node } = outside;
    const here = found.filter(({ target }) => around.nodes.has(target.id));
    const isCertain = certainOutputs(
      around,
      here.map(({ output }) => output),
    );
    for (const { read, target, output } of here)
      if (around.kinds.get(output) === 'stream') reportStream(context, read, output);
      else if (!read.tolerant && target.info && !isCertain(node, output))
        reportMaybeSkipped(context, read, target);
  }
}

function resolve(context: CheckContext, read: Read): NodeRead | undefined {
  const [id] = read.path;
  if (id === undefined || id === '*') return undefined;
  const target = context.nodes.get(id) ?? context.outside?.nodes.get(id);
  if (!target) {
    reportMissing(context, read, id);
    return undefined;
  }
  const output = target.info ? outputOf(context, read, target) : id;
  return output === undefined ? undefined : { read, target, output };
}

function reportMissing(context: CheckContext, read: Read, id: string): void {
  for (let { outside } = context; outside; outside = outside.context.outside) {
    if (!outside.context.nodes.has(id)) continue;
    const what =
      id === outside.node
        ? `\`${read.view.id}\` is in the body of \`${id}\`, whose output is not there before the body has ended.`
        : `\`${id}\` does not come before \`${outside.node}\`, in whose body \`${read.view.id}\` is, so it may run later; connect them.`;
    context.report({ code: 'not-upstream', message: what, ...where(read), nodes: [id, read.view.id] });
    return;
  }
  const known = [...context.nodes.keys(), ...(context.outside?.nodes.keys() ?? [])];
  reportUnknown(context, read, { what: `There is no node \`${id}\`.`, name: id, known });
}

/** Which output a read refers to: the node's only one, the one that is named, or all together. */
function outputOf(context: CheckContext, read: Read, { id, ports }: NodeView): string | undefined {
  const plain = plainOutputs(ports);
  if (plain.length === 1) return `${id}.${plain[0]?.name}`;
  const names = ports.outputs.map((output) => output.name);
  const [, port = '*'] = read.path;
  if (names.includes(port)) return `${id}.${port}`;
  if (port === '*' && names.length > 0) return id;
  const what =
    names.length === 0 ? `\`${id}\` has no output to read.` : `\`${id}\` has no output \`${port}\`.`;
  reportUnknown(context, read, { what, name: port, known: names });
  return undefined;
}

function reportUnknown(
  context: CheckContext,
  read: Read,
  { what, name, known }: { what: string; name: string; known: Iterable<string> },
): void {
  const meant = context.nearest(name, known);
  const offset = read.text.indexOf(name, read.offset);
  const place = { id: read.view.id, path: read.field, text: read.text, offset };
  context.report({
    code: 'expression-unknown-name',
    message: `${what}${didYouMean(meant)}`,
    ...where(read),
    fix: meant === undefined || offset < 0 ? undefined : replaceWord(place, name, meant),
  });
}

function reportNotUpstream({ report }: CheckContext, read: Read, { id }: NodeView): void {
  const itself = id === read.view.id;
  report({
    code: 'not-upstream',
    message: itself
      ? `\`${id}\` reads its own output, which is not there yet.`
      : `\`${read.view.id}\` reads \`${id}\`, but no edges lead from there to here, so it may run first; connect them.`,
    ...where(read),
    nodes: itself ? [id] : [id, read.view.id],
  });
}

function reportStream({ report }: CheckContext, read: Read, output: string): void {
  report({
    code: 'stream-read',
    message: `${output} is a stream, which an expression cannot read; collect it first, with \`core.unstreamify\`.`,
    ...where(read),
  });
}

function reportMaybeSkipped({ report }: CheckContext, read: Read, { id }: NodeView): void {
  report({
    code: 'maybe-skipped',
    severity: 'warning',
    message: `\`${id}\` may have been skipped when \`${read.view.id}\` runs; write \`nodes.${id}?.…\` or \`?? …\` if its value may be missing.`,
    ...where(read),
    nodes: [id, read.view.id],
  });
}
