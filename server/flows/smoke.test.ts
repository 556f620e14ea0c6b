import { expect, it } from 'vitest';
import { flowFixture, helloFlow } from './testing/flow-fixture.ts';
it('smoke', async () => {
  const f = await flowFixture({ 'a.json': helloFlow('a') });
  console.log(JSON.stringify(f.service.list(), null, 1), f.log);
  const d = await f.service.get('a');
  expect(d.problems).toEqual([]);
  const s = await f.service.save('b', helloFlow('b'), { revision: undefined, author: 'me' });
  expect(s.state).toBe('live');
  expect(f.read('b.json')).toBe(helloFlow('b'));
  console.log(await f.service.versions('b'));
  await f.end();
});
