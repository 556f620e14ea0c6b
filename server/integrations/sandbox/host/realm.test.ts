import { expect, test } from 'vitest';
import { Stopped } from './engine.js';
import { RealmQueue } from './realm.js';

const unit = {
  id: 1,
  realm: 'r',
  memoryMb: 64,
  cpuMs: 100,
  wallMs: 1000,
  guest: '',
  library: false,
  isStream: false,
  mayShare: true,
};

/** A realm whose first call is stopped `stops` times, having computed `cpuMs` each time, and then returns its number. */
function callOnce(stops: number, cpuMs: number) {
  const limits: number[] = [];
  const said: string[] = [];
  let computed = 0;
  const ended = new Promise<void>((resolve) => {
    const room = {
      enter: () => [],
      async enterApart(messages: (string | number)[], ms: number) {
        if (messages[0] !== 'C') return [];
        limits.push(ms);
        computed += cpuMs;
        if (limits.length <= stops) throw new Stopped('time');
        return ['V', Number(messages[1]), '"done"'];
      },
    };
    const engine = { open: () => room, dispose() {}, cpuMs: () => computed, survivesStop: true };
    const realm = new RealmQueue('r', engine, {
      send(op, _id, _unit, text) {
        said.push(`${op} ${text}`);
        resolve();
      },
      lost() {},
      broken() {},
    });
    realm.roomFor(unit).queue.push({ op: 'C', id: 7, text: '{}' });
    realm.run();
  });
  return ended.then(() => ({ said, limits }));
}

test('a call that was stopped though it has hardly computed begins again and gets longer', async () => {
  expect(await callOnce(3, 5)).toEqual({ said: ['V "done"'], limits: [100, 200, 400, 800] });
});

test('a call that has computed is stopped at once, one that never gets on in the end', async () => {
  const { said, limits } = await callOnce(3, 90);
  expect(limits).toEqual([100]);
  expect(said[0]).toMatch(/^K .*code_timeout/);
  expect((await callOnce(100, 5)).said[0]).toMatch(/^K .*code_timeout/);
});
