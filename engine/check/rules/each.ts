import { hasTemplate } from '../../expr/index.ts';
import type { CheckContext, NodeView } from '../../flow/context.ts';
import { whyNotEach } from '../../flow/by-param.ts';
import { plainOutputs } from '../../flow/ports.ts';

/** Nodes with `each`: they can run for each item, and `onItemError` and `onError` fit together. */
export function checkEach(context: CheckContext): void {
  for (const view of context.nodes.values()) {
    if (view.node.each === undefined || !view.info) continue;
    const why = whyNotEach(view.node, view.info, view.ports);
    if (why === undefined) checkSettings(context, view);
    else report(context, view, [], `\`${view.id}\` cannot run for each item: ${why}.`);
  }
}

type Wrong = readonly [isWrong: boolean | undefined, field: readonly string[], message: string];

function checkSettings(context: CheckContext, view: NodeView): void {
  const wrong = [...wrongInputs(view, streamedInputs(context, view)), ...wrongFailures(view)];
  for (const [isWrong, field, message] of wrong) if (isWrong) report(context, view, field, message);
}

function wrongInputs({ id, node, ports }: NodeView, streams: readonly string[]): readonly Wrong[] {
  const { items } = node.each ?? {};
  const isStream = streams[0] !== undefined && streams[0] === ports.inputs[0]?.name;
  const other = streams[isStream ? 1 : 0];
  return [
    [
      other !== undefined,
      [],
      `\`${id}\` runs for each item, but a stream at \`${other}\` can be read only once; collect it first.`,
    ],
    [
      items !== undefined && isStream,
      ['items'],
      `The items of \`${id}\` are those of the stream at its input; leave \`items\` out.`,
    ],
    [
      items !== undefined && !hasTemplate(items),
      ['items'],
      `\`each.items\` of \`${id}\` is a text and never a list; write an expression, such as \`{{ input.lines }}\`.`,
    ],
    [
      node.onError === 'route' && isStream,
      [],
      `\`${id}\` takes the items of a stream, whose failures cannot be routed; use \`onItemError\`.`,
    ],
  ];
}

function wrongFailures({ id, node, ports }: NodeView): readonly Wrong[] {
  const { onError = 'fail' } = node;
  const { onItemError = 'fail' } = node.each ?? {};
  return [
    [
      onItemError === 'collect' && plainOutputs(ports).length > 1,
      ['onItemError'],
      `\`${id}\` has several outputs, so none of them can report failed items; use \`skip\`, or \`onError: route\`.`,
    ],
    [
      onItemError !== 'fail' && onError !== 'fail',
      ['onItemError'],
      `\`onError: ${onError}\` of \`${id}\` already says what happens to failed items; leave one of the two out.`,
    ],
  ];
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
