import { setTimeout } from 'node:timers/promises';
import { expect } from '../support/expect.ts';
import { test } from 'vitest';
import { call } from '../support/client.ts';
import { freshId, lineFlow, openRow } from '../editor/support/fixtures.ts';
import { useStage } from '../editor/support/stage.ts';

/** Many runs: how smooth the editor stays is a line of `npm run bench`. */
const stage = useStage();

const RUNS = 2_000;
const CALLERS = 16;
/** Of the runs of one second, the first 1,000 are told to who watches; the last call gets a second of its own. */
const NEXT_SECOND_MS = 1_100;

test('Is the last of very many runs the one that is shown?', async () => {
  const flow = await openRow(stage, freshId(), lineFlow);
  await flow.dock.getByRole('tab', { name: 'Log' }).click();
  const calls = async (from: number, step: number) => {
    for (let n = from; n < RUNS; n += step) await call(stage.server, `/${flow.id()}?name=guest${n}`);
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, n) => calls(n, CALLERS)));
  await setTimeout(NEXT_SECOND_MS);
  await call(stage.server, `/${flow.id()}?name=last`);
  await flow.select('first');
  await flow.tab('Output').click();
  await expect(flow.inspector).toContainText('Hello last');
});
