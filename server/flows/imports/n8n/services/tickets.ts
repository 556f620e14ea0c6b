import { isRecord } from '#shared/json.ts';
import { NotHere } from '../entry.ts';
import { asText } from '../params.ts';
import { encoded, type Given, post, type Request, type Service, some } from './service.ts';

/** Operations of services of tickets that no line of data says. */

type Operations = Service['operations'];

const PAGER = 'https://api.pagerduty.com';
const reference = (id: unknown, type: string): unknown =>
  id === undefined ? undefined : { id, type: `${type}_reference` };

function bridge(g: Given): unknown {
  const at = 'conferenceBridgeUi.conferenceBridgeValues';
  const fields = some({
    conference_number: g.value(`${at}.conferenceNumber`),
    conference_url: g.value(`${at}.conferenceUrl`),
  });
  return Object.keys(fields).length > 0 ? fields : undefined;
}

function incident(g: Given, at: string): Record<string, unknown> {
  const details = g.value(`${at}.details`);
  return some({
    type: 'incident',
    title: g.value('title') ?? g.value(`${at}.title`),
    service: reference(g.value('serviceId'), 'service'),
    priority: reference(g.value(`${at}.priorityId`), 'priority'),
    escalation_policy: reference(g.value(`${at}.escalationPolicyId`), 'escalation_policy'),
    escalation_level: g.value(`${at}.escalationLevel`),
    urgency: g.value(`${at}.urgency`),
    status: g.value(`${at}.status`),
    resolution: g.value(`${at}.resolution`),
    incident_key: g.value(`${at}.incidentKey`),
    conference_bridge: bridge(g),
    body: details === undefined ? undefined : { type: 'incident_body', details },
  });
}

const pagerDuty: Operations = {
  'incident.create': (g) =>
    post(
      `${PAGER}/incidents`,
      { incident: incident(g, 'additionalFields') },
      { headers: { From: g.text('email') }, items: 'one?.incident' },
    ),
  'incident.update': (g) => ({
    method: 'PUT',
    url: `${PAGER}/incidents/${encoded(g.expr('incidentId'))}`,
    headers: { From: g.text('email') },
    bodyType: 'json',
    body: { incident: incident(g, 'updateFields') },
    items: 'one?.incident',
  }),
};

/** Numbers of Freshdesk for the names of the form. */
const FRESH: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  status: { open: 2, pending: 3, resolved: 4, closed: 5 },
  priority: { low: 1, medium: 2, high: 3, urgent: 4 },
  source: {
    email: 1,
    portal: 2,
    phone: 3,
    chat: 7,
    mobileHelp: 8,
    feedbackWidget: 9,
    OutboundEmail: 10,
  },
};
const REQUESTERS: Readonly<Record<string, string>> = {
  requesterId: 'requester_id',
  email: 'email',
  facebookId: 'facebook_id',
  phone: 'phone',
  twitterId: 'twitter_id',
  uniqueExternalId: 'unique_external_id',
};

function freshNumber(g: Given, path: string, usual?: string): unknown {
  const name = path.split('.').at(-1) as string;
  const given = g.value(path) ?? usual;
  const number = FRESH[name]?.[asText(given ?? '')];
  if (given !== undefined && number === undefined)
    throw new NotHere(`its ${name} is worked out by an expression`);
  return number;
}

function freshTicket(g: Given, at: string): Record<string, unknown> {
  const isNew = at === 'options';
  const place = isNew ? '' : 'updateFields.';
  const who = REQUESTERS[g.text(`${place}requester`, 'requesterId')] ?? 'requester_id';
  const value = g.value(`${place}requesterIdentificationValue`);
  const id = g.expr(`${place}requesterIdentificationValue`, 'null');
  const listed = (path: string): unknown =>
    g.value(path) === undefined ? undefined : `{{ split(${g.expr(path)}, ",") }}`;
  return some({
    ...(value !== undefined && { [who]: who === 'requester_id' ? `{{ number(${id}) }}` : value }),
    status: freshNumber(g, `${place}status`, isNew ? 'pending' : undefined),
    priority: freshNumber(g, `${place}priority`, isNew ? 'low' : undefined),
    source: freshNumber(g, `${place}source`, isNew ? 'portal' : undefined),
    name: g.value(`${at}.name`),
    subject: g.value(`${at}.subject`) ?? (isNew ? 'null' : undefined),
    description: g.value(`${at}.description`) ?? (isNew ? 'null' : undefined),
    type: g.value(`${at}.type`),
    responder_id: g.value(`${at}.agent`),
    company_id: g.value(`${at}.company`),
    product_id: g.value(`${at}.product`),
    group_id: g.value(`${at}.group`),
    due_by: g.value(`${at}.dueBy`),
    fr_due_by: g.value(`${at}.frDueBy`),
    email_config_id: g.value(`${at}.emailConfigId`),
    tags: listed(`${at}.tags`),
    cc_emails: listed(`${at}.ccEmails`),
  });
}

