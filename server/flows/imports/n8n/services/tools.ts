import { isRecord } from '#shared/json.ts';
import { NotHere } from '../entry.ts';
import { encoded, type Given, pairs, post, type Request, type Service, some } from './service.ts';

/** What no line says of the services in `lines-of-tools.ts` and `lines-of-people.ts`, and tools that have no line at all. */

type Operations = Service['operations'];

/** Times of TheHive, which it has as milliseconds. */
const TIMES: readonly string[] = [
  'date',
  'lastSyncDate',
  'startDate',
  'endDate',
  'dueDate',
  'includeInTimeline',
  'sightedAt',
];

/** The fields of a form by the names of TheHive; an id among them names the thing itself. */
function fields(g: Given, path: string): Record<string, unknown> {
  g.seen(`${path}.schema`);
  g.seen(`${path}.matchingColumns`);
  if (g.text(`${path}.mappingMode`, 'defineBelow') !== 'defineBelow')
    throw new NotHere('it takes the fields of whatever comes');
  const given = g.value(`${path}.value`);
  if (!isRecord(given)) throw new NotHere('its fields are not set');
  const one = (name: string, value: unknown): unknown => {
    const at = `${path}.value.${name}`;
    if (TIMES.includes(name)) return `{{ number(formatDate(date(${g.expr(at)}), "x")) }}`;
    if (name === 'tags' && typeof value === 'string')
      return `{{ split(string(${g.expr(at)}), ",").map(tag => trim(tag)) }}`;
    return value;
  };
  return some(
    Object.fromEntries(Object.entries(given).map(([name, value]) => [name, one(name, value ?? '')])),
  );
}

const updated =
  (kind: string) =>
  (g: Given): Request => {
    const { id, ...others } = fields(g, `${kind}UpdateFields`);
    if (id === undefined) throw new NotHere('it changes whatever has a value in a field');
    return {
      method: 'PATCH',
      url: `/api/v1/${kind}/${encoded(g.expr(`${kind}UpdateFields.value.id`))}`,
      bodyType: 'json',
      body: others,
      items: '{ success: true }',
    };
  };

/** A person of Iterable, by address or id. */
const who = (g: Given): Record<string, unknown> => ({
  [g.text('identifier') === 'userId' ? 'userId' : 'email']: g.text('value'),
});

const ofList = (g: Given): Record<string, unknown> => ({
  listId: `{{ number(${g.expr('listId', '0')}) }}`,
  subscribers: [who(g)],
});

const noFiles = (g: Given, path: string): void => {
  if (g.list(path).length > 0) throw new NotHere('it sends files');
};

