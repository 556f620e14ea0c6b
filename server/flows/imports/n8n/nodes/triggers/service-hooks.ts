import type { TriggerAuth } from '#shared/trigger-auth.ts';
import type { Context } from '../../context.ts';
import type { Entry } from '../../entry.ts';
import { gives, type Given } from '../../job.ts';
import { asText } from '../../params.ts';
import { pathOf, polledFrom } from '../../trigger-item.ts';

/** Services that call an address, which has to be told to them: n8n did that by itself, and checked what they sign. */

type Item = string | Record<string, string>;
/** The proof that a call is of its service, without the secret that both know. */
type Proof =
  | { readonly type: 'hmac'; readonly preset: 'github' | 'stripe' }
  | {
      readonly type: 'hmac';
      readonly header: string;
      readonly algorithm?: 'sha1';
      readonly encoding?: 'base64';
      readonly prefix?: string;
    }
  | { readonly type: 'header'; readonly header: string };

interface Hook {
  /** By default a trigger that anybody can call who knows its address, as nothing here checks how this service proves itself. */
  readonly proof?: Proof;
  /** By default the body. */
  readonly item?: Item | ((context: Context) => Item);
  /** Whether a call may have several events, each of them an item. */
  readonly isList?: boolean;
  /** The service first asks with HEAD whether the address is there. */
  readonly isAsked?: boolean;
  /** The condition over `trigger` that a call has to meet. */
  when?(context: Context): string | undefined;
}

const BODY = '{{ trigger?.body ?? { } }}';
const LIST = '{{ [trigger?.body ?? []].flat() }}';
const WHOLE: Item = {
  body: '{{ trigger?.body }}',
  headers: '{{ trigger.headers }}',
  query: '{{ trigger?.query ?? { } }}',
};
const signed = (header: string, more: object = {}): Proof => ({ type: 'hmac', header, ...more });

/** The events that a node asks for, of which `all` is any. */
function among(context: Context, path: string, all: string, field: string): string[] {
  const given = context.params.get(path);
  const names = (Array.isArray(given) ? given : []).map(asText);
  return names.length === 0 || names.includes(all)
    ? []
    : [`${JSON.stringify(names)}.includes(string(trigger?.body?.${field} ?? ""))`];
}

const all = (conditions: readonly string[]): string | undefined =>
  conditions.length === 0 ? undefined : conditions.join(' && ');

/** The answers by the titles of their questions, or as they came. */
function typeform({ params, step }: Context): Item {
  const isOn = (path: string): boolean => params.get(path) !== false;
  const [isSimple, isAnswersOnly] = [isOn('simplifyAnswers'), isOn('onlyAnswers')];
  const answers = 'trigger?.body?.form_response?.answers ?? []';
  const title =
    'replace(replace(trigger.body.form_response.definition.fields.find(field => field.id == one.field.id)?.title ?? one.field.id, "{{", "["), "}}", "]")';
  const value = 'one?.choice?.label ?? one?.choices?.labels ?? one?.[one?.type ?? "text"]';
  const simple = `fromEntries((${answers}).map(one => [${title}, ${value}]))`;
  if (isSimple && isAnswersOnly) return written(simple);
  if (isSimple)
    return written(
      `{ ...trigger.body, form_response: { ...trigger.body.form_response, answers: ${simple} } }`,
    );
  if (!isAnswersOnly) return BODY;
  return written(step.version >= 1.1 ? `fromEntries((${answers}).map(one => [one.field.id, one]))` : answers);
}

/** Braces within a text would end a template. */
const written = (expression: string): string =>
  `{{ ${expression.replaceAll('"{{"', '"{" + "{"').replaceAll('"}}"', '"}" + "}"')} }}`;

/** Jotform names its fields `q3_name`; n8n asks it for the texts of the questions. */
function jotform(context: Context): Item {
  const { params } = context;
  if (params.get('resolveData') !== false)
    context.changed(
      'setting',
      'It had the answers by the texts of their questions; here they have the names of the fields, such as q3_name.',
      { before: 'resolveData', lost: true },
    );
  const answers = 'json(string(trigger?.body?.rawRequest ?? "{}"))';
  return params.get('onlyAnswers') === false
    ? `{{ { ...trigger.body, rawRequest: ${answers} } }}`
    : `{{ ${answers} }}`;
}