const freshdesk: Operations = {
  'ticket.create': (g) => post('/api/v2/tickets', freshTicket(g, 'options')),
  'ticket.update': (g) => ({
    method: 'PUT',
    url: `/api/v2/tickets/${encoded(g.expr('ticketId'))}`,
    bodyType: 'json',
    body: freshTicket(g, 'updateFields'),
  }),
};

const INTERCOM = 'https://api.intercom.io';

/** The fields that a contact has today. */
function contact(g: Given): Record<string, unknown> {
  const at = 'additionalFields';
  const attributes = g.list('customAttributesUi.customAttributesValues');
  const json = g.value('customAttributesJson');
  return some({
    email: g.value(`${at}.email`),
    external_id: g.value(`${at}.userId`),
    name: g.value(`${at}.name`),
    phone: g.value(`${at}.phone`),
    avatar: g.value(`${at}.avatar`),
    unsubscribed_from_emails: g.value(`${at}.unsubscribedFromEmails`),
    custom_attributes:
      attributes.length > 0
        ? Object.fromEntries(attributes.map((one) => [asText(one['name'] ?? ''), g.made(one['value'] ?? '')]))
        : json === undefined || isRecord(json)
          ? json
          : `{{ json(${g.expr('customAttributesJson')}) }}`,
  });
}

/** A contact that is known by its own id; by others it has to be looked for. */
function contactAt(g: Given, by: string): string {
  if (g.text(by, by === 'updateBy' ? 'id' : '') !== 'id')
    throw new NotHere('it knows the contact by another id');
  return `${INTERCOM}/contacts/${encoded(g.expr('value'))}`;
}

const contactsOf = (resource: string): Operations => ({
  [`${resource}.get`]: (g) => ({ url: contactAt(g, 'selectBy') }),
  [`${resource}.update`]: (g) => ({
    method: 'PUT',
    url: contactAt(g, 'updateBy'),
    bodyType: 'json',
    body: contact(g),
  }),
});

const intercom: Operations = {
  ...contactsOf('user'),
  ...contactsOf('lead'),
  'lead.delete': (g) => ({ method: 'DELETE', url: contactAt(g, 'deleteBy') }),
  'user.create': (g) => {
    const by = g.text('identifierType');
    if (by !== 'email' && by !== 'userId') throw new NotHere('how it names the user is not set');
    const id = { [by === 'email' ? 'email' : 'external_id']: g.value('idValue') };
    return post(`${INTERCOM}/contacts`, { role: 'user', ...id, ...contact(g) });
  },
};

const webflowItem =
  (method: 'POST' | 'PATCH') =>
  (g: Given): Request => {
    g.seen('siteId');
    const fields = g.list('fieldsUi.fieldValues');
    const item = method === 'PATCH' ? `/${encoded(g.expr('itemId'))}` : '';
    return {
      method,
      url: `https://api.webflow.com/v2/collections/${encoded(g.expr('collectionId'))}/items${item}${g.flag('live') ? '/live' : ''}`,
      bodyType: 'json',
      body: {
        fieldData: Object.fromEntries(
          fields.map((one) => [asText(one['fieldId'] ?? ''), g.made(one['fieldValue'] ?? '')]),
        ),
      },
    };
  };

/** Besides lines. */
export const ticketOperations: Readonly<Record<string, Operations>> = {
  pagerDuty,
  freshdesk,
  intercom,
  webflow: { 'item.create': webflowItem('POST'), 'item.update': webflowItem('PATCH') },
};
