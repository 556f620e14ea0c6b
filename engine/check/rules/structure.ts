import type { OperatorInfo, ReplacedBy } from '#shared/catalog.ts';
import { packagesOfOperators } from '#shared/own-packages.ts';
import { type CheckContext, didYouMean, isTrigger, type NodeView, nextNodes } from '../../flow/context.ts';
import { cycleIn } from '../../flow/cycles.ts';
import { reach } from '../../flow/graph.ts';
import { operatorInfo } from '../../flow/ports.ts';
import { replacement } from '../../flow/replace-operator.ts';

/** The flow as a whole: known operators, no cycles, and a trigger that reaches every node. */
export function checkStructure(context: CheckContext): void {
  for (const view of context.nodes.values()) {
    if (!view.info || isOfOtherFlow(context, view)) reportUnknownOperator(context, view);
    else if (view.info.replacedBy)
      reportReplaced(context, view, { info: view.info, ...view.info.replacedBy });
    if (view.node.disabled) reportDisabled(context, view);
  }
  for (const component of context.components) reportCycle(context, component);
  reportUnreachable(context);
}

/** An inline function of a code-first flow belongs to that flow only. */
function isOfOtherFlow({ flow }: CheckContext, { info }: NodeView): boolean {
  return info?.flow !== undefined && info.flow !== flow.id;
}

function reportUnknownOperator({ catalog, report, nearest }: CheckContext, { id, node }: NodeView): void {
  const bringing = packagesOfOperators[node.operator];
  const offered = Object.values(catalog.operators).filter((info) => info.flow === undefined);
  const meant = nearest(
    node.operator,
    offered.map((info) => info.type),
  );
  report({
    code: 'unknown-operator',
    message:
      bringing === undefined
        ? `There is no operator \`${node.operator}\`.${didYouMean(meant)}`
        : `\`${node.operator}\` comes with a package that is not installed: \`weft add ${bringing}\`.`,
    node: id,
    path: ['operator'],
    fix:
      meant === undefined || bringing !== undefined
        ? undefined
        : { kind: 'set-operator', title: `Use ${meant}`, node: id, operator: meant },
  });
}

type Replaced = ReplacedBy & { readonly info: OperatorInfo };

/** The operator still works, so nothing needs to be done at once. */
function reportReplaced({ catalog, report }: CheckContext, { id, node }: NodeView, replaced: Replaced): void {
  const { info, operator, map = {} } = replaced;
  const now = operatorInfo(catalog, operator);
  const told = [
    ...renames('param', map.params, node.params),
    ...renames('input', map.inputs),
    ...renames('output', map.outputs),
    ...unplaced(node.params ?? {}, map.params, now),
  ];
  const by = `\`${operator}\`${now ? '' : ', which is not installed'}`;
  report({
    code: 'replaced-operator',
    severity: 'warning',
    message: [`\`${info.type}\` of \`${id}\` is replaced by ${by}.`, ...told].join(' '),
    node: id,
    path: ['operator'],
    fix: now && replacement(id, node, [info, now]),
  });
}

type Renames = Readonly<Record<string, string>> | undefined;

function renames(what: string, names: Renames = {}, used?: object): string[] {
  const mine = Object.entries(names).filter(([old]) => used === undefined || Object.hasOwn(used, old));
  return mine.map(([old, now]) => `The ${what} \`${old}\` becomes \`${now}\`.`);
}

/** Params that the newer operator does not have: they stay, and are reported then. */
function unplaced(
  params: Readonly<Record<string, unknown>>,
  names: Renames = {},
  now: OperatorInfo | undefined,
): string[] {
  const known = (now?.params['properties'] ?? {}) as object;
  const lost = Object.keys(params).filter((name) => now && !Object.hasOwn(known, names[name] ?? name));
  return lost.map((name) => `The param \`${name}\` has no place there and stays until you remove it.`);
}

function reportDisabled({ report }: CheckContext, { id }: NodeView): void {
  report({
    code: 'disabled-node',
    severity: 'warning',
    message: `\`${id}\` is disabled: it passes its value on if it can, otherwise the nodes after it are skipped.`,
    node: id,
    path: ['disabled'],
    fix: { kind: 'set-field', title: 'Enable the node', node: id, field: 'disabled' },
  });
}

const MAX_SHOWN = 10;

function reportCycle({ nodes, report }: CheckContext, component: readonly string[]): void {
  const cycle = cycleIn(component, (id) => nextNodes(nodes, id));
  if (!cycle) return;
  const shown = cycle.length > MAX_SHOWN ? [...cycle.slice(0, MAX_SHOWN), '…'] : cycle;
  report({
    code: 'cycle',
    message: `The nodes form a cycle: ${[...shown, cycle[0]].join(' → ')}. Remove one of these edges.`,
    nodes: cycle,
  });
}

/** A node without inputs cannot be led to: it runs for what uses it. */
function unreachableText({ id, info, ports }: NodeView): string {
  return info && ports.inputs.length === 0
    ? `Nothing that a trigger starts uses \`${id}\`, so it never runs; connect its output or remove it.`
    : `No trigger leads to \`${id}\`, so it never runs; connect or remove it.`;
}

function reportUnreachable({ nodes, graph, report }: CheckContext): void {
  const views = [...nodes.values()];
  const triggers = views.filter((view) => isTrigger(view) && !view.node.disabled).map((view) => view.id);
  if (triggers.length === 0) {
    report({
      code: 'no-trigger',
      severity: 'warning',
      message: 'Nothing starts this flow; add a trigger, such as `trigger.http`.',
      path: ['nodes'],
    });
    return;
  }
  // The union of all triggers' run scopes: their descendants, and the ancestors of those that no other trigger starts.
  const related = reach(graph, reach(graph, triggers), true);
  const roots = views.filter((v) => related.has(v.id) && v.incoming.length === 0 && !isTrigger(v));
  const alive = reach(graph, [...triggers, ...roots.map((view) => view.id)]);
  for (const view of views) {
    if ((related.has(view.id) && alive.has(view.id)) || isTrigger(view)) continue;
    report({
      code: 'unreachable-node',
      severity: 'warning',
      message: unreachableText(view),
      node: view.id,
    });
  }
}
