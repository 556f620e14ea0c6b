import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startBed } from '../../testing/platform-bed.ts';
import { routeCaller } from '../../testing/route-caller.ts';

const description = JSON.stringify({
  openapi: '3.0.0',
  info: { title: 'Birds', version: '1' },
  servers: [{ url: 'https://birds.example.com' }],
  paths: { '/birds': { get: { operationId: 'listBirds', responses: { 200: { description: 'All.' } } } } },
});

async function descriptionAt(text: string): Promise<string> {
  const server = createServer((_, response) => response.end(text));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a service is read, added, listed, shown and removed', async () => {
  const host = await descriptionAt(description);
  const bed = await startBed({ outboundAllow: [host] });
  const { call } = await routeCaller(bed);
  const address = `http://${host}/openapi.json`;
  expect(await call('POST /api/v1/services/read', { body: { address } })).toMatchObject({
    title: 'Birds',
    form: 'openapi',
    id: 'birds',
    calls: [{ id: 'list-birds', method: 'GET', path: '/birds' }],
  });
  const body = { address, calls: ['list-birds'] };
  expect(await call('POST /api/v1/services', { body })).toMatchObject({
    id: 'birds',
    isShipped: false,
    calls: [{ type: 'birds.list-birds' }],
  });
  const all = (await call('GET /api/v1/services')) as { id: string }[];
  expect(all.map(({ id }) => id)).toEqual(expect.arrayContaining(['birds', 'telegram']));
  expect(await call('GET /api/v1/services/:id', { params: { id: 'birds' } })).toMatchObject({
    format: 'weft-service/1',
    source: { address },
  });
  const { operators } = (await call('GET /api/v1/operators')) as { operators: Record<string, object> };
  expect(operators['birds.list-birds']).toMatchObject({ group: 'birds', service: { title: 'Birds' } });
  expect(await call('DELETE /api/v1/services/:id', { params: { id: 'birds' } })).toBeNull();
  await expect(bed.ctx.services.get('birds')).rejects.toMatchObject({ code: 'service_not_found' });
});

test('what cannot be, says why', async () => {
  const host = await descriptionAt(description);
  const bed = await startBed();
  const { key } = await bed.ctx.keys.create({ name: 'admin', scopes: ['admin', 'flows:read'] });
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${bed.url}/api/v1/services${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, ...((await answer.json()) as { err_code?: string }) };
  };
  // On this machine, which nobody allowed.
  expect(await ask('POST', '/read', { address: `http://${host}/` })).toMatchObject({
    err_code: 'outbound_refused',
  });
  expect(await ask('POST', '/read', { text: 'x' })).toMatchObject({
    status: 422,
    err_code: 'service_invalid',
  });
  expect(await ask('POST', '/read', {})).toMatchObject({ err_code: 'service_invalid' });
  const wish = { text: description, calls: ['list-birds'] };
  expect(await ask('POST', '', { ...wish, id: 'http' })).toMatchObject({
    status: 409,
    err_code: 'service_exists',
  });
  expect(await ask('POST', '', { ...wish, id: 'telegram' })).toMatchObject({ err_code: 'service_exists' });
  expect(await ask('POST', '', { ...wish, id: '../x' })).toMatchObject({ err_code: 'service_invalid' });
  expect(await ask('POST', '', wish)).toMatchObject({ status: 201 });
  expect(await ask('POST', '', wish)).toMatchObject({ err_code: 'service_exists' });
  expect(await ask('POST', '', { ...wish, replaces: true })).toMatchObject({ status: 201 });
  expect(await ask('DELETE', '/telegram')).toMatchObject({ status: 404, err_code: 'service_not_found' });
});
