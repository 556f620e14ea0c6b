import type { FlowFacts, Note, Original } from '../original.ts';
import type { Mapping, Mappings } from './mapping.ts';

const string = { type: 'string' };

/** DB-GPT's client sends null for unset values. */
const text = { type: ['string', 'null'] };
const flag = { type: ['boolean', 'null'] };

/** The body of DB-GPT's chat requests (CommonLLMHttpRequestBody). */
const llmRequest = {
  type: 'object',
  required: ['model', 'messages'],
  properties: {
    model: string,
    messages: { anyOf: [string, { type: 'array', items: string }] },
    stream: { ...flag, default: false },
    temperature: { type: ['number', 'null'] },
    max_new_tokens: { type: ['integer', 'null'] },
    conv_uid: text,
    span_id: text,
    chat_mode: { ...text, default: 'chat_normal' },
    chat_param: text,
    user_name: text,
    sys_code: text,
    incremental: { ...flag, default: true },
    enable_vis: { ...flag, default: true },
    extra: { type: ['object', 'null'] },
  },
};

/** The text of a request: the last one if there are several messages. */
const LAST_MESSAGE =
  "{{ input?.text ?? (typeOf(input.messages) === 'array' ? last(input.messages) : input.messages) }}";

/** How a trigger reads its request. */
interface Reads {
  readonly request?: object;
  readonly accept?: readonly string[];
  readonly otherFields?: 'drop';
  /** The request's field `stream` decides the form of the answer. */
  readonly decides?: true;
}

const llmBody: Reads = { request: llmRequest, otherFields: 'drop', decides: true };
const anyObject: Reads = { request: { type: 'object' } };
const aText: Reads = { accept: ['text', 'json'] };

const bodies: Readonly<Record<string, Reads>> = {
  dict_http_body: anyObject,
  string_http_body: aText,
  request_http_body: {},
  common_llm_http_request_body: llmBody,
};

export const triggerMappings: Mappings = {
  http_trigger: trigger('GET', (from, note) => {
    const body = from.resource('http_trigger_body');
    if (!body) return {};
    const reads = bodies[body.name];
    if (!reads)
      note(
        'not-supported',
        `The request model ${body.data.label ?? body.name} is unknown here; write it as JSON Schema into \`request\`.`,
        'warning',
      );
    return { ...reads, decides: true };
  }),
  dict_http_trigger: trigger('POST', () => anyObject),
  string_http_trigger: trigger('POST', (_from, note) => {
    note(
      'not-supported',
      'DB-GPT reads its text from the query field `body`; here it is the body.',
      'warning',
    );
    return aText;
  }),
  common_llm_http_trigger: {
    ...trigger('POST', () => llmBody),
    around: () => ({ view: { operator: 'core.map', params: { value: LAST_MESSAGE } } }),
  },
  request_http_trigger: trigger('GET', () => ({})),
};

function trigger(method: string, readsOf: (from: Original, note: Note) => Reads): Mapping {
  return {
    operator: 'trigger.http',
    inputs: [],
    params(from, flow, note) {
      const { decides = false, ...reads } = withDocuments(readsOf(from, note), flow);
      const remembers = reads.request === llmRequest && REMEMBERING.some((name) => flow.has(name));
      return {
        path: pathOf(from.text('endpoint') ?? '/example/{dag_id}', flow.id),
        methods: methodsOf(from, method),
        // Unchanged from the file; `closeTriggers` requires a key until someone allows open access.
        auth: 'none',
        ...reads,
        ...(remembers && { memory: 'conv_uid' }),
        ...responseOf(from, flow, decides),
      };
    },
  };
}

/** A flow that loads documents reads them from JSON, and from forms with files. */
function withDocuments(reads: Reads, flow: FlowFacts): Reads {
  const isOpen = reads.accept === undefined && reads.request !== llmRequest;
  return isOpen && flow.has('knowledge_operator') ? { ...reads, accept: ['json', 'multipart'] } : reads;
}

function pathOf(endpoint: string, id: string): string {
  const path = endpoint
    .trim()
    .replaceAll('{dag_id}', id)
    .replaceAll(/\{(\w+)\}/g, ':$1');
  return `/${path}`.replaceAll(/\/{2,}/g, '/');
}

/** One method, or several with commas or as a list. */
function methodsOf(from: Original, otherwise: string): string[] {
  const value = from.value('methods');
  const text = Array.isArray(value) ? value.join(',') : (from.text('methods') ?? otherwise);
  const methods = text.split(',').map((method) => method.trim().toUpperCase());
  return [...new Set(methods.filter((method) => method !== ''))];
}

/** Operators that continue the conversation that a request names. */
const REMEMBERING = [
  'conversation_composer_operator',
  'chat_history_load_operator',
  'default_serve_pre_chat_history_load_operator',
  'higher_order_llm_operator',
  'higher_order_streaming_llm_operator',
];

/**
 * DB-GPT writes a stream's items untouched, as events. Those of its OpenAI output are chunks here, which the
 * trigger writes; those of its common output are bodies, whose text it writes.
 */
function responseOf(from: Original, flow: FlowFacts, decides: boolean): Record<string, unknown> {
  const status = from.number('status_code');
  const stream = flow.has('openai_streaming_output_operator') ? 'sse' : 'raw-sse';
  const response = {
    ...(decides && { as: 'request', ...(stream !== 'sse' && { stream }) }),
    ...(!decides && from.flag('streaming_response') && { as: stream }),
    ...(status !== undefined && status !== 200 && { status }),
  };
  return Object.keys(response).length > 0 ? { response } : {};
}
