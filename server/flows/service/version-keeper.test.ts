import { afterEach, expect, it } from 'vitest';
import { actorNamed, flowFixture, type FlowFixture, helloFlow } from './testing/flow-fixture.ts';

let f: FlowFixture;
afterEach(() => f.end());

const ids = Array.from({ length: 30 }, (_, i) => `flow_${i}`);
const files = Object.fromEntries(ids.map((id) => [`${id}.json`, helloFlow(id)]));

it('a flow that is saved or removed right after the first start has its first version too', async () => {
  f = await flowFixture(files);
  const [saved, removed] = ids.slice(-2) as [string, string];
  const { revision } = await f.service.get(saved);
  const actor = actorNamed('ada');
  const other = await f.service.get(removed);
  await Promise.all([
    f.service.save(saved, helloFlow(saved, { says: 'Changed' }), { revision, actor }),
    f.service.remove(removed, { revision: other.revision, actor }),
  ]);
  expect(await f.service.versions(saved)).toMatchObject([
    { author: 'ada', live: true },
    { author: 'file', live: false },
  ]);
  // The history of a removed flow is that of one with its id.
  await f.service.save(removed, helloFlow(removed, { says: 'Again' }), { revision: undefined, actor });
  expect(await f.service.versions(removed)).toMatchObject([{ author: 'ada' }, { author: 'file' }]);
});