const HOOKS: Readonly<Record<string, Hook>> = {
  gitlabTrigger: { proof: { type: 'header', header: 'x-gitlab-token' }, item: WHOLE },
  jotFormTrigger: { item: jotform },
  typeformTrigger: {
    proof: signed('typeform-signature', { encoding: 'base64', prefix: 'sha256=' }),
    item: typeform,
  },
  calendlyTrigger: {},
  shopifyTrigger: {
    proof: signed('x-shopify-hmac-sha256', { encoding: 'base64' }),
    when: ({ params }) => {
      const topic = params.text('topic');
      return topic === undefined
        ? undefined
        : `trigger.headers?.["x-shopify-topic"] == ${JSON.stringify(topic)}`;
    },
  },
  wooCommerceTrigger: { proof: signed('x-wc-webhook-signature', { encoding: 'base64' }) },
  clickUpTrigger: { proof: signed('x-signature') },
  pipedriveTrigger: {},
  zendeskTrigger: {},
  jiraTrigger: { item: '{{ { ...(trigger?.body ?? { }), ...(trigger?.query ?? { }) } }}' },
  linearTrigger: { proof: signed('linear-signature') },
  lemlistTrigger: {},
  payPalTrigger: {},
  hubspotTrigger: {
    isList: true,
    item: '{{ [trigger?.body ?? []].flat().map(one => ({ ...omit(one, "objectId"), ...fromEntries(["contact", "company", "deal", "ticket", "conversation"].filter(kind => string(one?.subscriptionType ?? "").includes(kind)).map(kind => [kind + "Id", one?.objectId])) })) }}',
  },
  twilioTrigger: { isList: true, item: LIST },
  calTrigger: {
    proof: signed('x-cal-signature-256'),
    item: '{{ typeOf(trigger?.body?.payload) == "object" ? { triggerEvent: trigger?.body?.triggerEvent, createdAt: trigger?.body?.createdAt, ...trigger.body.payload } : trigger?.body ?? { } }}',
  },
  webflowTrigger: {},
  gumroadTrigger: {},
  netlifyTrigger: {
    item: ({ params }) =>
      params.get('simple') !== false && params.text('event') === 'submissionCreated'
        ? '{{ trigger?.body?.data ?? { } }}'
        : BODY,
  },
  mauticTrigger: { proof: signed('webhook-signature', { encoding: 'base64' }) },
  sendInBlueTrigger: {},
  convertKitTrigger: {},
  bitbucketTrigger: {},
  chargebeeTrigger: { when: (context) => all(among(context, 'events', '*', 'event_type')) },
  activeCampaignTrigger: {},
  taigaTrigger: {
    proof: signed('x-taiga-webhook-signature', { algorithm: 'sha1' }),
    when: (context) =>
      all([...among(context, 'operations', 'all', 'action'), ...among(context, 'resources', 'all', 'type')]),
  },
  invoiceNinjaTrigger: {},
  mailjetTrigger: { isList: true, item: LIST },
  'n8n-nodes-klicktipp.klicktippTrigger': {},
  'CUSTOM.klicktippTrigger': {},
  '@gotohuman/n8n-nodes-gotohuman.gotoHumanTrigger': {},
  trelloTrigger: { isAsked: true },
};

/** Triggers that register themselves here, where they do not know an event. */
const UNREGISTERED: Readonly<Record<string, Hook>> = {
  githubTrigger: { proof: { type: 'hmac', preset: 'github' }, item: WHOLE },
  stripeTrigger: { proof: { type: 'hmac', preset: 'stripe' } },
  telegramTrigger: { proof: { type: 'header', header: 'x-telegram-bot-api-secret-token' } },
};

/** The params that say which events n8n has asked the service for. */
const EVENTS = ['events', 'event', 'topic', 'updates', 'triggerOn', 'object', 'entity', 'action'];

/** The address that the service has to be told, and who may call it. */
export function hookOf(
  context: Context,
  proof?: Proof,
): { readonly path: string; readonly auth: TriggerAuth } {
  const { params, step, job } = context;
  const name = step.kind.slice(step.kind.lastIndexOf('.') + 1).replace(/Trigger$/, '');
  const path = pathOf(params.text('path') ?? `${name.toLowerCase()}-${job.around.id}`);
  const events = EVENTS.flatMap((one) => [params.get(one) ?? []].flat().map(asText));
  params.skip(
    ...[
      'eventsUi',
      'authentication',
      'owner',
      'repository',
      'team',
      'form',
      'formId',
      'scope',
      'appId',
      'id',
    ],
  );
  context.changed('setting', `Tell the service this address; n8n did that by itself.`, {
    after: `/api/v1/awel/trigger${path}`,
  });
  const of = events.length === 0 ? '' : ` for ${events.join(', ')}`;
  job.report.need({
    kind: 'connection',
    name: name.toLowerCase(),
    service: step.kind,
    nodes: [],
    message: `Tell ${name} to call /api/v1/awel/trigger${path}${of}.`,
  });
  job.answer = 'nothing';
  return { path, auth: authOf(context, name, proof) };
}

/** A trigger that the service has to be told of. */
export function serviceHook(context: Context): Given {
  const { item, isList, isAsked, when, proof } =
    HOOKS[context.step.kind] ?? UNREGISTERED[context.step.kind] ?? {};
  // HEAD comes with GET, which starts nothing.
  const condition = isAsked === true ? 'trigger.method == "POST"' : when?.(context);
  const methods = isAsked === true ? ['GET', 'POST'] : ['POST'];
  const { path, auth } = hookOf(context, proof);
  const { port } = polledFrom(context, {
    trigger: {
      operator: 'trigger.http',
      params: { path, methods, auth, accept: acceptedBy(proof) },
    },
    ...(condition !== undefined && { when: `{{ ${condition} }}` }),
    item: (typeof item === 'function' ? item(context) : item) ?? BODY,
  });
  return gives(isList === true ? { ...port, card: 'many', mayBeEmpty: true } : port);
}

/** Bodies with files are not signed. */
const acceptedBy = (proof: Proof | undefined): string[] =>
  proof?.type === 'hmac' ? ['json', 'form'] : ['json', 'form', 'multipart'];

function authOf({ job, changed }: Context, service: string, proof: Proof | undefined): TriggerAuth {
  if (proof === undefined) {
    changed('setting', `Whoever knows the address can call it: nothing here checks that it was ${service}.`, {
      after: 'auth: none',
    });
    return 'none';
  }
  const secret = job.secrets.nameFor(`${service} webhook`);
  job.report.need({
    kind: 'secret',
    name: secret,
    nodes: [],
    service,
    message: `Store the secret with which ${service} signs its calls as the secret ${secret}.`,
  });
  return { ...proof, secret: { $secret: secret } };
}

export const CALLED =
  'You enter the address and the events at the service; files are not downloaded automatically.';

export const serviceHookEntries: readonly Entry[] = Object.entries(HOOKS).map(
  ([kind, { proof }]): Entry => ({
    kind,
    word: 'http',
    becomes: '`trigger.http`',
    difference: proof === undefined ? `${CALLED} Nothing checks that the service was the caller.` : CALLED,
    convert: serviceHook,
  }),
);
