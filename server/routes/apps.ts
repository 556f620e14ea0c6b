import type { FastifyInstance } from 'fastify';
import type { App } from '#shared/app.ts';
import { found } from '../apps/app-list.ts';
import type { Context } from './context.ts';
import { ok } from '../http/envelope.ts';
import { ServiceError } from '../errors/errors.ts';
import { appBody, createAppActions, savedApp } from './app-actions.ts';
import { readPart } from '../requests/read-part.ts';

interface OneApp {
  Params: { app_code: string };
}

const READ = { config: { scope: 'apps:read' } } as const;
const WRITE = { config: { scope: 'apps:write' } } as const;

const jsonType = 'application/json; charset=utf-8';
const list = '/api/v2/serve/apps';
const one = `${list}/:app_code`;

/** Looking apps up: there with and without the editor. */
export async function appLookUp(app: FastifyInstance, { apps }: Context): Promise<void> {
  app.get(list, READ, async (request) => {
    const { AppListQuery } = await import('#shared/app.ts');
    return ok(await apps.list(readPart(AppListQuery, request.query, 'query')));
  });

  const answerOf = createAnswers();
  app.get<OneApp>(one, READ, async ({ params: { app_code } }, reply) =>
    reply.type(jsonType).send(answerOf(found(await apps.get(app_code), app_code))),
  );
}

/** An app that was given out never changes, so it is written as JSON once. */
function createAnswers(): (app: App) => string {
  const written = new WeakMap<App, string>();
  return (app) => {
    const known = written.get(app);
    if (known !== undefined) return known;
    const text = JSON.stringify(ok(app));
    written.set(app, text);
    return text;
  };
}

/** Making and changing apps. */
export async function appManagement(app: FastifyInstance, ctx: Context): Promise<void> {
  const actions = createAppActions(ctx);

  app.post(list, WRITE, async (request, reply) => {
    const made = await actions.create(request);
    return reply.code(201).header('location', `${list}/${made.app_code}`).send(savedApp(made));
  });

  app.put<OneApp>(one, WRITE, async (request) => {
    const body = await appBody(request);
    const code = await codeMeant(ctx, request.params.app_code, body.app_code);
    return savedApp(await actions.update(request, code, body));
  });

  // Its query is not read: callers of the original must send `user_code` and `sys_code`.
  app.delete<OneApp>(one, WRITE, async (request) => {
    await actions.remove(request, request.params.app_code);
    return ok([]);
  });

  app.post<OneApp>(`${one}/collect`, WRITE, async (request) =>
    ok(await actions.collect(request, request.params.app_code, true)),
  );

  app.post<OneApp>(`${one}/uncollect`, WRITE, async (request) =>
    ok(await actions.collect(request, request.params.app_code, false)),
  );
}

/**
 * Callers of the original name the app in the body, and the address may be anything. Where each names an app of its own, either
 * could be meant.
 */
async function codeMeant(
  { apps }: Context,
  address: string,
  body: string | null | undefined,
): Promise<string> {
  if (!body || body === address) return address;
  if ((await apps.get(address)) === undefined) return body;
  const what =
    'The address names one app and `app_code` in the body another: leave `app_code` out, or make them the same.';
  throw new ServiceError('invalid_request', what, { param: 'app_code' });
}
