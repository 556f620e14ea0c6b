import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { ErrorCode } from '#shared/errors.ts';
import { errorTable } from '#shared/errors.ts';
import { handleError } from '../../access/http/error-handler.ts';
import { startBed, tempFolder } from '../../testing/platform-bed.ts';
import { addRoutes, below, defineRoute, type Route } from './define-route.ts';
import { type DescribedRoute, describedRoutes } from './openapi/description.ts';

/** The table of a server with all possible routes. */
async function fullTable() {
  const editorFiles = await tempFolder();
  await mkdir(join(editorFiles, 'assets'));
  await writeFile(join(editorFiles, 'index.html'), '<!doctype html>');
  return (await startBed({}, { editorFiles })).app.routeTable;
}

const nameOf = ({ method, url }: Pick<DescribedRoute, 'method' | 'url'>): string => `${method} ${url}`;

test('every route is one that was defined, apart from triggers', async () => {
  const others = (await fullTable()).filter(({ config }) => config.route === undefined);
  expect(new Set(others.map(({ scope }) => scope))).toEqual(new Set(['trigger-auth']));
});

test('nothing of the schemas is made for the start', async () => {
  const thunks = (await fullTable()).flatMap(({ config: { route } }) =>
    route ? [route.query, route.body, route.answer, route.content] : [],
  );
  expect(thunks.filter((one) => one !== undefined && typeof one !== 'function')).toEqual([]);
});

test('a page that a description links to exists', async () => {
  const guides = (await describedRoutes(await fullTable())).flatMap(({ guide }) => guide ?? []);
  expect(guides.length).toBeGreaterThan(10);
  const docs = join(import.meta.dirname, '../../../docs');
  expect(guides.filter((guide) => !existsSync(join(docs, `${guide}.md`)))).toEqual([]);
});

test('a route answers in the envelope or in a form of its own, and only what is always refused in none', async () => {
  const odd = (await describedRoutes(await fullTable())).filter(
    ({ answer, content }) => (answer === undefined) === (content === undefined),
  );
  expect(odd.map(nameOf)).toEqual(['DELETE /mcp', 'DELETE /mcp/:group']);
});

test('a GET has no body, and a route that looks up a name lists its error for a missing one', async () => {
  for (const route of await describedRoutes(await fullTable())) {
    const { method, url, body, errors = [] } = route;
    if (method === 'GET') expect(body, nameOf(route)).toBeUndefined();
    const named = method === 'GET' && url.includes(':');
    const missing = errors.some((code: ErrorCode) => errorTable[code].status === 404);
    if (named) expect([nameOf(route), missing]).toEqual([nameOf(route), true]);
  }
});

interface Notes {
  readonly taken: unknown[];
}

/** Serves these routes, whose answer is the value that they leave in `taken`. */
function serve(...routes: readonly Route<Notes>[]) {
  const app = fastify();
  app.setErrorHandler(handleError);
  const notes: Notes = { taken: [] };
  addRoutes(app, notes, routes);
  onTestFinished(() => app.close());
  return { app, ...notes };
}

const common = { scope: 'public', tag: 'Platform', summary: 'Only here.' } as const;

const save = defineRoute({
  ...common,
  method: 'PUT',
  url: '/notes/:id',
  query: async () => z.object({ loud: z.stringbool().default(false) }),
  body: () => z.strictObject({ text: z.string() }),
  answer: () => z.object({ id: z.string(), text: z.string() }),
  status: 201,
  handle({ taken }: Notes, call) {
    taken.push('asked');
    taken.push(call.query.loud);
    return { id: call.params.id, text: call.body.text };
  },
});

test('params, query and body are read by the schemas, and what the handler gives stands in the envelope', async () => {
  const { app, taken } = serve(save);
  const answer = await app.inject({ method: 'PUT', url: '/notes/a?loud=true', body: { text: 'Hello' } });
  expect(answer.statusCode).toBe(201);
  expect(answer.json()).toEqual({
    success: true,
    err_code: null,
    err_msg: null,
    data: { id: 'a', text: 'Hello' },
  });
  expect(taken).toEqual(['asked', true]);
});

