import { expect, onTestFinished, test } from 'vitest';
import type { CacheNote } from '#shared/run-event.ts';
import { call, type Owner, signIn } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { httpTrigger, write } from '../support/flows.ts';
import { discard, startServer, tempFolder, type TestServer } from '../support/server.ts';

/** Outputs that are kept on disk, over a restart of a real server. */

function kept(value: string) {
  return {
    format: 1 as const,
    id: 'kept',
    settings: { record: 'full' },
    nodes: {
      start: httpTrigger('/kept'),
      map: { operator: 'core.map', params: { value }, cache: { keep: 'disk' } },
    },
    edges: [{ from: 'start.out', to: 'map.in' }],
  };
}

/** The answer, the run, and what became of the cache. */
async function ask(server: TestServer, owner: Owner, path: string) {
  const { text, headers } = await call(server, path);
  const run = headers.get('x-weft-run') ?? '';
  const { events } = await eventually(() =>
    owner.data<{ events: { kind: string; node?: string; cache?: CacheNote }[] }>(
      'GET',
      `/runs/${run}/events`,
    ),
  );
  const end = events.find(({ kind, node }) => kind === 'node-finished' && node === 'map');
  return { text, run, cache: end?.cache };
}

test('an output on disk is used again after a restart, until the node is changed', async () => {
  const flows = tempFolder('flows');
  write(flows, 'kept.json', kept('{{ input.a }}'));
  const first = await startServer({ flows });
  const made = await ask(first, await signIn(first), '/kept?a=1');
  expect(made).toMatchObject({ text: '"1"', cache: { hit: false, reason: 'first-time' } });
  await first.stop();
  const second = await startServer({ flows, data: first.data });
  onTestFinished(() => discard(second));
  const owner = await signIn(second);
  const again = await ask(second, owner, '/kept?a=1');
  expect(again).toMatchObject({ text: '"1"', cache: { hit: true, reason: 'same-input', run: made.run } });
  expect((await ask(second, owner, '/kept?a=2')).cache).toEqual({ hit: false, reason: 'other-input' });
  write(flows, 'kept.json', kept('{{ input.a }}!'));
  await eventually(async () => expect((await call(second, '/kept?a=3')).text).toBe('"3!"'));
  expect((await ask(second, owner, '/kept?a=1')).text).toBe('"1!"');
});
