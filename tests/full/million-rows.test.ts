import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { discard, root, startServer, tempFolder, type TestServer } from '../support/server.ts';

/** The shipped example that sums up a million rows, with the file that its documented command makes. */

const MB = 1024 ** 2;
/** What a million rows may take beyond ten thousand; as objects in memory they would be over 100 MB. */
const MORE_MB = 80;

/** The most memory that the server has had, in bytes. */
function peakOf({ process: { pid } }: TestServer): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

/** The documented command, for so many rows. */
function makeFile(folder: string, rows: number): string {
  const page = readFileSync(join(root, 'flows/examples/README.md'), 'utf8');
  const command = /^awk .*> million\.csv$/m.exec(page)?.[0] ?? '';
  expect(command).toContain('i < 1000000;');
  const name = `${rows}.csv`;
  const line = command.replace('1000000', String(rows)).replace('million.csv', name);
  expect(spawnSync('sh', ['-c', line], { cwd: folder }).status).toBe(0);
  return join(folder, name);
}

test('A million rows are summed up in the memory that ten thousand need.', async () => {
  const flows = tempFolder('flows');
  copyFileSync(join(root, 'flows/examples/sales_report.json'), join(flows, 'sales_report.json'));
  const server = await startServer({ flows });
  onTestFinished(() => discard(server));
  const files = tempFolder('tables');
  const send = async (rows: number) => {
    const answer = await fetch(`${server.url}/api/v1/awel/trigger/examples/sales`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: readFileSync(makeFile(files, rows)),
    });
    expect(answer.status).toBe(200);
    return (await answer.json()) as { key: string; sales: number; quantity: number; revenue: number }[];
  };
  for (let i = 0; i < 3; i++) await send(10_000);
  const before = peakOf(server);
  const report = await send(1_000_000);
  const more = (peakOf(server) - before) / MB;
  expect(report.map(({ key }) => key).sort()).toEqual(['Chair', 'Lamp', 'Rug', 'Shelf', 'Table']);
  expect(report.map(({ revenue }) => revenue)).toEqual(
    report.map(({ revenue }) => revenue).sort((a, b) => b - a),
  );
  // Of seven rows in turn, the first two have a quantity below one.
  expect(report.reduce((all, { sales }) => all + sales, 0)).toBe(
    expected((quantity) => (quantity > 0 ? 1 : 0)),
  );
  expect(report.reduce((all, { quantity }) => all + quantity, 0)).toBe(
    expected((quantity) => Math.max(0, quantity)),
  );
  expect(more).toBeLessThan(MORE_MB);
});

function expected(of: (quantity: number) => number): number {
  let sum = 0;
  for (let i = 0; i < 1_000_000; i++) sum += of((i % 7) - 1);
  return sum;
}
