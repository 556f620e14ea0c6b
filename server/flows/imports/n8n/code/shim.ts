import { givesDates, preludeFor } from './modules.ts';

/** The code of a node of n8n, with the names before it that it knows there. */

export interface Shim {
  readonly perItem: boolean;
  readonly workflow: string;
  /** The input is `{ items, nodes, round }`, otherwise the items, or the item, alone. */
  readonly hasNodes: boolean;
  /** The time zone of dates. */
  readonly zone: string;
  /** It gives `{ items, places }`: the place of the item of the input that each item belongs to, null if there is none. */
  readonly paired?: boolean;
}

/**
 * Stored data is read before and written after the code, if it asks for it.
 */
export function shimmed(source: string, { perItem, workflow, hasNodes, zone, paired = false }: Shim): string {
  const isStored = /getWorkflowStaticData|getNodeStaticData/.test(source);
  const hasFiles = FILES.test(source);
  const [given, others, round] = hasNodes
    ? ['input.items', 'input.nodes', 'input.round ?? 0']
    : [perItem ? '[input]' : 'input', '{}', '0'];
  return [
    ...preludeFor(source, zone),
    `const wrap = (json, at) => ({ json, binary: {}, pairedItem: { item: at ?? 0 } });`,
    `const given = ${given}.map(wrap);`,
    ...(hasFiles ? READ_FILES : []),
    `const others = ${others};`,
    ...OTHERS,
    ...REQUESTS,
    ...(isStored
      ? [
          `const stored = (await ctx.state.get('static_data')) ?? { global: {}, node: {} };`,
          `const $getWorkflowStaticData = (kind) => (stored[kind] ??= {});`,
          `const getWorkflowStaticData = $getWorkflowStaticData;`,
        ]
      : []),
    `const known = {`,
    `  items: given, item: given[0], $input: list(given, given[0]), $json: given[0]?.json, $node: nodes, $: node,`,
    `  $items: (name) => (name === undefined ? given : node(name).all()), $itemIndex: ctx.index ?? 0, $runIndex: ${round},`,
    `  $workflow: { id: '', name: ${JSON.stringify(workflow)}, active: true }, $execution: { id: '', mode: 'production' },`,
    `  $env: ctx.vars, $vars: ctx.vars, $helpers: { httpRequest: answerOf${hasFiles ? ', ...files' : ''} },`,
    ...(hasFiles ? ['  $binary: given[0]?.binary,'] : []),
    `};`,
    // In a block of its own, in which the code may declare the names anew.
    `const main = async function (${NAMES.join(', ')}) { {`,
    source,
    `} };`,
    `const self = { helpers: { httpRequest: answerOf, request: answerOf${hasFiles ? ', ...files' : ''} }${isStored ? ', getWorkflowStaticData: $getWorkflowStaticData' : ''} };`,
    `const result = await main.call(self, ${NAMES.map((name) => `known[${JSON.stringify(name)}]`).join(', ')});`,
    ...(isStored ? [`await ctx.state.set('static_data', stored);`] : []),
    ...returned(source, hasFiles, paired),
  ].join('\n');
}

/** Other nodes as code names them there. */
const OTHERS = [
  `const told = (text) => Object.assign(new Error(text), { isTold: true });`,
  `const list = (all, own) => ({ all: () => all, first: () => all[0], last: () => all[all.length - 1], item: own, itemMatching: (at) => all[at], pairedItem: () => own, isExecuted: true, json: (all.length === 1 ? all[0] : all[ctx.index ?? 0])?.json, context: {}, params: {} });`,
  `const node = (name) => {`,
  `  const found = others[name];`,
  `  if (found === undefined) throw told('There is no item of the node ' + name + ' here.');`,
  `  if (found.all === null) return absent(name);`,
  `  return list(found.all.map(wrap), found.own == null ? undefined : wrap(found.own, 0));`,
  `};`,
  // A node that did not run.
  `const absent = (name) => new Proxy({}, { get(_, field) {`,
  `  if (field === 'isExecuted') return false;`,
  `  if (typeof field === 'symbol' || field === 'then') return undefined;`,
  `  throw told('The node ' + name + ' did not run.');`,
  `} });`,
  `const nodes = new Proxy({}, { get: (_, name) => node(name) });`,
];

