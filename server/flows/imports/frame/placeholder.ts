import type { FlowNode } from '#shared/flow.ts';

/** A node of another product that nothing here stands for. */
export interface Foreign {
  readonly product: string;
  readonly type: string;
  readonly version?: number | undefined;
  readonly name: string;
  /** Everything that was set, without secrets. */
  readonly parameters: unknown;
  /** The two nearest ways to do the same here. */
  readonly offers: readonly string[];
}

/**
 * A node with an operator that does not exist, so that `check` names it and the flow cannot go live. Its values are kept under `foreign`:
 * nothing is lost, and the node can be replaced by hand.
 */
export function placeholderNode(foreign: Foreign): FlowNode {
  const { product, type, name } = foreign;
  const short = type.slice(type.lastIndexOf('.') + 1) || 'node';
  return {
    operator: `${product.toLowerCase()}.${short}`.replaceAll(/[^\w.-]/g, '_').slice(0, 200),
    ...(name !== '' && { name: name.slice(0, 200) }),
    description: `Was ${type} of ${product}. ${offersText(foreign.offers)}`.slice(0, 10_000),
    foreign,
  };
}

function offersText(offers: readonly string[]): string {
  return offers.length === 0 ? '' : `Nearest here: ${offers.join(', or ')}.`;
}
