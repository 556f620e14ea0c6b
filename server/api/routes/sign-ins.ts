import type { StartedSignIn } from '#shared/sign-in.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WeftError } from '#engine';
import { audit } from '../../access/security/audit.ts';
import { ownAddress } from '../../base/config/own-address.ts';
import { escape, htmlPage, pageHeaders } from '../../base/pages/html.ts';
import type { Context } from './context.ts';
import { defineRoute } from './define-route.ts';

const shapes = () => import('#shared/sign-in.ts');
const page = () => ({ 'text/html': undefined });

const START = '/oauth/start';
const CALLBACK = '/oauth/callback';

/** Seconds, as long as a sign-in. */
const COOKIE_AGE = 600;
/** Characters of the id of a sign-in in the name of its cookie, so that two at once do not disturb each other. */
const NAMED = 12;

/** Sign-ins of connections by OAuth2: an administrator begins one, and only the browser with its cookie completes it. */
export default [
  defineRoute({
    method: 'GET',
    url: '/api/v1/connections/providers',
    scope: 'admin',
    tag: 'Administration',
    summary:
      'List the providers that a connection by OAuth2 may sign in to, with their scopes, and the redirect address to register with them.',
    guide: 'oauth',
    answer: async () => (await shapes()).SignInProviders,
    async handle(ctx) {
      const { describeProviders } = await import('../../integrations/connections/kinds/oauth2/describe.ts');
      return {
        providers: describeProviders(),
        redirect: addressOf(ctx, CALLBACK),
        isLocal: ctx.config.publicUrl === undefined,
      };
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/connections/:name/sign-ins',
    scope: 'admin',
    tag: 'Administration',
    summary:
      'Begin the sign-in of a connection by OAuth2. A person opens the `address` in a browser within ten minutes; for the grant `device` on any machine, and types the `code` there.',
    guide: 'oauth',
    answer: async () => (await shapes()).StartedSignIn,
    errors: [
      'connection_not_found',
      'connection_broken',
      'connection_refused',
      'connection_failed',
      'oauth_failed',
    ],
    async handle(ctx, { request, params: { name } }) {
      const started = await startSignIn(ctx, name);
      audit(ctx, request, 'connection sign-in begun', { connection: name, how: started.by });
      return started;
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/connections/:name/sign-ins/:id',
    scope: 'admin',
    masked: true,
    tag: 'Administration',
    summary:
      'Tell how a sign-in stands: `waiting`, `connected` with the account, or `failed` with the reason.',
    guide: 'oauth',
    answer: async () => (await shapes()).SignInProgress,
    errors: ['connection_not_found', 'connection_broken', 'oauth_failed'],
    handle: ({ connections }, { params: { name, id } }) => connections.signIns.progress(name, id),
  }),

  defineRoute({
    method: 'GET',
    url: START,
    scope: 'public',
    tag: 'Administration',
    summary:
      'Lead a browser to the provider of a sign-in that an administrator began, with a cookie that only its answer needs.',
    guide: 'oauth',
    content: page,
    async handle(ctx, { request, reply }) {
      const state = queryOf(request).get('state') ?? '';
      try {
        const address = await ctx.connections.signIns.consent(state);
        const { attemptId } = await import('../../integrations/connections/kinds/oauth2/attempts.ts');
        reply.header('set-cookie', cookieOf(ctx, attemptId(state), COOKIE_AGE));
        return await reply.headers(pageHeaders({})).redirect(address, 303);
      } catch (error) {
        return failurePage(reply, error);
      }
    },
  }),

  defineRoute({
    method: 'GET',
    url: CALLBACK,
    scope: 'public',
    tag: 'Administration',
    summary: 'Take the answer of a provider from the browser that began the sign-in; once.',
    guide: 'oauth',
    content: page,
    async handle(ctx, { request, reply }) {
      const answer = queryOf(request);
      let id = '';
      const isSameBrowser = (attempt: string): boolean => {
        id = attempt;
        return (
          request.headers.cookie?.split(/; */).includes(`${cookieName(ctx, attempt)}=${attempt}`) ?? false
        );
      };
      try {
        const { connection, outcome } = await ctx.connections.signIns.finish(answer, isSameBrowser);
        if (id !== '') reply.header('set-cookie', cookieOf(ctx, id, 0));
        if (connection !== undefined)
          audit(
            ctx,
            request,
            outcome.state === 'connected' ? 'connection signed in' : 'connection sign-in failed',
            {
              connection,
              ...(outcome.state === 'connected' ? { account: outcome.account } : { code: outcome.code }),
            },
          );
        if (outcome.state === 'connected') return html(reply, connectedPage(outcome.account));
        return failedPage(reply, outcome.message);
      } catch (error) {
        return failurePage(reply, error);
      }
    },
  }),
];

/** Begins a sign-in. Throws like `start` of `ConnectionSignIns`. */
export async function startSignIn(
  ctx: Pick<Context, 'config' | 'ownPort'> & {
    readonly connections: Pick<Context['connections'], 'signIns'>;
  },
  name: string,
): Promise<StartedSignIn> {
  const started = await ctx.connections.signIns.start(name, addressOf(ctx, CALLBACK));
  const { id, by } = started;
  const until = new Date(started.until).toISOString();
  if (started.by === 'device') return { id, by, address: started.address, code: started.code, until };
  return { id, by, address: `${addressOf(ctx, START)}?state=${started.state}`, until };
}

/** A page of this server at its public address, or on this machine; the Host header decides nothing. */
function addressOf({ config, ownPort }: Pick<Context, 'config' | 'ownPort'>, path: string): string {
  return ownAddress(config, ownPort()) + path;
}

/** The fields as they were sent: a field that comes twice is one that a provider does not send. */
function queryOf({ url }: FastifyRequest): URLSearchParams {
  return new URLSearchParams(/\?(.*)$/s.exec(url)?.[1] ?? '');
}

/** Only over https may the name promise that no other host of the domain has set the cookie. */
function cookieName({ config }: Pick<Context, 'config'>, id: string): string {
  const isSecure = config.publicUrl?.startsWith('https:') === true;
  return `${isSecure ? '__Host-' : ''}weft_sign_in_${id.slice(0, NAMED)}`;
}

/** Lax, because the browser has to send it when it comes back from the provider; the cookie of the session stays Strict. */
function cookieOf(ctx: Pick<Context, 'config'>, id: string, age: number): string {
  const name = cookieName(ctx, id);
  const secure = name.startsWith('__Host-') ? '; Secure' : '';
  return `${name}=${age === 0 ? '' : id}; Max-Age=${age}; Path=/; HttpOnly; SameSite=Lax${secure}`;
}

function html(reply: FastifyReply, text: string): FastifyReply {
  return reply.headers(pageHeaders({})).send(text);
}

function failurePage(reply: FastifyReply, error: unknown): FastifyReply {
  if (!(error instanceof WeftError)) throw error;
  return failedPage(reply, error.message);
}

function connectedPage(account: string | undefined): string {
  const title = account === undefined ? 'Connected' : `Connected as ${account}`;
  return htmlPage(
    title,
    `<h1>${escape(title)}</h1>
<p class="state ok" role="status">You can close this window. Weft keeps the sign-in encrypted, and flows use it only where it is granted.</p>`,
  );
}

/** The message may repeat what the provider said. */
function failedPage(reply: FastifyReply, message: string): FastifyReply {
  const shown = reply.server.redactor?.text(message) ?? message;
  const page = htmlPage(
    'Not connected',
    `<h1>Not connected</h1>
<p class="state bad" role="alert">${escape(shown)}</p>
<p>You can close this window.</p>`,
  );
  return html(reply.code(400), page);
}
