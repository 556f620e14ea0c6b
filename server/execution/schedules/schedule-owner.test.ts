import { join } from 'node:path';
import { mkdirSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import type { Config } from '../../base/config/config.ts';
import { tempFolder } from '../../testing/platform-bed.ts';
import { openScheduleOwner } from './schedule-owner.ts';

/** A server with its own data folder; `look` lets its timer fire. */
function server(flows: string[], data: string, schedules: Config['schedules'] = 'auto') {
  const began: boolean[] = [];
  const logged: string[] = [];
  let look = (): void => {};
  const note = (...words: unknown[]): void =>
    void logged.push(words.map((word) => JSON.stringify(word)).join(' '));
  const owner = openScheduleOwner({
    config: { flows, schedules },
    data,
    host: { timer: (_, fn) => ((look = fn), () => (look = () => {})) },
    log: { info: note, warn: note } as never,
    beginSchedules: (fromNow) => void began.push(fromNow),
    beginSources: () => {},
    endSources: async () => {},
  });
  onTestFinished(() => owner.close());
  return { began, logged, look: () => look(), notice: owner.notice, close: owner.close };
}

test('the second server starts none, logs that once, and takes over when the first has gone', async () => {
  const flows = [await tempFolder()];
  const first = server(flows, 'a');
  expect(first).toMatchObject({ began: [false], logged: [] });
  const second = server(flows, 'b');
  second.look();
  expect(second.began).toEqual([]);
  expect(second.logged).toEqual([
    expect.stringMatching(/Another server \(process \d+, started .*This one starts none/),
  ]);
  expect(second.notice()).toContain(`starts the schedules of ${flows[0]}`);
  await first.close();
  second.look();
  expect(second).toMatchObject({ began: [true] });
  expect(second.notice()).toBeUndefined();
  expect(server(flows, 'a').began).toEqual([]);
});

test('a server makes up for missed times only if no other server was up in between', async () => {
  const flows = [await tempFolder()];
  for (const [data, fromNow] of [
    ['a', false],
    ['a', false],
    ['b', true],
    ['b', false],
    ['a', true],
  ] as const) {
    const one = server(flows, data);
    expect(one.began).toEqual([fromNow]);
    await one.close();
  }
});

test('`on` starts them beside another server, and keeps others from starting them; `off` leaves them to others', async () => {
  const flows = [await tempFolder()];
  const off = server(flows, 'a', 'off');
  const first = server(flows, 'b');
  const on = server(flows, 'c', 'on');
  expect([off.began, first.began, on.began]).toEqual([[], [false], [false]]);
  expect([off.notice(), on.notice()]).toEqual([undefined, undefined]);
  expect(on.logged).toEqual([expect.stringContaining('This one starts them too')]);
  await first.close();
  await on.close();
  server(flows, 'c', 'on');
  expect(server(flows, 'd').began).toEqual([]);
});

test('servers that share some of their folders share them all or none', async () => {
  const folder = await tempFolder();
  const [one, two, three] = ['one', 'two', 'three'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const name of [one, two, three]) mkdirSync(name);
  const first = server([one, two], 'a');
  const second = server([three, two], 'b');
  expect(second.notice()).toContain(two);
  expect(server([three], 'c').began).toEqual([false]);
  expect(first.began).toEqual([false]);
});
