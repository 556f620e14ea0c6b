import type { Catalog } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import type { Layout } from '#shared/layout.ts';
import { isRecord } from '#shared/json.ts';
import type { FlowDocument } from '../service/flow-types.ts';
import { exportFlowData, type FlowData } from './export-flow.ts';

/** A flow in DB-GPT's format, with keys in its order; `weft` at the end has everything without a place in that format. */
export interface AwelFlowOut {
  readonly uid: string;
  readonly label: string;
  readonly name: string;
  readonly flow_category: string;
  readonly flow_data: FlowData;
  readonly description: string | null;
  readonly state: 'running' | 'developing' | 'load_failed';
  readonly error_message: string | null;
  readonly source: 'WEFT';
  readonly source_url: null;
  readonly version: '0.1.1';
  readonly define_type: 'json' | 'python';
  readonly editable: boolean;
  readonly user_name: string | null;
  readonly sys_code: string | null;
  readonly dag_id: string;
  readonly gmt_created: string;
  readonly gmt_modified: string;
  readonly metadata: object;
  readonly variables: null;
  readonly authors: null;
  readonly weft: { readonly flow: object; readonly layout?: Layout; readonly revision?: string };
}

/** Facts about a flow besides the flow itself. */
export type Described = Pick<
  FlowDocument,
  'id' | 'name' | 'description' | 'state' | 'problems' | 'triggers' | 'readOnly' | 'updatedAt' | 'file'
> & { readonly revision?: string };

const NO_DATA: FlowData = { nodes: [], edges: [], viewport: { x: 0, y: 0, zoom: 1 } };
const MAX_ERROR_TEXT = 500;

/** `flow` is undefined if the file does not parse; the answer then has no nodes, but the reason. */
export function flowObject(
  about: Described,
  flow: Flow | undefined,
  layout: Layout | undefined,
  catalog: Catalog,
): AwelFlowOut {
  const { id, revision } = about;
  const time = about.updatedAt.slice(0, 19).replace('T', ' ');
  const errors = about.problems.filter(({ severity }) => severity === 'error');
  const errorText = errors.map(({ message }) => message).join(' ');
  return {
    uid: id,
    label: about.name ?? id,
    name: id,
    flow_category: categoryOf(about),
    flow_data: flow ? exportFlowData(flow, layout, catalog) : NO_DATA,
    description: about.description ?? null,
    state: stateOf(about.state),
    error_message: errorText === '' ? null : errorText.slice(0, MAX_ERROR_TEXT),
    source: 'WEFT',
    source_url: null,
    version: '0.1.1',
    define_type: about.file.endsWith('.ts') ? 'python' : 'json',
    editable: !about.readOnly,
    ...ownerOf(flow),
    dag_id: `flow_dag_${id}_${id}`,
    gmt_created: time,
    gmt_modified: time,
    metadata: metadataOf(about, flow),
    variables: null,
    authors: null,
    weft: {
      flow: flow ? restOf(flow) : {},
      ...(layout && { layout }),
      ...(revision !== undefined && { revision }),
    },
  };
}

/** DB-GPT's own facts about an imported flow, stored under `awel` in its file. */
interface Owner {
  readonly user_name: string | null;
  readonly sys_code: string | null;
}

export function ownerOf(flow: Flow | undefined): Owner {
  const awel = isRecord(flow?.['awel']) ? flow['awel'] : {};
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  return { user_name: text(awel['user_name']), sys_code: text(awel['sys_code']) };
}

export function categoryOf({ triggers }: Pick<Described, 'triggers'>): 'chat_flow' | 'common' {
  return triggers.some(({ operator }) => operator === 'trigger.chat') ? 'chat_flow' : 'common';
}

function stateOf(state: Described['state']): AwelFlowOut['state'] {
  if (state === 'live') return 'running';
  return state === 'draft' ? 'developing' : 'load_failed';
}

function metadataOf({ triggers }: Described, flow: Flow | undefined): object {
  const isChat = categoryOf({ triggers }) === 'chat_flow';
  const http = triggers.flatMap(({ path, methods }) =>
    path === undefined
      ? []
      : [
          {
            trigger_type: 'http',
            path: `/api/v1/awel/trigger${path}`,
            methods: methods ?? [],
            trigger_mode: isChat ? 'chat' : 'command',
          },
        ],
  );
  const as = answerOf(triggers, flow);
  return { sse_output: SSE.has(as), streaming_output: as !== 'json', tags: {}, triggers: http };
}

const SSE: ReadonlySet<unknown> = new Set(['sse', 'raw-sse']);

/** How the HTTP trigger answers, or can answer if the request decides: its clients rely on that. */
function answerOf(triggers: Described['triggers'], flow: Flow | undefined): unknown {
  const http = triggers.find(({ path }) => path !== undefined);
  const response = http && flow?.nodes[http.node]?.params?.['response'];
  if (!isRecord(response)) return 'json';
  const { as = 'json', stream = 'sse' } = response;
  return as === 'request' ? stream : as;
}

/** The content of the flow file besides nodes, edges and the facts in its path. */
function restOf({ nodes: _nodes, edges: _edges, format: _format, id: _id, ...rest }: Flow): object {
  return rest;
}
