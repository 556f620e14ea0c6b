import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import helmet from '@fastify/helmet';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { audit, SIGNED_IN } from '../../access/security/audit.ts';
import type { Context } from './context.ts';
import type { HelpCall } from './help.ts';
import { nothingHere } from '../../access/http/nothing-here.ts';
import { addRoutes, defineRoute } from './define-route.ts';
import { headersFor } from '../../base/pages/html.ts';
import { landingPage, usedLinkPage } from './root-pages.ts';

/**
 * The policy for the editor: only its own scripts and styles; sockets only to the same host. `style` attributes are needed by
 * the code field alone, and not by its code: Chromium puts the look of a coloured word into one when a person types beside it
 * (`color: rgb(…); font-weight: …`), until the field draws the line again. Everything else sets styles through the object model,
 * which policies do not restrict. With this `img-src` such attributes load nothing from elsewhere.
 */
const contentSecurityPolicy = (triggerOrigin: string | undefined) => ({
  useDefaults: false,
  directives: {
    defaultSrc: ["'self'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    styleSrcAttr: ["'unsafe-inline'"],
    imgSrc: ["'self'", 'data:'],
    // The editor calls triggers there.
    connectSrc: ["'self'", ...(triggerOrigin === undefined ? [] : [triggerOrigin])],
    objectSrc: ["'none'"],
    baseUri: ["'none'"],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
  },
});

/** The editor uses none of these, and neither may injected code. */
const PERMISSIONS = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'hid',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'serial',
  'usb',
]
  .map((feature) => `${feature}=()`)
  .join(', ');

/** The needs of the pages here. */
type PageContext = Pick<Context, 'editorFiles'>;

const page = () => ({ 'text/html': undefined });

const editorPage = defineRoute({
  method: 'GET',
  url: '/',
  scope: 'public',
  tag: 'Platform',
  summary: 'Get the editor, or a page that says how to build it.',
  content: page,
  handle(ctx, { request, reply }) {
    const { token } = request.query as { token?: unknown };
    const isSignIn = typeof token === 'string' && request.method === 'GET';
    if (isSignIn && isAhead(request)) return reply.code(503).header('cache-control', 'no-store').send();
    return isSignIn ? exchange(ctx, token, request, reply) : sendEditor(ctx, reply);
  },
});

/** The page shows only data that the session or the key may see, so the page itself is public. */
const documentation = defineRoute({
  method: 'GET',
  url: '/docs',
  scope: 'public',
  tag: 'Platform',
  summary: 'Get a page that shows this document and can try its calls.',
  content: page,
  handle: ({ editorFiles }: PageContext, { reply }) => sendFile(reply, join(editorFiles, 'docs.html')),
});

const help = async ({ editorFiles }: PageContext, path: string, call: HelpCall): Promise<FastifyReply> =>
  (await import('./help.ts')).sendHelp(editorFiles, path, call);

/** Everybody may read how Weft is used: the pages are those of the sources. */
const helpRoutes = [
  defineRoute({
    method: 'GET',
    url: '/help',
    scope: 'public',
    tag: 'Platform',
    summary: 'Get the first page of the help.',
    content: page,
    handle: (ctx: PageContext, call) => help(ctx, '', call),
  }),
  defineRoute({
    method: 'GET',
    url: '/help/*',
    scope: 'public',
    tag: 'Platform',
    summary: 'Get a page of the help, one of its pictures, or the index of its search.',
    content: () => ({ '*/*': undefined }),
    errors: ['not_found'],
    handle: (ctx: PageContext, call) => help(ctx, call.params['*'], call),
  }),
];

/** The names of files in `assets/` contain a hash of their content, so a browser may cache them for ever. */
const assets = defineRoute({
  method: 'GET',
  url: '/assets/*',
  scope: 'public',
  tag: 'Platform',
  summary: 'Get a script or style of the editor.',
  content: () => ({ '*/*': undefined }),
  handle: (_: PageContext, { reply, params }) =>
    reply.sendFile(params['*'], { maxAge: '365d', immutable: true }),
});

/**
 * `/`: the editor if it was built, otherwise a page with instructions. A sign-in address leads here with its token,
 * which is exchanged for a session and removed from the address. Other addresses that a browser opens get the editor
 * too, which has its own routes. `/docs`: the page that shows `/openapi.json`, and `/help`, built with the editor.
 */
export default async function root(app: FastifyInstance, ctx: Context): Promise<void> {
  await openPages(app, ctx.editorFiles, ctx.config.triggerOrigin);
  const isBuilt = existsSync(indexOf(ctx));
  addRoutes(app, ctx, [editorPage]);
  app.setNotFoundHandler((request, reply) => {
    if (isBuilt && wantsPage(request)) return sendEditor(ctx, reply);
    throw nothingHere(app, request);
  });
}

/** Serves what needs no account, `/docs` and `/help`, with its files, and sets the headers of all pages here. */
export async function openPages(
  app: FastifyInstance,
  editorFiles: string,
  triggerOrigin: string | undefined,
): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: contentSecurityPolicy(triggerOrigin),
    strictTransportSecurity: false,
  });
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('permissions-policy', PERMISSIONS);
    done();
  });
  if (existsSync(indexOf({ editorFiles }))) await serveAssets(app, editorFiles);
  addRoutes(app, { editorFiles }, [documentation, ...helpRoutes]);
}

function indexOf({ editorFiles }: PageContext): string {
  return join(editorFiles, 'index.html');
}

function sendEditor(ctx: PageContext, reply: FastifyReply): Promise<FastifyReply> {
  return sendFile(reply, indexOf(ctx));
}

async function sendFile(reply: FastifyReply, file: string): Promise<FastifyReply> {
  if (!existsSync(file)) return drawn(reply, landingPage());
  return html(reply.header('cache-control', 'no-cache'), await readFile(file, 'utf8'));
}

/**
 * Whether a browser or a program prefetches the address. It keeps nothing of a 503, and asks again
 * when a person opens the address.
 */
function isAhead({ headers }: FastifyRequest): boolean {
  return AHEAD.some((name) => /\b(?:prefetch|prerender|preview)\b/i.test(String(headers[name] ?? '')));
}

const AHEAD = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const;

/** A used link still leads a signed-in browser to the editor, so a reload does no harm. */
async function exchange(
  ctx: Context,
  token: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const signIn = await ctx.access.exchangeStartToken(request, token);
  reply.header('cache-control', 'no-store');
  if (signIn !== undefined) {
    audit(ctx, request, SIGNED_IN, { by: signIn.name });
    return reply.header('set-cookie', signIn.cookie).redirect('/', 303);
  }
  if (ctx.access.ofRequest(request) !== undefined) return reply.redirect('/', 303);
  return drawn(reply.code(401), usedLinkPage(ctx.config.adminPassword !== undefined));
}

/** A page that is not part of the editor has the look and the policy of forms and chats. */
function drawn(reply: FastifyReply, text: string): FastifyReply {
  return reply.headers(headersFor({})).send(text);
}

function html(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(text);
}

function wantsPage(request: FastifyRequest): boolean {
  const isPage = request.method === 'GET' && request.headers.accept?.includes('text/html') === true;
  return isPage && !/^\/(?:api|v1)\//.test(request.url);
}

async function serveAssets(app: FastifyInstance, editorFiles: string): Promise<void> {
  const { default: fastifyStatic } = await import('@fastify/static');
  await app.register(fastifyStatic, {
    root: join(editorFiles, 'assets'),
    serve: false,
    index: false,
    preCompressed: true,
  });
  addRoutes(app, { editorFiles }, [assets]);
}
