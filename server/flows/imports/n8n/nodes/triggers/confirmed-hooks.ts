import type { FlowNode } from '#shared/flow.ts';
import type { Context } from '../../context.ts';
import type { Entry } from '../../entry.ts';
import { gives, type Given } from '../../job.ts';
import { fixed } from './service-triggers.ts';
import { CALLED, hookOf } from './service-hooks.ts';

/** Triggers of services that call an address only once it has answered a question. */

interface Confirmed {
  readonly kind: string;
  readonly credential: string;
  /** The question, a condition over `trigger`, and its answer; none, if there is no question. */
  readonly asks?: { readonly when: string; readonly answer: Readonly<Record<string, unknown>> };
  /** A condition over `trigger` for the calls that start runs. */
  when?(context: Context): string | undefined;
  /** What is read with the connection before the item is made. */
  reads?(context: Context, connection: () => string): FlowNode | undefined;
  /** An expression over `trigger`, and over `input`, which is what was read. */
  item(context: Context): string;
  /** The item is a list. */
  readonly isList?: boolean;
}

function convert(kind: Confirmed, context: Context): Given {
  const { step, job } = context;
  const { path, auth } = hookOf(context);
  const connection = (): string => {
    const { name, type } = step.credentials[0] ?? {
      name: step.kind.replace(/Trigger$/, ''),
      type: kind.credential,
    };
    return job.connection(name, type);
  };
  const when = kind.when?.(context);
  const reads = kind.reads?.(context, connection);
  const item = kind.item(context);
  const isOverGet = kind.asks?.when.includes('GET') === true;
  const id = context.add(step.name, {
    operator: 'trigger.http',
    params: { path, methods: isOverGet ? ['GET', 'POST'] : ['POST'], auth },
  });
  let from = `${id}.out`;
  const follow = (hint: string, node: FlowNode, output: string): void => {
    const added = context.add(`${step.name} ${hint}`, node);
    context.wire(from, `${added}.in`);
    from = `${added}.${output}`;
  };
  if (kind.asks) {
    follow('asked', { operator: 'logic.if', params: { condition: `{{ ${kind.asks.when} }}` } }, 'then');
    const asked = from;
    follow('word', { operator: 'core.respond', params: kind.asks.answer }, 'out');
    from = asked.replace(/then$/, 'else');
  }
  if (when !== undefined)
    follow('kind', { operator: 'logic.if', params: { condition: `{{ ${when} }}` } }, 'then');
  if (reads) follow('whole', reads, reads.operator === 'http.request' ? 'body' : 'out');
  follow('item', { operator: 'core.map', params: { value: `{{ ${item} }}` } }, 'out');
  const own = new Set([step.name]);
  const [made = ''] = from.split('.');
  return gives(
    context.port(made, 'out', {
      card: kind.isList === true ? 'many' : 'one',
      mayBeEmpty: kind.isList === true,
      aligned: own,
      triggers: own,
    }),
  );
}

const BODY = 'trigger?.body ?? { }';
const CHALLENGE = 'trigger?.query?.["hub.challenge"] ?? ""';
const asText = (body: string): Readonly<Record<string, unknown>> => ({
  status: 200,
  headers: { 'content-type': 'text/plain' },
  body: `{{ ${body} }}`,
});

/** The calls of Strava that the node takes. */
function stravaCalls(context: Context): string | undefined {
  const conditions = [
    ['object', 'object_type'],
    ['event', 'aspect_type'],
  ].flatMap(([param = '', field]) => {
    const value = fixed(context, param) ?? '*';
    return value === '*' ? [] : [`trigger?.body?.${field} == ${JSON.stringify(value)}`];
  });
  return conditions.length > 0 ? conditions.join(' && ') : undefined;
}

const STRAVA =
  'https://www.strava.com/api/v3/{{ input.object_type == "activity" ? "activities/" + string(input.object_id) : "athletes/" + string(input.object_id) + "/stats" }}';
const isResolved = ({ params }: Context): boolean => params.get('resolveData') !== false;

const kinds: readonly Confirmed[] = [
  {
    kind: 'whatsAppTrigger',
    credential: 'whatsAppTriggerApi',
    // Meta asks for a word of its own before it calls, and puts what has happened into lists.
    asks: { when: 'trigger.method == "GET"', answer: asText(CHALLENGE) },
    item: () =>
      '(trigger?.body?.entry ?? []).flatMap(entry => entry?.changes ?? []).map(change => ({ ...(change?.value ?? { }), field: change?.field }))',
    isList: true,
  },
  {
    kind: 'onfleetTrigger',
    credential: 'onfleetApi',
    asks: { when: 'trigger.method == "GET"', answer: asText('trigger?.query?.check ?? ""') },
    item({ params }) {
      params.skip('triggerOn', 'additionalFields');
      return BODY;
    },
  },
  {
    kind: 'stravaTrigger',
    credential: 'stravaOAuth2Api',
    asks: {
      when: 'trigger.method == "GET"',
      answer: { status: 200, body: { 'hub.challenge': `{{ ${CHALLENGE} }}` } },
    },
    when: stravaCalls,
    reads(context, connection) {
      context.params.skip('options');
      if (!isResolved(context)) return undefined;
      return {
        operator: 'data.for-each',
        // What is deleted cannot be read.
        params: { items: '{{ trigger.body.aspect_type == "delete" ? [] : [trigger.body] }}' },
        body: {
          start: 'event',
          nodes: {
            ask: {
              operator: 'http.request',
              params: { method: 'GET', connection: connection(), url: STRAVA },
            },
            answer: { operator: 'core.map', params: { value: '{{ input }}' } },
          },
          edges: [
            { from: 'event.out', to: 'ask.in' },
            { from: 'ask.body', to: 'answer.in' },
          ],
        },
      };
    },
    item: (context) =>
      isResolved(context)
        ? `{ ...(${BODY}), ...(length(input) > 0 ? { object_data: input[0] } : { }) }`
        : BODY,
  },
  {
    kind: 'asanaTrigger',
    credential: 'asanaApi',
    asks: {
      when: 'trigger?.headers?.["x-hook-secret"] != null',
      answer: {
        status: 200,
        headers: { 'x-hook-secret': '{{ trigger.headers["x-hook-secret"] }}' },
        body: '',
      },
    },
    item({ params }) {
      params.skip('resource', 'workspace');
      return 'trigger?.body?.events ?? []';
    },
    isList: true,
  },
  {
    kind: 'eventbriteTrigger',
    credential: 'eventbriteApi',
    reads(context, connection) {
      context.params.skip('organization', 'actions');
      if (!isResolved(context)) return undefined;
      return {
        operator: 'http.request',
        params: { method: 'GET', connection: connection(), url: '{{ trigger.body.api_url }}' },
      };
    },
    item: (context) => (isResolved(context) ? 'input' : BODY),
  },
];

export const confirmedHookEntries: readonly Entry[] = kinds.map((one) => ({
  kind: one.kind,
  word: 'http',
  becomes: '`trigger.http`, which answers the question of the service',
  difference: `${CALLED} Nothing checks that the service was the caller.`,
  convert: (context) => convert(one, context),
}));
