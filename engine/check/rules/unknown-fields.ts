import { Flow, FlowEdge, FlowNode, FlowSettings, NodeCache, NodeEach, Retry } from '#shared/flow.ts';
import { type CheckContext, namesInstead, type NodeView } from '../../flow/context.ts';
import type { Path } from '../../flow/field-path.ts';

/** Where imports keep what has no place here. */
const KEPT = ['foreign', 'awel'];
/** Marks and comments of people and other programs: `$schema`, `$comment`, `_note`, `x-owner`. */
const OWN_MARK = /^(?:[$_]|x-)/;

const FIELDS = {
  flow: Object.keys(Flow.shape),
  settings: Object.keys(FlowSettings.shape),
  node: Object.keys(FlowNode.shape),
  retry: Object.keys(Retry.shape),
  cache: Object.keys(NodeCache.shape),
  each: Object.keys(NodeEach.shape),
  body: ['start', 'nodes', 'edges'],
  edge: Object.keys(FlowEdge.shape),
};

/** Files keep fields that this version does not know, and each of them is most likely a typo, which would pass unnoticed. */
export function checkUnknownFields(context: CheckContext): void {
  const { flow, nodes, outside } = context;
  if (!outside) {
    reportUnknown(context, { what: 'A flow', known: FIELDS.flow, value: flow, path: [] });
    reportUnknown(context, {
      what: '`settings`',
      known: FIELDS.settings,
      value: flow.settings,
      path: ['settings'],
    });
  }
  flow.edges.forEach((edge, i) =>
    reportUnknown(context, { what: 'An edge', known: FIELDS.edge, value: edge, path: ['edges', i] }),
  );
  for (const view of nodes.values()) {
    const { node } = view;
    reportUnknown(context, { what: 'A node', known: FIELDS.node, value: node, path: [], view });
    for (const name of ['retry', 'cache', 'each', 'body'] as const)
      reportUnknown(context, {
        what: `\`${name}\``,
        known: FIELDS[name],
        value: node[name],
        path: [name],
        view,
      });
  }
}

interface Place {
  readonly what: string;
  readonly known: readonly string[];
  readonly value: object | undefined;
  readonly path: Path;
  readonly view?: NodeView;
}

function reportUnknown(context: CheckContext, place: Place): void {
  const { what, known, value = {}, path, view } = place;
  for (const key of Object.keys(value)) {
    if (known.includes(key) || KEPT.includes(key) || OWN_MARK.test(key)) continue;
    context.report({
      code: 'bad-field',
      severity: 'warning',
      message: `${what} has no field \`${key}\`, so it has no effect.${advice(context, key, place)}`,
      ...(view && { node: view.id }),
      path: [...path, key],
    });
  }
}

function advice(context: CheckContext, key: string, { known, path, view }: Place): string {
  if (view && path.length === 0 && isParam(view, key)) return ' It is a param: write it into `params`.';
  return namesInstead(context, key, known);
}

function isParam({ info }: NodeView, key: string): boolean {
  const properties: unknown = info?.params['properties'];
  return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, key);
}
