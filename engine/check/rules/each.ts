import { hasTemplate } from '../../expr/index.ts';
import type { CheckContext, NodeView } from '../../flow/context.ts';
import { plainOutputs, whyNotEach } from '../../flow/ports.ts';

/** Nodes with `each`: they can run for each item, and `onItemError` and `onError` fit together. */
export function checkEach(context: CheckContext): void {
  for (const view of context.nodes.values()) {
    if (view.node.each === undefined || !view.info) continue;
    const why = whyNotEach(view.info, view.ports);
    if (why === undefined) checkSettings(context, view);
    else report(context, view, [], `\`${view.id}\` cannot run for each item: ${why}.`);
  }
}

function checkSettings(context: CheckContext, view: NodeView): void {
  const { id, node, ports } = view;
  const { items, onItemError = 'fail' } = node.each ?? {};
  const [first, ...others] = streamedInputs(context, view);
  const isStream = first !== undefined && first === ports.inputs[0]?.name;
  const other = isStream ? others[0] : first;
  if (other !== undefined)
    report(
      context,
      view,
      [],
      `\`${id}\` runs for each item, but a stream at \`${other}\` can be read only once; collect it first.`,
    );
  if (items !== undefined && isStream)
    report(
      context,
      view,
      ['items'],
      `The items of \`${id}\` are those of the stream at its input; leave \`items\` out.`,
    );
  if (items !== undefined && !hasTemplate(items))
    report(
      context,
      view,
      ['items'],
      `\`each.items\` of \`${id}\` is a text and never a list; write an expression, such as \`{{ input.lines }}\`.`,
    );
  if (onItemError === 'collect' && plainOutputs(ports).length > 1)
    report(
      context,
      view,
      ['onItemError'],
      `\`${id}\` has several outputs, so none of them can report failed items; use \`skip\`, or \`onError: route\`.`,
    );
  if (onItemError !== 'fail' && node.onError !== undefined && node.onError !== 'fail')
    report(
      context,
      view,
      ['onItemError'],
      `\`onError: ${node.onError}\` of \`${id}\` already says what happens to failed items; leave one of the two out.`,
    );
  if (node.onError === 'route' && isStream)
    report(
      context,
      view,
      [],
      `\`${id}\` takes the items of a stream, whose failures cannot be routed; use \`onItemError\`.`,
    );
}

/** The inputs at which a stream arrives, in the order of the ports. */
function streamedInputs({ kinds }: CheckContext, { ports, incoming }: NodeView): string[] {
  const streamed = new Set(
    incoming.filter((e) => kinds.get(`${e.from}.${e.fromPort}`) === 'stream').map((e) => e.toPort),
  );
  return ports.inputs.map(({ name }) => name).filter((name) => streamed.has(name));
}

function report(context: CheckContext, { id }: NodeView, field: readonly string[], message: string): void {
  context.report({ code: 'bad-each', message, node: id, path: ['each', ...field] });
}