export const toolOperations: Readonly<Record<string, Operations>> = {
  theHiveProject: {
    'alert.create': (g) => {
      const observables = g.list('observableUi.values').map((one) => {
        if (one['dataType'] === 'file') throw new NotHere('it sends files');
        const { binaryProperty: _, ...others } = one;
        return g.made(others);
      });
      return post('/api/v1/alert', {
        ...fields(g, 'alertFields'),
        ...(observables.length > 0 && { observables }),
      });
    },
    'alert.update': updated('alert'),
    'alert.promote': (g) =>
      post(
        `/api/v1/alert/${encoded(g.expr('alertId'))}/case`,
        some({ caseTemplate: g.text('options.caseTemplate') }),
      ),
    'case.create': (g) => post('/api/v1/case', fields(g, 'caseFields')),
    'case.update': updated('case'),
    'task.create': (g) => post(`/api/v1/case/${encoded(g.expr('caseId'))}/task`, fields(g, 'taskFields')),
    'task.update': updated('task'),
    'log.create': (g) => {
      noFiles(g, 'attachmentsUi.values');
      return post(`/api/v1/task/${encoded(g.expr('taskId'))}/log`, fields(g, 'logFields'));
    },
    'observable.create': (g) => {
      const dataType = g.text('dataType', 'file');
      if (dataType === 'file') throw new NotHere('it sends files');
      return post(`/api/v1/${g.text('createIn', 'case')}/${encoded(g.expr('id'))}/observable`, {
        ...fields(g, 'observableFields'),
        dataType,
        data: g.text('data'),
      });
    },
  },
  pushbullet: {
    'push.create': (g) => {
      const type = g.text('type', 'note');
      if (type === 'file') throw new NotHere('it sends a file, which takes three requests');
      const target = g.text('target', 'default');
      return post(
        'https://api.pushbullet.com/v2/pushes',
        some({
          type,
          title: g.text('title'),
          body: g.text('body'),
          url: type === 'link' ? g.text('url') : '',
          ...(target !== 'default' && { [target]: g.text('value') }),
        }),
      );
    },
  },
  helpScout: {
    'thread.create': (g) => {
      if (g.value('attachmentsUi') !== undefined) throw new NotHere('it sends files');
      const more = (name: string): unknown => g.value(`additionalFields.${name}`);
      const type = g.text('type');
      const id = more('customerId');
      const email = more('customerEmail');
      return post(
        `https://api.helpscout.net/v2/conversations/${encoded(g.expr('conversationId'))}/${['reply', 'customer'].includes(type) ? type : `${type}s`}`,
        some({
          text: g.text('text'),
          createdAt: more('createdAt'),
          draft: more('draft'),
          imported: more('imported'),
          customer: id !== undefined ? { id } : email !== undefined ? { email } : undefined,
        }),
        { items: '{ success: true }' },
      );
    },
  },
  iterable: {
    'user.upsert': (g) => {
      const isId = g.text('identifier') === 'userId';
      const data = pairs(g, 'additionalFields.dataFieldsUi.dataFieldValues', ['key', 'value']);
      return post('/api/users/update', {
        ...who(g),
        ...(isId && { preferUserId: g.value('preferUserId') ?? true }),
        ...(Object.keys(data).length > 0 && { dataFields: data }),
        ...some({ mergeNestedObjects: g.value('additionalFields.mergeNestedObjects') }),
      });
    },
    'event.track': (g) => {
      const more = (name: string): unknown => g.value(`additionalFields.${name}`);
      const data = pairs(g, 'additionalFields.dataFieldsUi.dataFieldValues', ['key', 'value']);
      const time = 'additionalFields.createdAt';
      const event = some({
        eventName: g.text('name'),
        email: more('email'),
        userId: more('userId'),
        id: more('id'),
        campaignId: more('campaignId'),
        templateId: more('templateId'),
        createdAt:
          g.value(time) === undefined ? undefined : `{{ timestamp(date(${g.expr(time)}), "seconds") }}`,
        dataFields: Object.keys(data).length > 0 ? data : undefined,
      });
      return post('/api/events/trackBulk', { events: [event] });
    },
    'userList.add': (g) => post('/api/lists/subscribe', ofList(g)),
    'userList.remove': (g) =>
      post('/api/lists/unsubscribe', {
        ...ofList(g),
        ...some({
          campaignId: g.value('additionalFields.campaignId'),
          channelUnsubscribe: g.value('additionalFields.channelUnsubscribe'),
        }),
      }),
  },
  rundeck: {
    'job.execute': (g) => {
      const words = g
        .list('arguments.arguments')
        .map((one) => `-${g.written(one['name'])} ${g.written(one['value'])}`);
      return post(
        `/api/14/job/${encoded(g.expr('jobid'))}/run`,
        { argString: words.join(' ') },
        { query: some({ filter: g.text('filter') }) },
      );
    },
  },
  jenkins: {
    'job.triggerParams': (g) => ({
      method: 'POST',
      url: `/job/${encoded(g.expr('job'))}/buildWithParameters`,
      bodyType: 'form',
      body: pairs(g, 'param.params'),
      items: '{ success: true }',
    }),
  },
};

/** Segment has what is known of a person or a thing, and where it happened. */
const told =
  (path: string, body: (g: Given) => Record<string, unknown>) =>
  (g: Given): Request => {
    const user = g.text('userId');
    if (g.value('context.contextUi') !== undefined || g.value('integrations.integrationsUi') !== undefined)
      g.tell('What it says of the context and of integrations is left out.');
    return post(`https://api.segment.io/v1/${path}`, {
      ...(user === '' ? { anonymousId: '{{ hash(string(random()), "md5") }}' } : { userId: user }),
      ...body(g),
    });
  };

const traits = (g: Given): Record<string, unknown> => pairs(g, 'traits.traitsUi', ['key', 'value']);
const properties = (g: Given): Record<string, unknown> =>
  pairs(g, 'properties.propertiesUi', ['key', 'value']);

export const ownTools: readonly Service[] = [
  {
    kind: 'segment',
    credential: 'segmentApi',
    first: ['identify', 'create'],
    firsts: { group: 'add', track: 'event' },
    difference:
      'Its requests are those of n8n’s own node; the connection has the write key as its user, with no password. ',
    operations: {
      'identify.create': told('identify', (g) => ({ traits: traits(g) })),
      'group.add': told('group', (g) => ({ groupId: g.text('groupId'), traits: traits(g) })),
      'track.event': told('track', (g) => ({ event: g.text('event'), properties: properties(g) })),
      'track.page': told('page', (g) => ({ name: g.text('name'), properties: properties(g) })),
    },
  },
];
