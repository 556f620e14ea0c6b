import { isRecord } from '#shared/json.ts';
import type { GivenFile, Product } from './frame/reading.ts';
import { faultOfWeft, isWeft, weftReader } from './weft.ts';

const record = (file: GivenFile): Readonly<Record<string, unknown>> | undefined =>
  isRecord(file.json) ? file.json : undefined;

/** Workflows of n8n have `nodes` and `connections`; several are a list, or under `data` in answers of its API. */
function isN8n({ json }: GivenFile): boolean {
  if (isN8nFlow(json)) return true;
  const list = isRecord(json) ? json['data'] : json;
  return Array.isArray(list) && list.length > 0 && list.every(isN8nFlow);
}

function isN8nFlow(value: unknown): boolean {
  return isRecord(value) && Array.isArray(value['nodes']) && isRecord(value['connections']);
}

function isDify(file: GivenFile): boolean {
  const json = record(file);
  if (json) return json['kind'] === 'app' && (isRecord(json['workflow']) || isRecord(json['app']));
  const { path, text } = file;
  if (!/\.ya?ml$/i.test(path) || !/^app:/m.test(text)) return false;
  return /^kind:\s*["']?app\b/m.test(text) || isOlderApp(text);
}

/** Its first exports do not name their kind: they have the mode of the app, and its graph or model. */
const isOlderApp = (text: string): boolean =>
  /^[ \t]+mode:\s*["']?(?:workflow|advanced-chat|agent-chat|chat|completion)\b/m.test(text) &&
  /^(?:workflow|model_config):/m.test(text);

const isFlowiseNode = (node: unknown): boolean =>
  isRecord(node) && isRecord(node['data']) && 'inputAnchors' in node['data'];

/** Products whose files are recognised. DB-GPT's are read by `../awel/`. */
export const products: readonly Product[] = [
  { name: 'Weft', isOf: isWeft, fault: faultOfWeft, load: async () => weftReader },
  { name: 'n8n', isOf: isN8n, load: async () => (await import('./n8n/reader.ts')).n8nReader },
  { name: 'Dify', isOf: isDify, load: async () => (await import('./dify/reader.ts')).difyReader },
  {
    name: 'Node-RED',
    isOf: ({ json }) => Array.isArray(json) && json.some((one) => isRecord(one) && 'wires' in one),
    load: undefined,
    instead: 'draw each flow of messages anew, with one trigger for each',
  },
  {
    name: 'Langflow',
    isOf: (file) => {
      const data = record(file)?.['data'];
      return isRecord(data) && Array.isArray(data['nodes']);
    },
    load: undefined,
    instead: 'draw the flow anew with agents and models',
  },
  {
    name: 'Flowise',
    isOf: (file) => {
      const nodes = record(file)?.['nodes'];
      return Array.isArray(nodes) && nodes.some(isFlowiseNode);
    },
    load: undefined,
    instead: 'draw the flow anew with agents and models',
  },
];

/** The product that wrote the file; undefined for files of DB-GPT and everything else. */
export function productOf(file: GivenFile): Product | undefined {
  const json = record(file);
  if (json && (json['flow_data'] !== undefined || json['flow'] !== undefined)) return undefined;
  return products.find((one) => one.isOf(file));
}
