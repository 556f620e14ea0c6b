import { expect, test } from 'vitest';
import { call } from '../support/client.ts';
import { type Node, publish, startNode, startPair } from '../support/cluster.ts';
import { httpTrigger, sayFlow } from '../support/flows.ts';
import { type Follower, followShared, type SharedFeedItem } from '../support/sockets.ts';

type Items = readonly SharedFeedItem[];

/** Runs that were told to their ends, each with the numbers of its events. */
function runsOf(items: Items): Map<string, number[]> {
  const seqs = new Map<string, number[]>();
  const ended = new Map<string, number[]>();
  for (const item of items) {
    if (!('event' in item)) continue;
    const { event } = item;
    if (event.kind === 'run-summary') {
      const { run } = event.summary;
      expect(ended.has(run)).toBe(false);
      ended.set(run, seqs.get(run) ?? []);
    } else seqs.set(event.run, [...(seqs.get(event.run) ?? []), event.seq]);
  }
  return ended;
}

const isOf =
  ({ process }: Node) =>
  (name: string): boolean =>
    name.endsWith(`/${process.pid}`);
const gapsOf = (items: Items) => items.filter((item) => 'kind' in item && item.kind === 'gap');
const serversOf = (items: Items) =>
  items.flatMap((item) => ('kind' in item && item.kind === 'servers' ? [item] : [])).at(-1);
const shows =
  (...nodes: Node[]) =>
  (items: Items): boolean => {
    const { shown = [], missing = [] } = serversOf(items) ?? {};
    return (
      missing.length === 0 && shown.length === nodes.length && nodes.every((node) => shown.some(isOf(node)))
    );
  };

/** Each run has all events, in order and once. */
async function expectWhole(feed: Follower<SharedFeedItem>, count: number): Promise<void> {
  const items = await feed.until((all) => runsOf(all).size >= count);
  const runs = runsOf(items);
  expect(runs.size).toBe(count);
  for (const seqs of runs.values()) {
    expect(seqs.length).toBeGreaterThan(2);
    expect(seqs).toEqual(seqs.map((_, at) => at + 1));
  }
}

const start = async (node: Node, path: string, count: number): Promise<void> => {
  for (let i = 0; i < count; i++) expect((await call(node, path)).status).toBe(200);
};

test('the feed of all runs has those of all servers, whichever is asked, also when one is killed and another one comes', async () => {
  const { url, a, b } = await startPair();
  const c = await startNode(url);
  const { key } = a.key === '' ? b : a;
  await publish(a, sayFlow('one', '1', httpTrigger('/one')));
  await publish(a, sayFlow('two', '2', httpTrigger('/two')));
  const [all, one, other] = await Promise.all([
    followShared({ ...a, key }),
    followShared({ ...a, key }, '?flow=one'),
    followShared({ ...c, key }, '?flow=one'),
  ]);
  for (const feed of [all, one, other]) await feed.until(shows(a, b, c));
  // One that took a second to be followed begins with a gap.
  const [first, firstOfOne] = [gapsOf(all.items), gapsOf(one.items)];
  await Promise.all([start(a, '/one', 5), start(b, '/one', 5), start(c, '/one', 5), start(b, '/two', 3)]);
  await Promise.all([expectWhole(all, 18), expectWhole(one, 15), expectWhole(other, 15)]);
  expect([...runsOf(one.items).keys()].sort()).toEqual([...runsOf(other.items).keys()].sort());
  expect([gapsOf(all.items), gapsOf(one.items)]).toEqual([first, firstOfOne]);

  // Cut off, it goes on at another server behind what it has.
  const { cursor } = one.items.at(-1) as SharedFeedItem;
  one.ws.terminate();
  await one.closed;
  await Promise.all([start(a, '/one', 2), start(b, '/one', 2), start(c, '/one', 2)]);
  const again = await followShared({ ...c, key }, `?flow=one&after=${cursor}`);
  await expectWhole(again, 6);
  expect(gapsOf(again.items)).toEqual([]);
  await expectWhole(all, 24);
  // A number is a cursor of the server that is asked.
  const numbered = await followShared({ ...a, key }, '?after=17');
  await numbered.until((items) => gapsOf(items).some((gap) => 'from' in gap && gap.from === 18));
  await expect(followShared({ ...b, key: 'no' }, '?flow=one')).rejects.toMatchObject({ status: 401 });
  await expect(followShared({ ...a, key }, 's')).rejects.toMatchObject({ status: 404 });

  b.process.kill('SIGKILL');
  await all.until((items) => serversOf(items)?.missing.some(isOf(b)) === true);
  const next = await startNode(url);
  await all.until(shows(a, c, next));
  // Something may have run there before it was followed.
  const [since, ...more] = gapsOf(all.items).slice(first.length);
  expect([since, more]).toMatchObject([{ reason: 'not-watched' }, []]);
  expect(since).toMatchObject({ server: expect.stringMatching(`/${next.process.pid}$`) });
  await Promise.all([start(next, '/one', 2), start(c, '/one', 2)]);
  await Promise.all([expectWhole(all, 28), expectWhole(again, 10)]);
});
