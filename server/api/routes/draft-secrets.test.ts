import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Scope } from '#shared/scopes.ts';
import { type Bed, signIn, startBed } from '../../testing/platform-bed.ts';

const VALUE = 'a-secret-of-the-owner';

/** Leaks the secret, which a draft of a caller who may not publish must never receive. */
const thief = (note: string) => ({
  format: 1,
  id: 'granted',
  description: note,
  nodes: {
    start: { operator: 'trigger.http', params: { path: '/granted', methods: ['POST'], auth: 'none' } },
    take: { operator: 'code.run', params: { source: "return await ctx.secret('token');" } },
  },
  edges: [{ from: 'start.out', to: 'take.in' }],
});

const harmless = {
  format: 1,
  id: 'granted',
  nodes: {
    start: { operator: 'trigger.http', params: { path: '/granted', methods: ['POST'], auth: 'none' } },
    take: { operator: 'core.respond' },
  },
  edges: [{ from: 'start.out', to: 'take.in' }],
};

type Headers = Record<string, string>;

interface Body {
  readonly err_code?: string;
  readonly data: { readonly revision?: string; readonly run?: string; readonly status?: string };
}

/** A server with a live flow that was granted a secret, its owner and keys. */
async function granted(deploy: 'on-save' | 'manual' = 'on-save') {
  const bed = await startBed({ deploy });
  await bed.ctx.secrets.put('token', { value: VALUE, grants: { flows: ['granted'] } });
  const owner = await signIn(bed);
  await ask(bed, owner, 'POST', '/flows', { flow: harmless });
  const key = async (name: string, scopes: Scope[]) => {
    const made = await bed.ctx.keys.create({ name, scopes });
    return { id: made.id, headers: { authorization: `Bearer ${made.key}` } };
  };
  return { bed, owner, key };
}

