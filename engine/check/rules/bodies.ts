import type { CheckContext, NodeView } from '../../flow/context.ts';
import { isTrigger } from '../../flow/context.ts';

/** Nodes with bodies: operators that run them, instead of a flow; in a body nothing that only a whole flow can do. */
export function checkBodies(context: CheckContext): void {
  for (const view of context.nodes.values()) {
    const message = wrongBody(view) ?? (context.outside && misplaced(context, view));
    if (message !== undefined)
      context.report({ code: 'bad-body', message, node: view.id, path: view.node.body ? ['body'] : [] });
  }
}

function wrongBody({ id, node, info }: NodeView): string | undefined {
  if (!info) return undefined;
  const { body, params } = node;
  if (info.body === undefined)
    return body && `\`${id}\` has a body, but \`${info.type}\` does not run one; remove it.`;
  if (info.body === 'required')
    return body ? undefined : `\`${id}\` needs a \`body\`: the nodes that it holds.`;
  const isCall = params?.['flow'] !== undefined;
  if (isCall && body) return `\`${id}\` has a body and names a flow, but runs only one of them; remove one.`;
  return isCall || body
    ? undefined
    : `\`${id}\` needs something to run: a \`body\`, or the id of a flow in \`flow\`.`;
}

function misplaced({ flow }: CheckContext, view: NodeView): string | undefined {
  const { id, info } = view;
  if (Object.keys(flow.nodes)[0] === id) return undefined;
  if (isTrigger(view)) return `\`${id}\` starts a flow, but a body is started by the node around it.`;
  return info?.respond
    ? `\`${id}\` answers the caller, which is possible only outside of bodies.`
    : undefined;
}
