import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { scopeOf } from './changes.ts';
import { presentServices, services } from './services.ts';
import { failedTests, root, runStage } from './stage.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test('a failed test is listed with the command that runs it alone, a file that does not load too', () => {
  const failures = failedTests({
    numPassedTests: 1,
    testResults: [
      {
        name: `${root}tests/a.test.ts`,
        status: 'failed',
        assertionResults: [
          { fullName: "group isn't (x)", status: 'failed' },
          { fullName: 'good', status: 'passed' },
        ],
      },
      { name: `${root}tests/b.test.ts`, status: 'failed', assertionResults: [] },
      { name: `${root}tests/c.test.ts`, status: 'passed', assertionResults: [] },
    ],
  });
  expect(failures).toEqual([
    {
      title: "tests/a.test.ts: group isn't (x)",
      command: String.raw`npx vitest run tests/a.test.ts -t 'group isn'\''t \(x\)'`,
    },
    { title: 'tests/b.test.ts (outside its tests)', command: 'npx vitest run tests/b.test.ts' },
  ]);
});

test('a stage counts its exit code, and a runner that ends without a report has failed', async () => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  const stage = (script: string, report?: string) =>
    runStage({ name: 'x', command: [process.execPath, '-e', script], ...(report && { report }) });
  expect((await stage('')).count).toEqual({ passed: 1, failed: 0 });
  expect((await stage('process.exit(3)')).count).toEqual({ passed: 0, failed: 1 });
  const killed = await stage('process.exit(3)', `${root}.cache/no-such-report.json`);
  expect(killed.count).toEqual({ passed: 0, failed: 1 });
  expect(killed.failures[0]?.command).toContain('process.exit(3)');
});

test('a change of the server can touch every end-to-end test, one of the editor those in the browser, other ones neither', () => {
  expect(scopeOf(['server/app.ts'])).toMatchObject({ product: true });
  expect(scopeOf(['flows/examples/a.json', 'package.json'])).toMatchObject({ product: true });
  expect(scopeOf(['editor/App.tsx'])).toEqual({ product: false, browser: true });
  expect(
    scopeOf(['server/app.test.ts', 'docs/a.md', 'README.md', 'bench/run.ts', 'tests/x.test.ts']),
  ).toEqual({
    product: false,
    browser: false,
  });
});

test('an absent service is told and left out, unless all are wanted', async () => {
  const server = createServer((socket) => socket.end());
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  // Port 1 of loopback: nothing listens there.
  for (const { variable } of services) vi.stubEnv(variable, 'x://127.0.0.1:1');
  vi.stubEnv('WEFT_TEST_NATS', `nats://127.0.0.1:${port}`);
  const told = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  expect(await presentServices()).toEqual(['nats']);
  expect(told.mock.calls.flat()).toContain('not run: postgres');
  expect(told.mock.calls.flat()).not.toContain('not run: nats');
  vi.stubEnv('WEFT_TEST_SERVICES', 'all');
  expect(await presentServices()).toEqual(services.map(({ name }) => name));
  server.close();
});
