import { isAlwaysGiven, isExclusive } from '../../flow/by-param.ts';
import { type CheckContext, isTrigger, type NodeView, nodeWords } from '../../flow/context.ts';
import { certainOutputs, type Holds } from '../../flow/facts.ts';
import { ERROR_PORT, plainOutputs } from '../../flow/ports.ts';
import { resultNodes, scopeOf } from '../../flow/result-nodes.ts';

/** Limit of nodes over all triggers' scopes, so that a flow with thousands of triggers before one tail stays cheap to check. */
const MAX_SCOPE = 100_000;

/** Limit of the search for two live leaves. If it is not enough, the run still reports `ambiguous_result`. */
const MAX_QUESTIONS = 2_000_000;

/** Each trigger's run has one result: no two leaves can both be live. */
export function checkResults(context: CheckContext): void {
  const views = [...context.nodes.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  let size = 0;
  const told = new Set<string>();
  for (const view of views) {
    if (!isTrigger(view) || view.node.disabled || size > MAX_SCOPE) continue;
    const scope = scopeOf(context, view.id);
    size += scope.size;
    const leaves = resultLeaves(context, scope);
    for (const leaf of leaves) checkStreamed(context, leaf, told);
    if (leaves.length > 1 && !exclusive(context, leaves)) reportAmbiguous(context, view, leaves);
  }
}

/** The result of a leaf with several outputs is a record of them, and a record cannot hold a stream. */
function checkStreamed(context: CheckContext, leaf: string, told: Set<string>): void {
  const { id, node, info, ports } = context.nodes.get(leaf) as NodeView;
  const outputs = plainOutputs(ports);
  if (!info || told.has(id) || outputs.length < 2) return;
  const stream = outputs.find(
    (port) => context.kinds.get(`${id}.${port.name}`) === 'stream' && isAlwaysGiven(port, node, info),
  );
  if (stream === undefined) return;
  told.add(id);
  const from = `${id}.${stream.name}`;
  context.report({
    code: 'unread-stream',
    // Without a rule the operator may omit the output.
    ...(stream.when === undefined && { severity: 'warning' }),
    message: `\`${id}\` ends the flow with several outputs, of which \`${stream.name}\` is a stream; answer with it in a respond node, or collect it first.`,
    node: id,
    fix: { kind: 'append-operator', title: 'Answer with the stream', operator: 'core.respond', from },
  });
}

function reportAmbiguous({ nodes, report }: CheckContext, { id }: NodeView, leaves: readonly string[]): void {
  const ends = leaves.slice(0, 10).map((leaf) => nodeWords(nodes, leaf));
  const shown = ends.join(', ') + (leaves.length > 10 ? ', …' : '');
  report({
    code: 'ambiguous-result',
    severity: 'warning',
    message: `A run that \`${id}\` starts may end with several results, of ${shown}; merge or join them, or add a respond node.`,
    node: id,
    nodes: leaves,
  });
}

/** The nodes whose values can be the result; none if a respond node answers or an operator is unknown. */
function resultLeaves(context: CheckContext, scope: ReadonlySet<string>): string[] {
  const { responds = [], leaves = [] } = resultNodes(context, scope) ?? {};
  return responds.length > 0 ? [] : leaves.map((view) => view.id).sort();
}

/** A node of which only one group of outputs is live in a run: an exclusive operator, or a node that routes its errors. */
interface Choice {
  /** Outputs with edges, each with its group. */
  readonly outputs: readonly { readonly fact: string; readonly group: string }[];
}

/** Whether at most one of the leaves is live in any run, judged by the choices that they depend on. */
function exclusive(context: CheckContext, leaves: readonly string[]): boolean {
  const choices = [...context.nodes.values()].map(choiceOf).filter((choice) => choice.outputs.length > 1);
  const certain = certainOutputs(
    context,
    choices.flatMap((c) => c.outputs.map((output) => output.fact)),
  );
  const asking = { certain, left: MAX_QUESTIONS };
  const groups = [leaves];
  for (const group of groups) {
    if (group.length < 2) continue;
    const parts = split(asking, choices, group);
    if (asking.left < 0) return true;
    if (!parts) return false;
    groups.push(...parts);
  }
  return true;
}

function choiceOf({ id, node, info, outgoing }: NodeView): Choice {
  // Items take different branches.
  if (node.each !== undefined) return { outputs: [] };
  const used = [...new Set(outgoing.map((edge) => edge.fromPort))];
  const one = info !== undefined && isExclusive(node, info);
  if (!one && node.onError !== 'route') return { outputs: [] };
  const group = (port: string) => (one || port === ERROR_PORT ? port : '');
  return { outputs: used.map((port) => ({ fact: `${id}.${port}`, group: group(port) })) };
}

/** Groups of leaves of which no two can be live together, by the first choice that all leaves depend on. */
function split(
  asking: { certain: Holds; left: number },
  choices: readonly Choice[],
  leaves: readonly string[],
): string[][] | undefined {
  const sideOf = (leaf: string, { outputs }: Choice) => {
    asking.left -= outputs.length;
    return outputs.find((output) => asking.certain(leaf, output.fact))?.group;
  };
  for (const choice of choices) {
    const first = sideOf(leaves[0] as string, choice);
    if (first === undefined) continue;
    const sides = leaves.map((leaf) => sideOf(leaf, choice));
    if (sides.includes(undefined) || sides.every((side) => side === first)) continue;
    return [...Map.groupBy(leaves, (_, i) => sides[i]).values()];
  }
  return undefined;
}
