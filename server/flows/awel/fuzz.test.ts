import { expect, it } from 'vitest';
import { startBed } from '../../testing/platform-bed.ts';
import { corpus, originalFlow } from './testing/original-flow.ts';
import { fc } from '../../../tests/support/property.ts';

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    0,
    -1,
    1e308,
    true,
    [],
    {},
    '{{',
    '{{ input.',
    'a.b',
    '../../etc/passwd',
    'constructor',
  ),
  fc.constantFrom<unknown>('\u0000', '💩', 'x'.repeat(5000), [[[[]]]], { weft: { node: 5 } }, { $secret: 5 }),
  fc.json({ maxDepth: 2 }).map((text) => JSON.parse(text) as unknown),
);

/** One change: its position among all places (0 to 1), and the new value; undefined removes the place. */
type Change = readonly [at: number, value: unknown];

const change: fc.Arbitrary<Change> = fc.tuple(
  fc.double({ min: 0, max: 0.999, noNaN: true }),
  fc.oneof({ weight: 4, arbitrary: odd }, fc.constant(undefined)),
);

/** A copy with the changes made, each somewhere within it. */
function changed(start: unknown, changes: readonly Change[]): unknown {
  const copy = structuredClone(start);
  for (const [at, value] of changes) {
    const places = placesIn(copy);
    const [holder, key] = places[Math.floor(at * places.length)] as Place;
    holder[key] = value;
  }
  return copy;
}

type Place = [holder: Record<string, unknown>, key: string];

function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [[holder, key] as Place, ...placesIn(holder[key])]);
}

const seeds = [
  corpus('echo_flow'),
  corpus('hello_flow'),
  { flow: corpus('simple_streaming_chat') },
  originalFlow({
    nodes: {
      t: { name: 'http_trigger', values: { endpoint: '/x' }, resources: ['http_trigger_body'] },
      b: { name: 'dict_http_body', isResource: true },
      s: { name: 'awel_dict_http_sender', values: { address: 'http://a', methods: 'GET' } },
      c: { name: 'default_code_map_operator', values: { code: 'x', lang: 'javascript' } },
      p: { name: 'prompt_builder_operator', resources: ['prompt'] },
      q: { name: 'common_chat_prompt_template', isResource: true, values: { human_message: '{a}' } },
      u: { name: 'knowledge_operator' },
    },
    edges: ['b.0 > t.1', 't.0 > s.0', 's.0 > c.0', 'c.0 > p.0', 'q.0 > p.0', 'p.0 > u.0', 'u.0 > t.5'],
  }),
];

it('whatever is imported, shown, exported and imported again, nothing ends in an error of the server', async () => {
  const bed = await startBed({ deploy: 'manual' });
  const { key } = await bed.ctx.keys.create({
    name: 'fuzz',
    scopes: ['flows:read', 'flows:write', 'flows:publish'],
  });
  const url = `${bed.url}/api/v2/serve/awel`;
  const send = async (method: string, path: string, body?: string) => {
    const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) };
    const answer = await fetch(`${url}${path}`, { method, headers, ...(body !== undefined && { body }) });
    const text = await answer.text();
    expect(answer.status, `${path} ${body} ${text}`).toBeLessThan(500);
    return { status: answer.status, text };
  };
  const statuses = new Set<number>();
  const changes = fc.array(change, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...seeds), changes, async (start, made) => {
      const body = JSON.stringify(changed(start, made));
      const imported = await send('POST', '/flow/import?save_flow=true', body);
      statuses.add(imported.status);
      if (imported.status !== 200) return;
      const { uid } = (JSON.parse(imported.text) as { data: { uid: string } }).data;
      const read = await send('GET', `/flows/${uid}`);
      const { data } = JSON.parse(read.text) as { data: unknown };
      expect((await send('PUT', `/flows/${uid}`, JSON.stringify(data))).status).not.toBe(400);
      const file = await send('GET', `/flow/export/${uid}`);
      await send('DELETE', `/flows/${uid}`);
      expect((await send('POST', '/flow/import', file.text)).status).toBe(200);
    }),
    { numRuns: 80 },
  );
  // Both valid and refused flows occurred.
  expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 400]));
});
