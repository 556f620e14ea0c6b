/** The code of a node of n8n, with the names before it that it knows there. */

export interface Shim {
  readonly perItem: boolean;
  readonly workflow: string;
  /** The input is `{ items, nodes }`, otherwise the items, or the item, alone. */
  readonly hasNodes: boolean;
}

/**
 * Stored data is read before and written after the code, if it asks for it.
 */
export function shimmed(source: string, { perItem, workflow, hasNodes }: Shim): string {
  const isStored = /getWorkflowStaticData|getNodeStaticData/.test(source);
  const given = hasNodes ? 'input.items' : perItem ? '[input]' : 'input';
  return [
    `const wrap = (json) => ({ json, binary: {}, pairedItem: 0 });`,
    `const given = ${given}.map(wrap);`,
    `const others = ${hasNodes ? 'input.nodes' : '{}'};`,
    `const list = (all, own) => ({ all: () => all, first: () => all[0], last: () => all[all.length - 1], item: own, itemMatching: (at) => all[at], pairedItem: () => own, isExecuted: all.length > 0, json: (own ?? all[0])?.json, context: {}, params: {} });`,
    `const node = (name) => {`,
    `  const found = others[name];`,
    `  if (found === undefined) throw new Error('There is no item of the node ' + name + ' here.');`,
    `  return list((found.all ?? []).map(wrap), found.own == null ? undefined : wrap(found.own));`,
    `};`,
    `const nodes = new Proxy({}, { get: (_, name) => node(name) });`,
    `const answerOf = async (options) => {`,
    `  const { url, uri, method = 'GET', headers = {}, body, qs, json = true } = typeof options === 'string' ? { url: options } : options;`,
    `  const target = new URL(url ?? uri);`,
    `  for (const [name, value] of Object.entries(qs ?? {})) target.searchParams.append(name, value);`,
    `  const answer = await ctx.fetch(target.href, { method, headers, body });`,
    `  if (!answer.ok) throw new Error('Request failed with status code ' + answer.status);`,
    `  const text = answer.text();`,
    `  try { return json ? JSON.parse(text) : text; } catch { return text; }`,
    `};`,
    ...(isStored
      ? [
          `const stored = (await ctx.state.get('static_data')) ?? { global: {}, node: {} };`,
          `const $getWorkflowStaticData = (kind) => (stored[kind] ??= {});`,
          `const getWorkflowStaticData = $getWorkflowStaticData;`,
        ]
      : []),
    `const known = {`,
    `  items: given, item: given[0], $input: list(given, given[0]), $json: given[0]?.json, $node: nodes, $: node,`,
    `  $items: (name) => (name === undefined ? given : node(name).all()), $itemIndex: ctx.index ?? 0, $runIndex: 0,`,
    `  $workflow: { id: '', name: ${JSON.stringify(workflow)}, active: true }, $execution: { id: '', mode: 'production' },`,
    `  $env: ctx.vars, $vars: ctx.vars, $helpers: { httpRequest: answerOf },`,
    `};`,
    // In a block of its own, in which the code may declare the names anew.
    `const main = async function (${NAMES.join(', ')}) { {`,
    source,
    `} };`,
    `const self = { helpers: { httpRequest: answerOf, request: answerOf }${isStored ? ', getWorkflowStaticData: $getWorkflowStaticData' : ''} };`,
    `const result = await main.call(self, ${NAMES.map((name) => `known[${JSON.stringify(name)}]`).join(', ')});`,
    ...(isStored ? [`await ctx.state.set('static_data', stored);`] : []),
    `const unwrap = (one) => (one !== null && typeof one === 'object' && 'json' in one ? one.json : one);`,
    `return [result ?? []].flat().map(unwrap);`,
  ].join('\n');
}

const NAMES = [
  'items',
  'item',
  '$input',
  '$json',
  '$node',
  '$',
  '$items',
  '$itemIndex',
  '$runIndex',
  '$workflow',
  '$execution',
  '$env',
  '$vars',
  '$helpers',
];
