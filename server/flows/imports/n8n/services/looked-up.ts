import type { Params } from '../params.ts';
import { encoded, type Given, post, type Request, type Service } from './service.ts';

/** Operations whose nodes look up what the service only names, unless they say otherwise. */

const resolves = (g: Given): boolean => g.value('resolveData') !== false;

const PHANTOMBUSTER = 'https://api.phantombuster.com/api/v2';

/** What is known of the container that an answer names. */
const ofContainer = (path: string, answer: string): string =>
  `${PHANTOMBUSTER}/containers/${path}?id={{ urlEncode(string(${answer}.containerId)) }}`;

const launched = (g: Given): Request => {
  g.seen('jsonParameters');
  const json = g.expr('additionalFields.argumentsJson', 'null');
  const manualLaunch = g.value('additionalFields.manualLaunch');
  const body = {
    id: g.text('agentId'),
    ...(json !== 'null' && { argument: `{{ typeOf(${json}) == "string" ? json(${json}) : ${json} }}` }),
    ...(manualLaunch !== undefined && { manualLaunch }),
  };
  return post(`${PHANTOMBUSTER}/agents/launch`, body);
};

/** The people of a channel of Mattermost, who are read by 200 at most. */
const people = (g: Given): Request => {
  const isAll = g.value('returnAll') !== false;
  const limit = g.number('limit', 100);
  if (isAll || limit > 200) g.tell('It read all of them; here it reads at most 200. http.pages reads more.');
  const most = isAll ? 200 : Math.min(limit, 200);
  if (resolves(g)) return { url: '/users', query: { in_channel: g.text('channelId'), per_page: most } };
  return { url: `/channels/${encoded(g.expr('channelId'))}/members`, query: { per_page: most } };
};

const REDDIT = 'https://oauth.reddit.com';

const output = (g: Given): Request => ({
  url: `${PHANTOMBUSTER}/agents/fetch-output`,
  query: { id: g.text('agentId') },
});

const when = (params: Params): boolean => params.get('resolveData') !== false;

export const lookedUp: Readonly<Record<string, Service['operations']>> = {
  phantombuster: { 'agent.launch': launched, 'agent.getOutput': output },
  mattermost: { 'channel.members': people },
};

/** Those that look up by a second request. */
export const lookedUpAfter: Readonly<Record<string, Pick<Service, 'several'>>> = {
  phantombuster: {
    several: {
      'agent.launch': {
        when,
        steps: (g, ask) => ({ url: ofContainer('fetch', ask('launch', launched(g))) }),
      },
      'agent.getOutput': {
        when,
        steps: (g, ask) => ({
          url: ofContainer('fetch-result-object', ask('output', output(g))),
          items: 'one?.resultObject == null ? { } : json(one.resultObject)',
        }),
      },
    },
  },
};

export const personOfReddit = (g: Given): Request => {
  const details = g.text('details', 'about');
  const url = `${REDDIT}/user/${encoded(g.expr('username'))}/${details}`;
  if (details === 'about') return { url, items: 'one?.data' };
  const limit = g.flag('returnAll') ? 100 : Math.min(g.number('limit', 100), 100);
  if (g.flag('returnAll') || g.number('limit', 100) > 100)
    g.tell('It read everything; here it reads at most 100. http.pages reads more.');
  return { url, query: { limit }, items: '(one?.data?.children ?? []).map(found => found.data)' };
};
