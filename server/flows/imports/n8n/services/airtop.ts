import { isRecord } from '#shared/json.ts';
import {
  type Ask,
  encoded,
  type Given,
  post,
  some,
  type Several,
  type Step,
  type Steps,
  use,
} from './service.ts';
import { businessServices } from './lines-of-business.ts';
import { requestOf, type ServiceLines } from './lines.ts';

/** Operations of browsers in the cloud that take several requests. */

const lines = businessServices['airtop'] as ServiceLines;
const AIRTOP = lines.address as string;
const sessionAt = (session: string): string => `${AIRTOP}/sessions/${encoded(session)}`;

/** A session of its own, by its answer. */
const startedBy = (ask: Ask, configuration: Record<string, unknown>): string =>
  ask('session', post(`${AIRTOP}/sessions`, { configuration: some(configuration) }));
const readyOf = (session: string): Step => ({
  url: sessionAt(`${session}.data.id`),
  until: { holds: 'item?.body?.data?.status == "running"', everySeconds: 1, seconds: 300 },
});

const newSession: Steps = (g, ask) => {
  const extensions = g.expr('additionalFields.extensionIds', '');
  const session = startedBy(ask, {
    profileName: g.value('profileName'),
    timeoutMinutes: g.value('timeoutMinutes') ?? 10,
    proxy: proxyOf(g),
    solveCaptcha: g.value('additionalFields.solveCaptcha') ?? false,
    record: g.value('record') ?? false,
    extensionIds: extensions === '' ? undefined : `{{ split(${extensions}, ",").map(one => trim(one)) }}`,
  });
  const item = `{ sessionId: ${session}.data.id, ...${session} }`;
  if (!g.flag('saveProfileOnTermination')) return { ...readyOf(session), item };
  ask('ready', readyOf(session));
  const profile = encoded(g.expr('profileName'));
  const url = `${sessionAt(`${session}.data.id`)}/save-profile-on-termination/${profile}`;
  return { method: 'PUT', url, item };
};

function proxyOf(g: Given): unknown {
  const proxy = g.text('proxy', 'none');
  if (proxy === 'proxyUrl') return g.value('proxyUrl');
  const config = g.value('proxyConfig');
  if (proxy !== 'integrated') return false;
  return isRecord(config) && Object.keys(config).length > 0 ? config : true;
}

/** The node with a session and a window of its own, which end with it. */
const ofOwn =
  (name: string): Steps =>
  (g, ask) => {
    for (const path of ['sessionMode', 'autoTerminateSession']) g.seen(path);
    const started = startedBy(ask, { profileName: g.value('profileName') });
    ask('ready', readyOf(started));
    const session = `${started}.data.id`;
    const window = ask('window', post(`${sessionAt(session)}/windows`, { url: g.text('url') }));
    const own = within(g, session, `${window}.data.windowId`);
    const { items = 'one', ...request } = requestOf(lines, lines.operations[name] as string, own);
    if (g.value('autoTerminateSession') === false) return { ...request, item: items };
    const answer = ask('answer', request);
    return {
      method: 'DELETE',
      url: sessionAt(session),
      item: `[${answer}].map(one => (${items}))[0]`,
    };
  };

/** The params, with the session and the window that were made for it. */
const within = (g: Given, session: string, window: string): Given => ({
  ...g,
  get after() {
    return within(g.after, session, window);
  },
  expr(path, otherwise) {
    if (path === 'sessionId') return session;
    return path === 'windowId' ? window : g.expr(path, otherwise);
  },
});

/** A new window, and how it can be watched. */
const watched: Steps = (g, ask) => {
  const made = ask('window', requestOf(lines, lines.operations['window.create'] as string, g));
  const session = g.expr('sessionId', `${g.item}?.sessionId`);
  const window = `${made}.data.windowId`;
  const query = some({
    includeNavigationBar: g.value('includeNavigationBar'),
    screenResolution: g.value('screenResolution'),
    disableResize: g.value('disableResize'),
  });
  return {
    url: `${sessionAt(session)}/windows/${encoded(window)}`,
    ...(Object.keys(query).length > 0 && { query }),
    item: `{ sessionId: ${session}, windowId: ${window}, ...one }`,
  };
};

/** A picture of the window as a file. */
const pictured: Steps = (g, ask) => {
  const [session, window] = ['sessionId', 'windowId'].map((name) => g.expr(name, `${g.item}?.${name}`));
  const picture = ask('picture', requestOf(lines, lines.operations['window.takeScreenshot'] as string, g));
  ask('bytes', use('core.map', { value: `{{ ${picture}.meta.screenshots[0].dataUrl }}` }));
  return {
    ...use('file.from-text', { name: 'screenshot.jpg', content: 'base64' }),
    item: `{ sessionId: ${session}, windowId: ${window}, data: one }`,
  };
};

export const airtopSteps: Several = {
  'session.create': newSession,
  'window.create': { when: (params) => params.flag('getLiveView'), steps: watched },
  'window.takeScreenshot': { when: (params) => params.flag('outputImageAsBinary'), steps: pictured },
  ...Object.fromEntries(
    ['extraction.query', 'extraction.getPaginated', 'extraction.scrape'].map((name) => [
      name,
      { when: (params) => params.text('sessionMode') === 'new', steps: ofOwn(name) },
    ]),
  ),
};
