import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { EngineWorker } from './engine-worker.ts';
import type { FromEngine } from './protocol.ts';

const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const run = { run: 'r1', flow: 'f', version: 'v', input: '{}', texts: [], startedAt: 1 };

/** The engine on this thread, with its messages; `pass` resolves to the number of the first pass. */
function engineOf() {
  const folder = mkdtempSync(join(tmpdir(), 'weft-durable-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const pass = Promise.withResolvers<number>();
  const engine = new EngineWorker(
    { file: join(folder, 'durable.db'), full: false },
    (message: FromEngine) => {
      if ('steps' in message) pass.resolve(message.pass);
    },
  );
  return { engine, pass: pass.promise };
}

test('a close at any moment prints nothing on the console', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => printed.mockRestore());
  for (let moments = 0; moments < 8; moments++) {
    const { engine } = engineOf();
    engine.begin();
    await engine.start(run);
    for (let i = 0; i < moments; i++) await later();
    await engine.close();
    for (let i = 0; i < 8; i++) await later();
  }
  const { engine, pass } = engineOf();
  engine.begin();
  await engine.start(run);
  const open = await pass;
  await engine.close();
  engine.passes.giveUp(open, 'It is closed.');
  for (let i = 0; i < 8; i++) await later();
  expect(printed.mock.calls).toEqual([]);
});
