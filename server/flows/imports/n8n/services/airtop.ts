import { isRecord } from '#shared/json.ts';
import type { AnswerOf, Chain, Chains, Given, Link } from './service.ts';
import { encoded, post, some, use } from './service.ts';
import { businessServices } from './lines-of-business.ts';
import { requestOf, type ServiceLines } from './lines.ts';

/** Operations of browsers in the cloud that take several requests. */

const lines = businessServices['airtop'] as ServiceLines;
const AIRTOP = lines.address as string;

/** A session of its own, until it is ready. */
function sessionOf(configuration: Record<string, unknown>): Link[] {
  const body = { configuration: some(configuration) };
  return [
    { name: 'session', does: () => post(`${AIRTOP}/sessions`, body) },
    {
      name: 'ready',
      does: (answerOf) => ({ url: `${AIRTOP}/sessions/${encoded(`${answerOf('session')}.data.id`)}` }),
      until: 'item?.data?.status == "running"',
    },
  ];
}

function newSession(g: Given): Chain {
  const profile = g.value('profileName');
  const extensions = g.expr('additionalFields.extensionIds', '');
  const links = sessionOf({
    profileName: profile,
    timeoutMinutes: g.value('timeoutMinutes') ?? 10,
    proxy: proxyOf(g),
    solveCaptcha: g.value('additionalFields.solveCaptcha') ?? false,
    record: g.value('record') ?? false,
    extensionIds: extensions === '' ? undefined : `{{ split(${extensions}, ",").map(one => trim(one)) }}`,
  });
  if (g.flag('saveProfileOnTermination'))
    links.push({
      name: 'profile',
      does: (answerOf) => ({
        method: 'PUT',
        url: `${AIRTOP}/sessions/${encoded(`${answerOf('session')}.data.id`)}/save-profile-on-termination/${encoded(g.expr('profileName'))}`,
      }),
    });
  return {
    links,
    item: (answerOf) => `{ sessionId: ${answerOf('session')}.data.id, ...${answerOf('session')} }`,
  };
}

function proxyOf(g: Given): unknown {
  const proxy = g.text('proxy', 'none');
  if (proxy === 'proxyUrl') return g.value('proxyUrl');
  const config = g.value('proxyConfig');
  if (proxy !== 'integrated') return false;
  return isRecord(config) && Object.keys(config).length > 0 ? config : true;
}

/** The node with a session and a window of its own, which end with it. */
const ofOwn =
  (name: string) =>
  (g: Given): Chain => {
    for (const path of ['sessionMode', 'autoTerminateSession']) g.seen(path);
    const ends = g.value('autoTerminateSession') !== false;
    const request = (answerOf: AnswerOf) =>
      requestOf(lines, lines.operations[name] as string, within(g, answerOf));
    const url = g.text('url');
    const links: Link[] = [
      ...sessionOf({ profileName: g.value('profileName') }),
      {
        name: 'window',
        does: (answerOf) =>
          post(`${AIRTOP}/sessions/${encoded(`${answerOf('session')}.data.id`)}/windows`, { url }),
      },
      { name: 'answer', does: request },
    ];
    if (ends)
      links.push({
        name: 'end',
        does: (answerOf) => ({
          method: 'DELETE',
          url: `${AIRTOP}/sessions/${encoded(`${answerOf('session')}.data.id`)}`,
        }),
      });
    return {
      links,
      item: (answerOf) => `[${answerOf('answer')}].map(one => (${request(answerOf).items ?? 'one'}))[0]`,
    };
  };

/** The params, with the session and the window that the chain has made. */
const within = (g: Given, answerOf: AnswerOf): Given => ({
  ...g,
  get after() {
    return within(g.after, answerOf);
  },
  expr(path, otherwise) {
    if (path === 'sessionId') return `${answerOf('session')}.data.id`;
    if (path === 'windowId') return `${answerOf('window')}.data.windowId`;
    return g.expr(path, otherwise);
  },
});

/** A new window, and how it can be watched. */
function watched(g: Given): Chain {
  const request = requestOf(lines, lines.operations['window.create'] as string, g);
  const session = g.expr('sessionId', `${g.item}?.sessionId`);
  const query = some({
    includeNavigationBar: g.value('includeNavigationBar'),
    screenResolution: g.value('screenResolution'),
    disableResize: g.value('disableResize'),
  });
  return {
    links: [
      { name: 'window', does: () => request },
      {
        name: 'view',
        does: (answerOf) => ({
          url: `${AIRTOP}/sessions/${encoded(session)}/windows/${encoded(`${answerOf('window')}.data.windowId`)}`,
          ...(Object.keys(query).length > 0 && { query }),
        }),
      },
    ],
    item: (answerOf) =>
      `{ sessionId: ${session}, windowId: ${answerOf('window')}.data.windowId, ...${answerOf('view')} }`,
  };
}

/** A picture of the window as a file. */
function pictured(g: Given): Chain {
  const request = requestOf(lines, lines.operations['window.takeScreenshot'] as string, g);
  const [session, window] = ['sessionId', 'windowId'].map((name) => g.expr(name, `${g.item}?.${name}`));
  return {
    links: [
      { name: 'picture', does: () => request },
      {
        name: 'bytes',
        does: (answerOf) =>
          use('core.map', { value: `{{ ${answerOf('picture')}.meta.screenshots[0].dataUrl }}` }),
      },
      {
        name: 'file',
        does: () => use('file.from-text', { name: 'screenshot.jpg', content: 'base64' }),
      },
    ],
    item: (answerOf) => `{ sessionId: ${session}, windowId: ${window}, data: ${answerOf('file')} }`,
  };
}

const isOwn: Chains[string]['when'] = (params) => params.text('sessionMode') === 'new';
export const airtopChains: Chains = {
  'session.create': { of: newSession },
  'window.create': { when: (params) => params.flag('getLiveView'), of: watched },
  'window.takeScreenshot': { when: (params) => params.flag('outputImageAsBinary'), of: pictured },
  ...Object.fromEntries(
    ['extraction.query', 'extraction.getPaginated', 'extraction.scrape'].map((name) => [
      name,
      { when: isOwn, of: ofOwn(name) },
    ]),
  ),
};
