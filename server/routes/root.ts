import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import helmet from '@fastify/helmet';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { audit } from '../security/audit.ts';
import type { Context } from './context.ts';
import { nothingHere } from '../http/nothing-here.ts';
import { landingPage, usedLinkPage } from './root-pages.ts';

/**
 * Fits the editor: own scripts and styles only; sockets go to the same host. The code field writes `style` attributes, which
 * cannot be named one by one; with this `img-src` they load nothing from elsewhere.
 */
const contentSecurityPolicy = (triggerOrigin: string | undefined) => ({
  useDefaults: false,
  directives: {
    defaultSrc: ["'self'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    styleSrcAttr: ["'unsafe-inline'"],
    imgSrc: ["'self'", 'data:'],
    // Where the editor tries triggers.
    connectSrc: ["'self'", ...(triggerOrigin === undefined ? [] : [triggerOrigin])],
    objectSrc: ["'none'"],
    baseUri: ["'none'"],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
  },
});

/** The editor uses none of these, and neither may what is brought into it. */
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

/**
 * `/`: the editor where it was built, else a page that says what to do. An address that signs in comes here with
 * its token, which is exchanged for a session and stripped from the address. Other addresses that a browser opens get the
 * editor too, which has its own routes. `/docs`: the page that shows `/openapi.json`, built with the editor.
 */
export default async function root(app: FastifyInstance, ctx: Context): Promise<void> {
  const editor = ctx.editorFiles;
  await docsPage(app, editor, ctx.config.triggerOrigin);
  const index = join(editor, 'index.html');
  const isBuilt = existsSync(index);
  const sendPage = (reply: FastifyReply): Promise<FastifyReply> => sendFile(reply, index);

  app.get('/', { config: { scope: 'public' } }, (request, reply) => {
    const { token } = request.query as { token?: unknown };
    const isSignIn = typeof token === 'string' && request.method === 'GET';
    return isSignIn ? exchange(ctx, token, request, reply) : sendPage(reply);
  });

  app.setNotFoundHandler((request, reply) => {
    if (isBuilt && wantsPage(request)) return sendPage(reply);
    throw nothingHere(app, request);
  });
}

/** `/docs` with what it is made of, and the headers of all pages here. */
export async function docsPage(
  app: FastifyInstance,
  editor: string,
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
  if (existsSync(join(editor, 'index.html'))) await serveAssets(app, editor);
  // It shows what the session or the key may see, so the page itself is for everybody.
  app.get('/docs', { config: { scope: 'public' } }, (_request, reply) =>
    sendFile(reply, join(editor, 'docs.html')),
  );
}

async function sendFile(reply: FastifyReply, file: string): Promise<FastifyReply> {
  return html(
    reply.header('cache-control', 'no-cache'),
    existsSync(file) ? await readFile(file, 'utf8') : landingPage(),
  );
}

/** A link that was used before still leads a signed-in browser to the editor, so that a reload does no harm. */
function exchange(ctx: Context, token: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const signIn = ctx.access.exchangeStartToken(request, token);
  reply.header('cache-control', 'no-store');
  if (signIn !== undefined) {
    audit(ctx, request, 'signed in', { by: signIn.name });
    return reply.header('set-cookie', signIn.cookie).redirect('/', 303);
  }
  if (ctx.access.ofRequest(request) !== undefined) return reply.redirect('/', 303);
  return html(reply.code(401), usedLinkPage(ctx.config.adminPassword !== undefined));
}

function html(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(text);
}

function wantsPage(request: FastifyRequest): boolean {
  const isPage = request.method === 'GET' && request.headers.accept?.includes('text/html') === true;
  return isPage && !/^\/(?:api|v1)\//.test(request.url);
}

/** Files in `assets/` carry a hash of their content in their name, so a browser may keep them for good. */
async function serveAssets(app: FastifyInstance, folder: string): Promise<void> {
  const { default: fastifyStatic } = await import('@fastify/static');
  await app.register(fastifyStatic, {
    root: join(folder, 'assets'),
    serve: false,
    index: false,
    preCompressed: true,
  });
  app.get('/assets/*', { config: { scope: 'public' } }, (request, reply) =>
    reply.sendFile((request.params as { '*': string })['*'], { maxAge: '365d', immutable: true }),
  );
}