test('a handler that does not fit the answer or the address does not compile', () => {
  const answer = () => z.object({ text: z.string() });
  const place = { ...common, method: 'GET', url: '/notes/:id', answer } as const;
  // @ts-expect-error: the text is missing.
  const without = defineRoute({ ...place, handle: () => ({}) });
  // @ts-expect-error: the address has no such param.
  const named = defineRoute({ ...place, handle: (_, { params }) => ({ text: params.name }) });
  const both = defineRoute({ ...place, handle: (_, { params }) => ({ text: params.id }) });
  expect([without, named, both].map(({ url }) => url)).toEqual(['/notes/:id', '/notes/:id', '/notes/:id']);
});

test('an invalid request is refused when the handler reads it, with all problems', async () => {
  const { app, taken } = serve(save);
  const answer = await app.inject({ method: 'PUT', url: '/notes/a', body: { text: 1, more: 2 } });
  expect(answer.statusCode).toBe(400);
  expect(answer.json().detail.map(({ loc }: { loc: unknown }) => loc)).toEqual([
    ['body', 'text'],
    ['body', 'more'],
  ]);
  expect(taken).toEqual(['asked', false]);
});

test('a body that may be left out counts as an empty object', async () => {
  const body = () => z.strictObject({ text: z.string().default('none') });
  const { app } = serve(
    defineRoute({
      ...common,
      method: 'POST',
      url: '/optional',
      body,
      bodyOptional: true,
      answer: () => z.string(),
      handle: (_: Notes, call) => call.body.text,
    }),
    defineRoute({
      ...common,
      method: 'POST',
      url: '/required',
      body,
      answer: () => z.string(),
      handle: (_: Notes, call) => call.body.text,
    }),
  );
  const post = async (url: string) => (await app.inject({ method: 'POST', url })).json();
  expect(await post('/optional')).toMatchObject({ data: 'none' });
  expect(await post('/required')).toMatchObject({ err_code: 'invalid_request' });
});

test('an answer that a handler has sent itself is left as it is, with the status of the route', async () => {
  const { app } = serve(
    defineRoute({
      ...common,
      method: 'POST',
      url: '/sent',
      answer: () => z.object({ text: z.string() }),
      status: 202,
      handle: async (_: Notes, { reply }) => reply.type('application/json').send('{"as":"it is"}'),
    }),
  );
  const answer = await app.inject({ method: 'POST', url: '/sent' });
  expect([answer.statusCode, answer.json()]).toEqual([202, { as: 'it is' }]);
});

test('a route without envelope gives its answer bare, at each address that it has', async () => {
  const bare = defineRoute({
    ...common,
    method: 'GET',
    url: '/bare',
    content: () => ({ 'application/json': z.object({ ok: z.literal(true) }) }),
    handle: (_: Notes) => ({ ok: true }),
  });
  const { app } = serve(...below('/v1', [bare]), ...below('/v2', [bare]));
  for (const url of ['/v1/bare', '/v2/bare']) expect((await app.inject(url)).json()).toEqual({ ok: true });
});

test('a body is not read where the route has answered before', async () => {
  const { app, taken } = serve(
    defineRoute({
      ...common,
      method: 'POST',
      url: '/kept',
      beforeBody: (_: Notes, request, reply) =>
        request.headers.authorization === undefined ? reply.code(403).send({ no: true }) : undefined,
      content: () => ({}),
      handle({ taken: all }: Notes, { request }) {
        all.push(request.body);
        return { read: true };
      },
    }),
  );
  const refused = await app.inject({ method: 'POST', url: '/kept', body: { a: 1 } });
  expect([refused.statusCode, taken]).toEqual([403, []]);
  const headers = { authorization: 'me' };
  await app.inject({ method: 'POST', url: '/kept', headers, body: { a: 1 } });
  expect(taken).toEqual([{ a: 1 }]);
});
