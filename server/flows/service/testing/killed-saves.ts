import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { parse } from '#engine/check';
import { flowFixture, helloFlow } from './flow-fixture.ts';

const LOOP = fileURLToPath(new URL('./save-loop.ts', import.meta.url));

/** Lets a process save until it has done so once, and kills it a little later at any point. */
async function saveAndKill(flows: string, data: string, afterMs: number): Promise<void> {
  const child = spawn(process.execPath, [LOOP, flows, data], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  await delay(afterMs);
  child.kill('SIGKILL');
  expect(await ended).toEqual([null, 'SIGKILL']);
}

/** Kills a saving server that many times; each time all files must be whole. */
export async function killWhileSaving(kills: number): Promise<void> {
  const f = await flowFixture({ 'a.json': helloFlow('a') });
  onTestFinished(() => f.end());
  await f.service.close();
  for (let i = 0; i < kills; i++) {
    await saveAndKill(f.flows, f.data, (i * 13) % 31);
    const { problems } = parse(f.read('a.json'), { id: 'a' });
    expect(problems).toEqual([]);
    const big = JSON.parse(readFileSync(join(f.data, 'big.json'), 'utf8'));
    expect(big.end).toBe(big.i);
    for (const name of readdirSync(join(f.data, 'versions', 'a')).filter((n) =>
      /^[0-9a-f]{16}\.json$/.test(n),
    )) {
      expect(parse(readFileSync(join(f.data, 'versions', 'a', name)), { id: 'a' }).problems).toEqual([]);
    }
  }
  await f.restart();
  expect(f.service.list()).toMatchObject([{ id: 'a', state: 'live', hasDraft: false, problems: [] }]);
  expect(readdirSync(f.flows).filter((name) => name.endsWith('.tmp'))).toEqual([]);
}
