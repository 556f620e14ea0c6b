import { expect, it } from 'vitest';
import type { Flow } from '#shared/flow.ts';
import { preparedAnswer } from '../../access/http/prepared-json.ts';
import { ok } from '../../access/http/envelope.ts';
import { LARGE_TEXT } from './examinations.ts';
import { LargeJson } from './large-json.ts';
import { actorNamed, flowFixture } from './testing/flow-fixture.ts';

const flow = (id: string): Flow => ({ format: 1, id, nodes: {}, edges: [] });

it('the JSON of a large flow is made once, and again for another text or value', () => {
  const json = new LargeJson();
  const given = { source: 'é"'.repeat(LARGE_TEXT), flow: flow('a') };
  const made = json.of(given);
  expect(JSON.parse(String(made))).toEqual({ text: given.source, flow: given.flow });
  expect(json.of({ ...given })).toBe(made);
  expect(JSON.parse(String(json.of({ ...given, flow: flow('b') })))).toMatchObject({ flow: { id: 'b' } });
  expect(json.of(given)).not.toBe(made);
  json.forget();
});

it('a small flow has none', () => {
  expect(new LargeJson().of({ source: '{}', flow: flow('a') })).toBeUndefined();
});

it('the answer about a large flow equals its document, also for a draft that is not a flow', async () => {
  const nodes = Object.fromEntries(
    Array.from({ length: 2000 }, (_, i) => [
      `n${i}`,
      { operator: 'core.map', params: { value: `"é" ${i}` } },
    ]),
  );
  const text = `${JSON.stringify({ ...flow('big'), nodes: { t: { operator: 'trigger.manual' }, ...nodes } })}\n`;
  const f = await flowFixture({});
  const options = { actor: actorNamed('ada') };
  const made = await f.service.save('big', text, { ...options, revision: undefined });
  const changed = await f.service.save('big', text.replace('n1"', 'm1"'), {
    ...options,
    revision: made.revision,
  });
  const broken = await f.service.save('big', `${text}}`, { ...options, revision: changed.revision });
  const states = [made, changed, broken, await f.service.get('big')];
  expect(states.map(({ flow: found }) => found?.id)).toEqual(['big', 'big', undefined, undefined]);
  for (const state of states)
    expect(JSON.parse(String(preparedAnswer(state)))).toEqual(JSON.parse(JSON.stringify(ok(state))));
  await f.end();
});
