import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Bed, startBed, tempFolder } from '../../testing/platform-bed.ts';

const used = 'used-key-of-sixteen-letters';
const fresh = 'fresh-key-of-sixteen-letters';

async function startGuessed(): Promise<Bed> {
  const folder = join(await tempFolder(), 'flows');
  mkdirSync(folder);
  const trigger = (id: string, auth: unknown) => {
    const nodes = { in: { operator: 'trigger.http', params: { path: `/${id}`, auth } } };
    writeFileSync(join(folder, `${id}.json`), JSON.stringify({ format: 1, id, nodes, edges: [] }));
  };
  trigger('keyed', 'api-key');
  trigger('basic', { type: 'basic', user: 'ada', secret: { $secret: 'word' } });
  return startBed({
    flows: [folder],
    apiKeys: [used, fresh],
    trustProxy: true,
    secrets: { word: 'the password' },
    grants: { word: { operators: ['trigger.http'] } },
  });
}

function asker(bed: Bed) {
  return async (path: string, authorization: string, from = '203.0.113.7'): Promise<unknown> => {
    const headers = { authorization, 'x-forwarded-for': from };
    const answer = await fetch(`${bed.url}${path}`, { headers });
    await answer.text();
    return answer.status === 429 ? [429, Number(answer.headers.get('retry-after')) > 0] : answer.status;
  };
}

const FLOWS = '/api/v1/flows';
const KEYED = '/api/v1/awel/trigger/keyed';
const BASIC = '/api/v1/awel/trigger/basic';
const right = `Basic ${btoa('ada:the password')}`;
const waits = [429, true];

test.each([
  ['keys of the API', FLOWS],
  ['keys of a trigger', KEYED],
  ['passwords of a trigger', BASIC],
])('after 100 wrong %s an address may try no further one, not even the right one', async (_what, path) => {
  const ask = asker(await startGuessed());
  expect(await ask(FLOWS, `Bearer ${used}`)).toBe(200);
  const tries = Array.from({ length: 100 }, (_, i) => ask(path, `Bearer wrong-${i}`));
  expect(new Set(await Promise.all(tries))).toEqual(new Set([401]));
  expect(await ask(path, 'Bearer wrong')).toEqual(waits);
  expect(await ask(FLOWS, `Bearer ${fresh}`)).toEqual(waits);
  expect(await ask(KEYED, `Bearer ${fresh}`)).toEqual(waits);
  expect(await ask(BASIC, right)).toEqual(waits);
  // A caller who was admitted before is not guessing, and other callers are separate.
  expect(await ask(FLOWS, `Bearer ${used}`)).toBe(200);
  expect(await ask(KEYED, `Bearer ${used}`)).toBe(200);
  expect(await ask(BASIC, right, '203.0.113.8')).toBe(200);
  expect(await ask(FLOWS, `Bearer ${fresh}`, '203.0.113.8')).toBe(200);
});