async function ask(bed: Bed, who: Headers, method: string, path: string, body?: object) {
  const answer = await fetch(`${bed.url}/api/v1${path}`, {
    method,
    headers: { ...who, ...(body && { 'content-type': 'application/json' }) },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: answer.status, text, body: JSON.parse(text) as Body };
}

async function save(bed: Bed, who: Headers, flow: object) {
  const { body } = await ask(bed, who, 'GET', '/flows/granted');
  const saved = await ask(bed, who, 'PUT', '/flows/granted', { flow, revision: body.data.revision });
  expect(saved.status).toBe(200);
}

const testCall = (bed: Bed, who: Headers) => ask(bed, who, 'POST', '/flows/granted/test/granted', {});
const runDraft = (bed: Bed, who: Headers, body: object = {}) =>
  ask(bed, who, 'POST', '/flows/granted/run', { draft: true, wait: true, ...body });

const writing: Scope[] = ['flows:read', 'flows:write', 'runs:write', 'runs:read'];

test('a draft gets no secret that its writer could not read, by none of its ways to run', async () => {
  const { bed, owner, key } = await granted('manual');
  const { headers: writer } = await key('writer', writing);
  await save(bed, writer, thief('one'));
  for (const who of [writer, owner]) {
    const tested = await testCall(bed, who);
    expect(tested).toMatchObject({ status: 403, body: { err_code: 'secret_draft' } });
    expect(tested.text).toMatch(
      /secret token .* publish the flow, or list in the grants of token the `hosts`/,
    );
    const run = await runDraft(bed, who);
    expect(run.body.data).toMatchObject({ status: 'failed', error: { code: 'secret_draft' } });
    const fork = await ask(bed, who, 'POST', `/runs/${run.body.data.run}/fork`, { draft: true, wait: true });
    expect(fork.body.data).toMatchObject({ error: { code: 'secret_draft' } });
    const part = await runDraft(bed, who, { only: 'take' });
    expect(part.body.data).toMatchObject({ error: { code: 'secret_draft' } });
  }
  // A publisher's addition does not make the rest of the draft trusted.
  await save(bed, owner, thief('two'));
  expect((await testCall(bed, owner)).body).toMatchObject({ err_code: 'secret_draft' });
});

test('a published flow gets it, regardless of who starts it', async () => {
  const { bed, owner, key } = await granted();
  const { headers: publisher } = await key('publisher', [...writing, 'flows:publish']);
  const { headers: starter } = await key('starter', writing);
  await save(bed, publisher, thief('published'));
  const live = await ask(bed, owner, 'POST', '/awel/trigger/granted', {});
  expect(live.text).toContain(VALUE);
  expect((await testCall(bed, starter)).text).toContain(VALUE);
});

test('a starter who may not publish gets no secret out of a draft that the owner writes', async () => {
  const { bed, owner, key } = await granted();
  const { headers: starter } = await key('starter', writing);
  await bed.ctx.flows.save('granted', JSON.stringify(thief('draft')), {
    revision: (await bed.ctx.flows.get('granted')).revision,
    actor: { kind: 'owner', id: 'browser', name: 'owner' },
    mode: 'draft',
  });
  expect((await testCall(bed, owner)).text).toContain(VALUE);
  expect((await testCall(bed, starter)).body).toMatchObject({ err_code: 'secret_draft' });
  expect((await runDraft(bed, starter)).body.data).toMatchObject({ error: { code: 'secret_draft' } });
});

test('the writers of a draft are known after a restart, and a revoked key may do nothing', async () => {
  const { bed, owner, key } = await granted();
  const publisher = await key('publisher', [...writing, 'flows:publish']);
  await bed.ctx.flows.save('granted', JSON.stringify(thief('draft')), {
    revision: (await bed.ctx.flows.get('granted')).revision,
    actor: { kind: 'key', id: `key:${publisher.id}`, name: 'publisher' },
    mode: 'draft',
  });
  expect((await testCall(bed, owner)).text).toContain(VALUE);
  const { config } = bed.ctx;
  const file = join(config.flows[0] as string, '.drafts', 'granted.writers.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveProperty('writers', [`key:${publisher.id}`]);
  await bed.stop();
  const again = await startBed(config);
  const back = await signIn(again);
  expect((await testCall(again, back)).text).toContain(VALUE);
  await again.ctx.keys.revoke(publisher.id);
  expect((await testCall(again, back)).body).toMatchObject({ err_code: 'secret_draft' });
});

test('a chat with a draft gets no secret that its writer could not read', async () => {
  const { bed, owner, key } = await granted('manual');
  const { headers: writer } = await key('writer', [...writing, 'chat']);
  const talks = (source: string) => ({
    format: 1,
    id: 'granted',
    nodes: { start: { operator: 'trigger.chat' }, take: { operator: 'code.run', params: { source } } },
    edges: [{ from: 'start.out', to: 'take.in' }],
  });
  const steal = talks("return await ctx.secret('token');");
  const say = async (who: Headers, query: string): Promise<string> => {
    const body = { model: 'flow:granted', messages: [{ role: 'user', content: 'Hi' }] };
    const answer = await fetch(`${bed.url}/v1/chat/completions${query}`, {
      method: 'POST',
      headers: { ...who, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return await answer.text();
  };
  await save(bed, owner, talks("return 'Hello';"));
  const { body } = await ask(bed, owner, 'GET', '/flows/granted');
  await ask(bed, owner, 'POST', '/flows/granted/publish', { revision: body.data.revision });
  await save(bed, writer, steal);
  for (const who of [writer, owner]) {
    expect(await say(who, '')).toContain('Hello');
    const drafted = await say(who, '?draft=true');
    expect(drafted).toContain('secret_draft');
    expect(drafted).not.toContain(VALUE);
  }
  await save(bed, owner, { ...steal, description: 'of the owner' });
  const { body: drafted } = await ask(bed, owner, 'GET', '/flows/granted');
  await ask(bed, owner, 'POST', '/flows/granted/publish', { revision: drafted.data.revision });
  expect(await say(writer, '?draft=true')).toContain(VALUE);
});

test('published, and with a new draft of a publisher, it is trusted again', async () => {
  const { bed, owner, key } = await granted();
  const { headers: writer } = await key('writer', writing);
  await save(bed, writer, thief('one'));
  const { body } = await ask(bed, owner, 'GET', '/flows/granted');
  const { revision } = body.data;
  await ask(bed, owner, 'POST', '/flows/granted/publish', { revision });
  expect((await runDraft(bed, writer)).body.data).toMatchObject({ status: 'ok' });
});

test('outputs that a person sets in place of a live node’s own make the run unpublished', async () => {
  const { bed, owner, key } = await granted();
  const { headers: writer } = await key('writer', writing);
  const target = {
    ...thief('live'),
    nodes: {
      ...thief('').nodes,
      name: { operator: 'text.template', params: { template: 'safe' } },
      take: { operator: 'code.run', params: { source: "return input + (await ctx.secret('token'));" } },
    },
    edges: [
      { from: 'start.out', to: 'name.in' },
      { from: 'name.out', to: 'take.in' },
    ],
  };
  await save(bed, owner, target);
  const live = (who: Headers, body: object) =>
    ask(bed, who, 'POST', '/flows/granted/run', { wait: true, ...body });
  expect((await live(writer, {})).body.data.status).toBe('ok');
  const outputs = { name: { out: 'elsewhere' } };
  const changed = await live(writer, { outputs });
  expect(changed.body.data).toMatchObject({ error: { code: 'secret_draft' } });
  expect((await live(owner, { outputs })).body.data.status).toBe('ok');
  // Outputs of that run stay untrusted in the next one.
  const reuse = await live(owner, { from: 'take', reuse: changed.body.data.run });
  expect(reuse.body.data).toMatchObject({ error: { code: 'secret_draft' } });
  await ask(bed, writer, 'PUT', '/flows/granted/pins/name', { outputs: { out: 'pinned' } });
  expect((await live(owner, { pins: true })).body.data).toMatchObject({ error: { code: 'secret_draft' } });
  await ask(bed, owner, 'DELETE', '/flows/granted/pins/name');
  await ask(bed, owner, 'PUT', '/flows/granted/pins/name', { outputs: { out: 'pinned' } });
  expect((await live(owner, { pins: true })).body.data.status).toBe('ok');
});

test('a durable run of such a draft gets it neither', async () => {
  const { bed, owner, key } = await granted('manual');
  const { headers: writer } = await key('writer', writing);
  await save(bed, writer, { ...thief('one'), settings: { durable: true } });
  const run = await runDraft(bed, owner);
  expect(run.body.data).toMatchObject({ status: 'failed', error: { code: 'secret_draft' } });
});
