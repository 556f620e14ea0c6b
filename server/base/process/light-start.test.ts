import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const file = new URL('./light-start.js', import.meta.url).href;

/** Whether a process that first works for this many milliseconds frees the garbage of its start. */
async function tidiesAfter(workedMs: number): Promise<boolean> {
  const script = `
    import { letRun } from ${JSON.stringify(file)};
    const tidied = letRun();
    const { user, system } = process.cpuUsage();
    const worked = () => { const now = process.cpuUsage(); return now.user + now.system - user - system; };
    while (worked() < ${workedMs} * 1000);
    const open = setInterval(() => {}, 1000);
    console.log(await tidied);
    clearInterval(open);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  return stdout.trim() === 'true';
}

test('the garbage of the start is given back when nothing was done yet', async () => {
  expect(await tidiesAfter(0)).toBe(true);
});

test('a process that has worked keeps what it has compiled', async () => {
  expect(await tidiesAfter(600)).toBe(false);
});
