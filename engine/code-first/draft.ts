import { FORMAT, type Flow, type FlowEdge, type FlowNode, formatOf, ID_PATTERN } from '#shared/flow.ts';
import { WeftError } from '../base/errors.ts';
import type { Operator } from '../base/operator.ts';

/** The settings that every node takes beside its params; the same fields as in a flow file. */
export interface NodeOptions
  extends Pick<
    FlowNode,
    'name' | 'description' | 'disabled' | 'onError' | 'fallback' | 'retry' | 'timeoutMs' | 'cache'
  > {
  /** Stable id of the node; by default made from the function's name or the operator's. */
  readonly id?: string;
}

/** A flow while its function builds it: nodes, edges, and the operators made from its inline functions. */
export class FlowDraft {
  readonly operators = new Map<string, Operator>();
  readonly id: string;
  private readonly nodes: Record<string, FlowNode> = {};
  private readonly edges: FlowEdge[] = [];

  constructor(id: string) {
    if (!ID_PATTERN.test(id))
      throw badFlow(`The id ${JSON.stringify(id)} must be a-z, 0-9 and _, and start with a letter.`);
    this.id = id;
  }

  /** Adds a node and returns its id: the given one, or a free one based on `wanted`. */
  addNode(
    wanted: string,
    operator: string,
    params: Record<string, unknown>,
    options: NodeOptions = {},
  ): string {
    const { id: given, ...rest } = options;
    const id = given ?? this.freeId(wanted);
    if (!ID_PATTERN.test(id))
      throw badFlow(`The node id ${JSON.stringify(id)} must be a-z, 0-9 and _, and start with a letter.`);
    if (Object.hasOwn(this.nodes, id))
      throw badFlow(`Two nodes are called ${id}; give one of them another id.`);
    this.nodes[id] = { operator, params, ...rest };
    return id;
  }

  /** Adds a node with an operator that only this flow has. */
  addInline(wanted: string, operator: Operator, source: string, options: NodeOptions = {}): string {
    const id = options.id ?? this.freeId(wanted);
    const type = `inline.${this.id}-${id}`;
    this.addNode(id, type, { source }, { ...options, id });
    this.operators.set(type, operator);
    return id;
  }

  addEdge(edge: FlowEdge): void {
    this.edges.push(edge);
  }

  routeErrors(node: string): void {
    (this.nodes[node] as FlowNode).onError = 'route';
  }

  /** The flow as a file would hold it. */
  toFlow(more: Pick<Flow, 'name' | 'description' | 'settings'>): Flow {
    const flow: Flow = { format: FORMAT, id: this.id, ...more, nodes: this.nodes, edges: this.edges };
    return { ...flow, format: formatOf(flow) };
  }

  private freeId(wanted: string): string {
    const base = ID_PATTERN.test(wanted) ? wanted.slice(0, 60) : 'node';
    for (let n = 1; ; n++) {
      const id = n === 1 ? base : `${base}_${n}`;
      if (!Object.hasOwn(this.nodes, id)) return id;
    }
  }
}

/** The error of a flow in code that cannot be drawn. */
export function badFlow(message: string): WeftError {
  return new WeftError('bad_code_flow', message);
}
