import { effectsOf, mayBeGiven, readsRun } from '../../flow/by-param.ts';
import { clockReads, hasTemplate } from '../../expr/index.ts';
import type { CheckContext, NodeView } from '../../flow/context.ts';
import { visitParams } from '../../flow/param-values.ts';

/** Nodes with `cache`. A write must never be skipped, and outputs that cannot be stored are reported before a run. */
export function checkCache(context: CheckContext): void {
  for (const view of context.nodes.values()) {
    if (view.node.cache === undefined || !view.info) continue;
    const refusal = refusalOf(view);
    if (refusal) report(context, view, 'error', refusal);
    else for (const reason of uselessness(context, view)) report(context, view, 'warning', reason);
  }
}

function refusalOf({ info, node }: NodeView): string | undefined {
  const effects = info && effectsOf(node, info);
  if (info?.trigger) return 'starts the flow, so there is no output to reuse';
  if (info?.respond) return 'answers the caller, which it must do each time';
  if (effects === 'write') return 'changes something outside, which must happen each time';
  return effects === 'wait' ? 'waits for something, which it must do each time' : undefined;
}

function uselessness(context: CheckContext, view: NodeView): string[] {
  const { id, info, node, ports, incoming } = view;
  const outputs = ports.outputs.filter((port) => !info || mayBeGiven(port, node, info));
  const given = outputs.map((port) => `${id}.${port.name}`);
  const taken = incoming.map((edge) => `${edge.from}.${edge.fromPort}`);
  const streams = [...given, ...taken].some((port) => context.kinds.get(port) === 'stream');
  const isOpen = info !== undefined && node.cache?.key === undefined && readsRun(node, info);
  const lazy = info !== undefined && info.lazyParams.length > 0 && node.cache?.key === undefined;
  return [
    ...(streams ? ['has a stream, which cannot be stored'] : []),
    ...(isOpen
      ? ['depends on more than its params and inputs (the caller, the run); give the cache a `key`']
      : []),
    ...(lazy ? ['has params that cannot be compared; give the cache a `key`'] : []),
    ...clockReason(context, view),
  ];
}

/** A time that is not rounded is another one in each run, and a key that leaves it out gives an output of another time. */
function clockReason({ parse }: CheckContext, { node, info }: NodeView): string[] {
  const readIn = (text: unknown): string[] => {
    const parsed = typeof text === 'string' && hasTemplate(text) ? parse(text) : undefined;
    if (!parsed?.ok) return [];
    return parsed.template.parts.flatMap((part) => (typeof part === 'string' ? [] : clockReads(part.ast)));
  };
  const names: string[] = [];
  visitParams(node.params, info, ({ value, literal }) => {
    if (!literal) names.push(...readIn(value));
  });
  const [name] = names;
  const key = node.cache?.key;
  if (name === undefined || readIn(key).length > 0) return [];
  return key === undefined
    ? [
        `reads \`${name}()\`, which is new in each run; round it, such as \`startOf(now(), "day")\`, or give the cache a \`key\``,
      ]
    : [`reads \`${name}()\`, and its \`key\` does not: it would give what an earlier time gave`];
}

function report(
  { report: tell }: CheckContext,
  { id }: NodeView,
  severity: 'error' | 'warning',
  why: string,
): void {
  tell({
    code: 'bad-cache',
    ...(severity === 'warning' && { severity }),
    message: `\`${id}\` cannot reuse earlier outputs: it ${why}.`,
    node: id,
    path: ['cache'],
    fix: { kind: 'set-field', title: 'Remove the cache', node: id, field: 'cache' },
  });
}
