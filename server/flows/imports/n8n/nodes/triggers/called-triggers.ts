import type { Context } from '../../context.ts';
import type { Entry } from '../../entry.ts';
import { gives, type Given } from '../../job.ts';
import { asText } from '../../params.ts';
import { polledFrom } from '../../trigger-item.ts';
import { fixed, needed } from './service-triggers.ts';
import { serviceHook } from './service-hooks.ts';

/** Triggers that register themselves at a service, as those of the services here do. */

interface Called {
  readonly kind: string;
  readonly credential: string;
  readonly operator: string;
  /** Where the node has its events. */
  readonly at: string;
  /** By the names that n8n has for them. */
  readonly events: readonly string[];
  readonly difference: string;
  /** Further params of the trigger. */
  params?(context: Context): Record<string, unknown>;
  /** A condition over `input` that has to hold. */
  when?(context: Context): string | undefined;
  readonly item?: (events: readonly string[]) => string | Record<string, unknown>;
}

/** The trigger that registers itself; one that is called, where it does not know an event. */
function convert(called: Called, context: Context): Given {
  const { params, step, job } = context;
  const events = eventsOf(called, context);
  if (events === undefined) return serviceHook(context);
  params.skip('authentication', 'apiVersion');
  const { name, type } = step.credentials[0] ?? {
    name: called.kind.replace(/Trigger$/, ''),
    type: called.credential,
  };
  const connection = job.connection(name, type);
  const when = called.when?.(context);
  const made = polledFrom(context, {
    trigger: { operator: called.operator, params: { connection, ...called.params?.(context), events } },
    ...(when !== undefined && { when: `{{ ${when} }}` }),
    item: called.item?.(events) ?? '{{ input }}',
  });
  for (const id of made.asking) job.report.use('connection', connection, id);
  return gives(made.port);
}

/** Undefined if there is one that the trigger does not have. */
function eventsOf({ at, events }: Called, context: Context): readonly string[] | undefined {
  const given = context.params.get(at);
  const names = (Array.isArray(given) ? given : []).map(asText);
  if (names.includes('*')) {
    context.changed('setting', 'It started for all events; here it starts for those that its trigger has.', {
      before: '*',
      after: events.join(', '),
    });
    return events;
  }
  return names.length > 0 && names.every((name) => events.includes(name)) ? names : undefined;
}

/** The first of them that is there. */
const first = (paths: readonly string[]): string => paths.map((path) => `input?.${path}?.id`).join(' ?? ');
const CHAT = first([
  'message?.chat',
  'edited_message?.chat',
  'channel_post?.chat',
  'callback_query?.message?.chat',
]);
const PERSON = first(['message?.from', 'edited_message?.from', 'callback_query?.from']);

/** The condition that limits a trigger of Telegram to some chats or people. */
function amongThose(context: Context): string | undefined {
  const among = (path: string, id: string): string[] => {
    const ids = (fixed(context, path) ?? '').split(',').map((one) => one.trim());
    const given = ids.filter((one) => one !== '');
    return given.length === 0 ? [] : [`${JSON.stringify(given)}.includes(string(${id} ?? ""))`];
  };
  const conditions = [
    ...among('additionalFields.chatIds', CHAT),
    ...among('additionalFields.userIds', PERSON),
  ];
  return conditions.length === 0 ? undefined : conditions.join(' && ');
}

/** `owner/name`; n8n has an address in place of the name, too. */
function repositoryOf(context: Context): Record<string, unknown> {
  const [owner, name] = [needed(context, 'owner'), needed(context, 'repository')];
  return { repository: name.includes('://') ? name : `${owner.split('/').at(-1) ?? owner}/${name}` };
}

const REGISTERS =
  'It registers itself at the service when the flow goes live, for which the server needs a public address. With an event that the trigger here does not have it becomes `trigger.http`, whose address you enter at the service.';

const kinds: readonly Called[] = [
  {
    kind: 'telegramTrigger',
    credential: 'telegramApi',
    operator: 'telegram.updates',
    at: 'updates',
    events: ['message', 'edited_message', 'channel_post', 'callback_query'],
    difference: `${REGISTERS} Files are not downloaded automatically.`,
    when: amongThose,
  },
  {
    kind: 'githubTrigger',
    credential: 'githubApi',
    operator: 'github.events',
    at: 'events',
    events: ['push', 'issues', 'issue_comment', 'pull_request', 'release', 'workflow_run', 'star'],
    difference: `${REGISTERS} Of the headers only the name of the event is there, and only if there is one event.`,
    params: repositoryOf,
    item: (events) => ({
      body: '{{ input }}',
      headers: events.length === 1 ? { 'x-github-event': events[0] } : {},
      query: {},
    }),
  },
  {
    kind: 'stripeTrigger',
    credential: 'stripeApi',
    operator: 'stripe.events',
    at: 'events',
    events: [
      'checkout.session.completed',
      'payment_intent.succeeded',
      'payment_intent.payment_failed',
      'charge.refunded',
      'charge.dispute.created',
      'invoice.paid',
      'invoice.payment_failed',
      'customer.created',
      'customer.subscription.created',
      'customer.subscription.updated',
      'customer.subscription.deleted',
    ],
    difference: REGISTERS,
  },
];

export const calledTriggerEntries: readonly Entry[] = kinds.map((one) => ({
  kind: one.kind,
  word: 'close',
  becomes: `\`${one.operator}\`, else \`trigger.http\``,
  difference: one.difference,
  convert: (context) => convert(one, context),
}));
