import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WeftError } from '#engine';
import type { CodeSandbox } from './code-service.ts';
import type { Attack } from './corpus/attack.ts';
import { lookForTraces } from './corpus/tamper.ts';
import { callOf } from './testing/call.ts';
import { watchHeartbeat } from './testing/heartbeat.ts';
import { remoteHosts } from './remote-host.ts';
import { supervise, type Supervisor } from './supervisor.ts';
import { testSandbox } from './testing/sandbox.ts';

/** Short, so that the whole corpus takes seconds. */
const limits = { cpuMs: 80, maxMs: 500 };
const MAX_GAP_MS = 400;
const MAX_GROWTH_MB = 200;

/** Where the code runs: in a host of this process, or in one that a supervisor has apart from it. */
type Place = readonly [engine: 'isolated-vm' | 'quickjs', at: 'here' | 'apart'];

/** The guarantees against hostile code, whatever executes it. */
export function sandboxContract(
  [engine, place]: Place,
  corpus: Readonly<Record<string, readonly Attack[]>>,
): void {
  describe(`hostile code in ${engine}, ${place}`, () => {
    let sandbox: CodeSandbox;
    let supervisor: Supervisor | undefined;
    let rssBefore: number;

    beforeAll(async () => {
      if (place === 'apart') {
        const path = join(mkdtempSync(join(tmpdir(), 'weft-code-')), 'code.sock');
        supervisor = await supervise({ path, say() {} });
        sandbox = testSandbox({ engine, hosts: 1, start: remoteHosts(path) });
      } else sandbox = testSandbox({ engine, hosts: 1 });
      await sandbox.run(callOf('return 1;', 1));
      rssBefore = process.memoryUsage.rss();
    });

    afterAll(async () => {
      sandbox.close();
      await supervisor?.close();
    });

    describe.each(Object.entries(corpus))('%s', (_, attacks) => {
      test.each(attacks.map((attack) => [attack.name, attack] as const))('%s', async (_name, attack) => {
        const heartbeat = watchHeartbeat();
        const input = { id: 7, name: 'Ada', tags: ['a', 'b'], nested: { x: 1 } };
        const said = await attempt(sandbox, attack, input);
        expect(said.text).not.toMatch(/ESCAPED|SHARED/);
        if (attack.expect === 'error') expect(said.error).toBeInstanceOf(WeftError);
        expect(input).toEqual({ id: 7, name: 'Ada', tags: ['a', 'b'], nested: { x: 1 } });
        expect(Reflect.get({}, 'polluted')).toBeUndefined();
        expect(await sandbox.run(callOf(lookForTraces, 1, { ...limits, cpuMs: 250, maxMs: 5000 }))).toBe(
          'clean',
        );
        const elsewhere = callOf(lookForTraces, 1, { cpuMs: 250, maxMs: 5000, flow: 'other' });
        expect(await sandbox.run(elsewhere)).toBe('clean');
        expect(heartbeat.stop()).toBeLessThan(MAX_GAP_MS);
      });
    });

    test('took no memory of the server', () => {
      const grown = (process.memoryUsage.rss() - rssBefore) / 1024 ** 2;
      expect(grown).toBeLessThan(MAX_GROWTH_MB);
    });
  });
}

/** Everything an attack leaks: its result or error, and its log. */
async function attempt(
  sandbox: CodeSandbox,
  attack: Attack,
  input: unknown,
): Promise<{ text: string; error?: unknown }> {
  const logs: string[] = [];
  const call = callOf(attack.code, input, { ...limits, log: (text) => void logs.push(text) });
  try {
    const result = attack.isStream ? await someItems(sandbox.stream(call)) : await sandbox.run(call);
    return { text: `${JSON.stringify(result)} ${logs.join()}` };
  } catch (error) {
    const { message, data } = error as WeftError;
    return { text: `${message} ${JSON.stringify(data)} ${logs.join()}`, error };
  }
}

async function someItems(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const item of stream) if (items.push(item) === 200) break;
  return items;
}
