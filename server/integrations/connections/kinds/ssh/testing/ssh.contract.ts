import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../../../../../../tests/support/server.ts';
import { openFolders } from '../../../../../storage/file-store/store.contract.ts';
import { asker, connectionBed, type Made, never } from '../../../testing/connection-bed.ts';
import type { Ran } from '../command.ts';

/** A connection `box` to an SSH server. */
export async function openBox(settings: Made['settings']) {
  const bed = connectionBed();
  await bed.connections.put('box', { kind: 'ssh', settings, grants: { flows: ['f'] } });
  const run = (
    command: string,
    { stdin = '', maxBytes = 1_000_000, timeoutMs = 20_000, signal = never } = {},
  ): Promise<Ran> =>
    bed.connections.actions.ask(
      { connection: 'box', kind: 'ssh', action: 'run', given: { command, stdin, maxBytes }, timeoutMs },
      asker,
      signal,
    ) as Promise<Ran>;
  return { ...bed, run };
}

/** Runs it until its time is over, with more of it each time until it made `begun` before: a busy machine logs in slowly. */
async function outOfTime(
  { run }: Pick<Awaited<ReturnType<typeof openBox>>, 'run'>,
  command: string,
  begun: string,
): Promise<void> {
  for (let timeoutMs = 700; !existsSync(begun); timeoutMs *= 3)
    await expect(run(command, { timeoutMs })).rejects.toMatchObject({ code: 'action_timeout' });
}

/** A folder in which commands of any user may write. */
function openFolder(): string {
  const folder = tempFolder('marks');
  chmodSync(folder, 0o777);
  return folder;
}

/** Its files as the folder `inbox`, for the contract of stores. */
export async function openInbox(settings: Made['settings']) {
  const bed = connectionBed();
  await bed.connections.put('inbox', { kind: 'ssh', settings, grants: { flows: ['f'] } });
  const folders = await openFolders({
    folders: {},
    connected: (name, by) => bed.connections.store(name, by),
  });
  return { ...bed, ...folders };
}

/** Commands on every server with a POSIX shell. */
export function commandContract(name: string, open: () => Promise<Made['settings']>): void {
  describe(`${name}: a command`, () => {
    test('gives its outputs and its code', async () => {
      const box = await openBox(await open());
      expect(await box.run('echo Grüße; echo wrong >&2; exit 3')).toEqual({
        stdout: 'Grüße\n',
        stderr: 'wrong\n',
        code: 3,
        signal: null,
      });
      expect(await box.run('true')).toEqual({ stdout: '', stderr: '', code: 0, signal: null });
      expect(await box.run('kill -9 $$')).toMatchObject({ code: null, signal: 'SIGKILL' });
    });

    test('reads what it is given, and ends if it is given nothing', async () => {
      const box = await openBox(await open());
      const long = 'a line of some length\n'.repeat(20_000);
      expect((await box.run('wc -c', { stdin: long })).stdout.trim()).toBe(String(long.length));
      expect((await box.run('cat')).stdout).toBe('');
      expect((await box.run('exit 0', { stdin: long })).code).toBe(0);
    });

    test('that writes too much is ended', async () => {
      const box = await openBox(await open());
      await expect(box.run('yes', { maxBytes: 10_000 })).rejects.toMatchObject({ code: 'value_too_large' });
      expect((await box.run('echo again')).stdout).toBe('again\n');
    });

    test('ends when its time is over, or its run is cancelled', async () => {
      const box = await openBox(await open());
      const mark = join(openFolder(), 'mark');
      const command = `trap 'echo ended > ${mark}; exit 1' TERM; touch ${mark}-begun; sleep 100 & wait`;
      await outOfTime(box, command, `${mark}-begun`);
      await expect.poll(() => existsSync(mark)).toBe(true);
      const stop = new AbortController();
      const other = `${mark}-2`;
      const running = box.run(command.replaceAll(mark, other), { signal: stop.signal });
      const cancelled = expect(running).rejects.toThrow('cancelled');
      await expect.poll(() => existsSync(`${other}-begun`)).toBe(true);
      stop.abort(new Error('cancelled'));
      await cancelled;
      await expect.poll(() => existsSync(other)).toBe(true);
      expect((await box.run('echo again')).stdout).toBe('again\n');
    });

    test('that does not end by itself is killed', async () => {
      const box = await openBox(await open());
      const mark = join(openFolder(), 'mark');
      // The shell lives on after TERM, and counts.
      const command = `trap '' TERM; while true; do echo tick >> ${mark}; sleep 0.1; done`;
      await outOfTime(box, command, mark);
      await expect
        .poll(() => box.connections.counts().map(({ open: all, idle }) => [all, idle]))
        .toEqual([[1, 1]]);
      const lines = async (): Promise<string> => (await box.run(`cat ${mark} | wc -l`)).stdout;
      const before = await lines();
      await box.run('sleep 0.5');
      expect(await lines()).toBe(before);
    });
  });
}
