import type { FlowNode } from '#shared/flow.ts';

/** Shorthand for nodes over the test catalog. */

export const map = (value: unknown, more: Partial<FlowNode> = {}): FlowNode => ({
  operator: 'core.map',
  params: { value },
  ...more,
});
export const http = (params: Record<string, unknown>): FlowNode => ({ operator: 'trigger.http', params });
/** A name that ends in `?` is an optional input. */
export const join = (...names: string[]): FlowNode => ({
  operator: 'core.join',
  params: { inputs: names.map((name) => ({ name: name.replace('?', ''), required: !name.endsWith('?') })) },
});
export const withParams = (node: FlowNode, params: Record<string, unknown>): FlowNode => ({
  ...node,
  params: { ...node.params, ...params },
});
export const iff = (condition: unknown = '{{ input }}'): FlowNode => ({
  operator: 'logic.if',
  params: { condition },
});
export const routeOf = (many: boolean, ...names: string[]): FlowNode => ({
  operator: 'model.route',
  params: { many, cases: names.map((name) => ({ name, description: 'It fits.' })) },
});
export const switchOf = (...names: string[]): FlowNode => ({
  operator: 'logic.switch',
  params: { cases: names.map((name) => ({ name, when: '{{ input }}' })) },
});