/** Requests as code sends them there. */
const REQUESTS = [
  `const answerOf = async (options) => {`,
  `  const { url, uri, method = 'GET', headers = {}, body, qs, json = true } = typeof options === 'string' ? { url: options } : options;`,
  `  const target = new URL(url ?? uri);`,
  `  for (const [name, value] of Object.entries(qs ?? {})) target.searchParams.append(name, value);`,
  `  const answer = await ctx.fetch(target.href, { method, headers, body });`,
  `  if (!answer.ok) throw new Error('Request failed with status code ' + answer.status);`,
  `  const text = answer.text();`,
  `  try { return json ? JSON.parse(text) : text; } catch { return text; }`,
  `};`,
];

/** The items as Weft has them; dates of Luxon become texts. */
function returned(source: string, hasFiles: boolean, paired: boolean): readonly string[] {
  const unwrap = hasFiles
    ? WRITE_FILES
    : [
        `const unwrap = (one) => (one !== null && typeof one === 'object' && 'json' in one ? one.json : one);`,
      ];
  const list = 'found.map((one) => unwrap(one))';
  const items = hasFiles ? `await Promise.all(${list})` : list;
  const value = givesDates(source) ? `JSON.parse(JSON.stringify(${items}))` : items;
  return [
    ...unwrap,
    `const found = [result ?? []].flat();`,
    ...(paired ? PAIRED : []),
    `return ${paired ? `{ places: found.map(placeOf), items: ${value} }` : value};`,
  ];
}

/** Items that say nothing belong to the only one of the input, or to those at the same places if there are as many. */
const PAIRED = [
  `const placeOf = (one, at) => {`,
  `  const own = one !== null && typeof one === 'object' && 'json' in one ? one.pairedItem : undefined;`,
  `  if (!own && given.length === 1) return 0;`,
  `  if (!own && given.length === found.length) return at;`,
  `  const [first, ...more] = [own ?? []].flat();`,
  `  const place = typeof first === 'number' ? first : first?.item;`,
  `  return more.length === 0 && Number.isInteger(place) && place < given.length ? place : null;`,
  `};`,
];

const FILES = /\.binary\b|\[['"]binary['"]\]|\bbinary\s*:|\$binary\b|getBinaryDataBuffer|prepareBinaryData/;

/** Files are fields of the items here, and have their bytes beside them there. */
const READ_FILES = [
  `const isFile = (value) => value !== null && typeof value === 'object' && typeof value.$file === 'string';`,
  `const ending = (name) => (/\\.(\\w+)$/.exec(name ?? '') ?? [])[1];`,
  `const kept = new Map();`,
  `for (const one of given)`,
  `  for (const [name, value] of Object.entries(one.json ?? {})) {`,
  `    if (!isFile(value)) continue;`,
  `    const bytes = Buffer.from(await ctx.file(value).bytes());`,
  `    const made = { data: bytes.toString('base64'), mimeType: value.type, fileName: value.name, fileExtension: ending(value.name), fileSize: String(bytes.length) };`,
  `    one.binary[name] = made;`,
  `    kept.set(made, value);`,
  `  }`,
  `const files = {`,
  `  getBinaryDataBuffer: async (at, name) => Buffer.from(given[at].binary[name].data, 'base64'),`,
  `  prepareBinaryData: async (bytes, fileName, mimeType) => ({ data: Buffer.from(bytes).toString('base64'), fileName, mimeType, fileExtension: ending(fileName), fileSize: String(bytes.length) }),`,
  `};`,
];
const WRITE_FILES = [
  `const written = async (file, name) =>`,
  `  kept.get(file) ?? (isFile(file) ? file : await ctx.newFile({ name: file.fileName ?? name, type: file.mimeType ?? 'application/octet-stream', bytes: Buffer.from(file.data ?? '', 'base64') }));`,
  `const unwrap = async (one) => {`,
  `  if (one === null || typeof one !== 'object' || !('json' in one || 'binary' in one)) return one;`,
  `  const made = {};`,
  `  for (const [name, file] of Object.entries(one.binary ?? {})) if (file) made[name] = await written(file, name);`,
  `  return { ...(one.json ?? {}), ...made };`,
  `};`,
];

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
  '$binary',
];
