import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { scopeOf } from './changes.ts';
import { withHistory } from './flaky.ts';
import { cacheFolder, root } from './folders.ts';
import { presentServices, programs, services } from './services.ts';
import { type Change, fullSteps, serversSteps, servicesSteps, slowSteps, testSteps } from './stages.ts';
import { notRun } from './time-limit.ts';
import { failedTests, reporters, runLanes, runStage, type Stage } from './stage.ts';

// The time of the run that this file belongs to is not that of the stages in it.
beforeEach(() => void vi.stubEnv('TEST_UNTIL', ''));
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
          {
            ancestorTitles: ['group'],
            title: "isn't (x)",
            status: 'failed',
            failureMessages: ['Error: no\n  at x'],
          },
          {
            ancestorTitles: [],
            title: 'always',
            status: 'failed',
            failureMessages: ['Error: Property failed after 3 tests\n{ seed: 7 }\nmore'],
          },
          { ancestorTitles: [], title: 'good', status: 'passed' },
        ],
      },
      { name: `${root}tests/b.test.ts`, status: 'failed', assertionResults: [] },
      { name: `${root}tests/c.test.ts`, status: 'passed', assertionResults: [] },
    ],
  });
  expect(failures).toMatchObject([
    {
      title: "tests/a.test.ts: group isn't (x)",
      command: String.raw`npx vitest run tests/a.test.ts -t 'group > isn'\''t \(x\)'`,
      message: 'Error: no',
    },
    { title: 'tests/a.test.ts: always', message: 'Error: Property failed after 3 tests { seed: 7 }' },
    { title: 'tests/b.test.ts (outside its tests)', command: 'npx vitest run tests/b.test.ts' },
  ]);
});

test.each(['', 'instead'])('every test file belongs to a stage (TEST_PACKAGE=%s)', (inPackage) => {
  vi.stubEnv('TEST_PACKAGE', inPackage);
  const named = [...services.map(({ name }) => name), ...programs];
  const slow = [serversSteps(), fullSteps, servicesSteps(named)].flat(3);
  const stages = [...testSteps().flat(2), ...slow];
  const filesOf = ({ env }: Stage): string[] =>
    globSync(env?.['TEST_INCLUDE'] ?? [], { cwd: root, exclude: [env?.['TEST_EXCLUDE'] ?? 'none'] });
  // `.ci/run` runs the slow ones beside each other.
  for (const isFirst of [true, false]) {
    const together = slowSteps(named, isFirst).flat(2);
    expect(new Set(together.map(({ name }) => name))).toEqual(new Set(slow.map(({ name }) => name)));
  }
  const included = new Set(stages.flatMap(filesOf));
  const all = globSync('{shared,engine,server,editor,tests}/**/*.test.ts', { cwd: root });
  expect(all.length).toBeGreaterThan(600);
  expect(all.filter((file) => !included.has(file))).toEqual([]);
  const full = all.filter((file) => file.endsWith('.full.test.ts'));
  expect(full.length).toBeGreaterThan(0);
  const quick = new Set(testSteps().flat(2).flatMap(filesOf));
  expect(full.filter((file) => quick.has(file))).toEqual([]);
});

test('a stage counts its exit code, and a runner that ends without a report has failed', async () => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  const stage = (script: string, report?: string) =>
    runStage({ name: 'x', command: [process.execPath, '-e', script], ...(report && { report }) });
  expect((await stage('')).count).toEqual({ passed: 1, failed: 0 });
  expect((await stage('process.exit(3)')).count).toEqual({ passed: 0, failed: 1 });
  const killed = await stage('process.exit(3)', `${root}.cache/no-such-report.json`);
  expect(killed.count).toEqual({ passed: 0, failed: 1 });
  expect(killed.failures).toMatchObject([
    { command: expect.stringContaining('process.exit(3)'), message: 'It ended with exit code 3.' },
  ]);
  const [told] = (await stage("console.error('before\\nwhy\\n'); process.exit(3)")).failures;
  expect(told?.message).toBe('It ended with exit code 3. Its last line: why');
  const [failure] = (await stage("process.kill(process.pid, 'SIGKILL')")).failures;
  expect(failure?.message).toBe('It ended with exit code 137.');
});

test('lanes run beside each other, each in its order; what a later one prints comes once those before it have ended', async () => {
  const said: string[] = [];
  const note = (text: unknown): boolean => said.push(String(text).trim()) > 0;
  vi.spyOn(console, 'log').mockImplementation(note);
  vi.spyOn(process.stdout, 'write').mockImplementation(note);
  const meeting = `${cacheFolder}/runner-meeting`;
  mkdirSync(cacheFolder, { recursive: true });
  rmSync(meeting, { force: true });
  const stage = (name: string, script: string) => ({ name, command: [process.execPath, '-e', script] });
  const fs = `const fs = require('node:fs'); const file = ${JSON.stringify(meeting)};`;
  // Each of the two needs the other.
  const waits = stage(
    'a',
    `${fs} const look = setInterval(() => { if (fs.existsSync(file)) clearInterval(look); }, 20)`,
  );
  const comes = stage('b', `${fs} fs.writeFileSync(file, ''); console.log('held')`);
  const results = await runLanes([
    [waits, stage('a2', '')],
    [comes, stage('b2', 'process.exit(2)')],
  ]);
  expect(results.map(({ name, count }) => [name, count.failed])).toEqual([
    ['a', 0],
    ['a2', 0],
    ['b', 0],
    ['b2', 1],
  ]);
  const lines = said
    .join('\n')
    .split('\n')
    .filter((line) => line !== '');
  expect(lines.map((line) => line.replace(/ in .*/, ''))).toEqual([
    ...['== a', '== a: ok', '== a2', '== a2: ok'],
    ...['== b', 'held', '== b: ok', '== b2', '== b2: FAILED'],
  ]);
});

test('no file begins after the time is over, each that has not is told, and none of them has passed or failed', async () => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  mkdirSync(cacheFolder, { recursive: true });
  const [report, noted] = [`${cacheFolder}/runner-until.json`, `${cacheFolder}/runner-not-run.txt`];
  const runUntil = (seconds: number) => {
    rmSync(noted, { force: true });
    const env = { TEST_INCLUDE: 'shared/absent.test.ts', TEST_UNTIL: String(seconds), TEST_NOT_RUN: noted };
    return runStage({ name: 'x', command: ['vitest', 'run', ...reporters(report)], report, env });
  };
  const now = Date.now() / 1000;
  const late = await runUntil(now - 1);
  expect(late).toMatchObject({ count: { passed: 0, failed: 0 }, failures: [], flaky: [] });
  expect(readFileSync(noted, 'utf8')).toBe('shared/absent.test.ts\n');
  const early = await runUntil(now + 600);
  expect(early.count).toEqual({ passed: expect.toSatisfy((passed) => passed > 0), failed: 0 });
  expect(existsSync(noted)).toBe(false);
});

test('no stage begins after the time is over, and each that has not is told', async () => {
  mkdirSync(cacheFolder, { recursive: true });
  const file = `${cacheFolder}/runner-stages-not-run.txt`;
  rmSync(file, { force: true });
  vi.stubEnv('TEST_NOT_RUN', file);
  vi.stubEnv('TEST_UNTIL', String(Date.now() / 1000 - 1));
  const stage = (name: string) => ({ name, command: [process.execPath, '-e', 'process.exit(1)'] });
  expect(await runLanes([[stage('a'), stage('b')]])).toEqual([]);
  expect(notRun()).toEqual(['the whole stage: a', 'the whole stage: b']);
});

test('a few failed tests are run again alone: who passes then is flaky, who is not found has failed', async () => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  mkdirSync(cacheFolder, { recursive: true });
  const report = `${cacheFolder}/runner-test.json`;
  const stage = async (names: readonly string[]) => {
    const assertionResults = names.map((title) => ({
      ...{ ancestorTitles: ['services'], title, status: 'failed' },
    }));
    const told = {
      numPassedTests: 5,
      testResults: [{ name: import.meta.filename, status: 'failed', assertionResults }],
    };
    const script = `require('node:fs').writeFileSync(${JSON.stringify(report)}, ${JSON.stringify(JSON.stringify(told))}); process.exit(1)`;
    return await runStage({
      name: 'x',
      command: [process.execPath, '-e', script],
      report,
      env: { TEST_INCLUDE: 'tests/runner/*.test.ts' },
    });
  };
  const good = 'an absent service is told and left out, unless all are wanted';
  const once = await stage([good, 'no such test']);
  expect(once.count).toEqual({ passed: 6, failed: 1 });
  expect(once.flaky.map(({ title }) => title)).toEqual([
    `tests/runner/runner.full.test.ts: services ${good}`,
  ]);
  expect(once.failures.map(({ title }) => title)).toEqual([
    'tests/runner/runner.full.test.ts: services no such test',
  ]);
  const many = Array.from({ length: 6 }, () => good);
  expect((await stage(many)).count).toEqual({ passed: 5, failed: 6 });
});

test('a test that was flaky twice in ten runs has failed, until it is mended or ten runs were good', () => {
  const file = `${cacheFolder}/runner-history.json`;
  rmSync(file, { force: true });
  const title = 'tests/a.test.ts: b';
  const run = (flaky: boolean, mends = {}) => {
    const found = flaky ? [{ title, command: 'npx vitest run tests/a.test.ts -t b' }] : [];
    const [judged] = withHistory(
      [{ name: 'x', seconds: 1, count: { passed: 5, failed: 0 }, failures: [], flaky: found }],
      file,
      mends,
    );
    return judged?.count.failed;
  };
  expect(run(true)).toBe(0);
  expect(run(false)).toBe(0);
  expect(run(true)).toBe(1);
  // It is not forgotten because it passes now.
  expect(run(false)).toBe(1);
  expect(run(false, { [title]: new Date().toISOString() })).toBe(0);
  expect(run(false, { [title]: '2000-01-01T00:00:00.000Z' })).toBe(1);
  for (let good = 0; good < 4; good++) run(false);
  expect(run(false)).toBe(0);
  run(false);
  expect(run(true)).toBe(0);
  // A history that was cut off begins anew.
  writeFileSync(file, '{"x": [');
  expect(run(true)).toBe(0);
  rmSync(file);
});

test('each entry of mended.json names a test file that is there, and a time that has been', () => {
  const mends = JSON.parse(readFileSync(`${root}tests/runner/mended.json`, 'utf8')) as Record<string, string>;
  for (const [title, at] of Object.entries(mends)) {
    expect(existsSync(`${root}${title.slice(0, title.indexOf(': '))}`), title).toBe(true);
    expect(Date.parse(at), title).toBeLessThan(Date.now());
  }
});

test('an error that belongs to no test is a failure with its message, though every test passed', async () => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  mkdirSync(cacheFolder, { recursive: true });
  const file = '.cache/runner-outside.test.ts';
  writeFileSync(
    `${root}${file}`,
    `import { test } from 'vitest';
     test('good', async () => {
       setTimeout(() => { throw new Error('nobody waits'); }, 1);
       await new Promise((resolve) => setTimeout(resolve, 100));
     });`,
  );
  const report = `${cacheFolder}/runner-outside.json`;
  const command = ['vitest', 'run', ...reporters(report)];
  const { count, failures } = await runStage({
    name: 'x',
    command,
    report,
    env: { TEST_INCLUDE: file },
  });
  rmSync(`${root}${file}`);
  expect(count).toEqual({ passed: 1, failed: 1 });
  expect(failures).toMatchObject([
    {
      title: `${file} (an error during: good)`,
      message: 'nobody waits',
      command: `npx vitest run ${file}`,
    },
  ]);
});

test('a change of the server can touch every end-to-end test, one of the editor those in the browser, other ones neither', () => {
  expect(scopeOf(['server/app.ts'])).toMatchObject({ product: true });
  expect(scopeOf(['flows/examples/a.json', 'package.json'])).toMatchObject({ product: true });
  expect(scopeOf(['editor/App.tsx'])).toEqual({ product: false, browser: true, servers: false });
  expect(
    scopeOf(['server/app.test.ts', 'docs/a.md', 'README.md', 'bench/run.ts', 'tests/x.test.ts']),
  ).toEqual({
    product: false,
    browser: false,
    servers: false,
  });
});

test('a change of the editor runs all of its tests in a browser, though `npm test` has the main jobs alone', () => {
  const filesOf = (change?: Change): string[] =>
    testSteps(change)
      .flat(2)
      .flatMap(({ env }) => globSync(env?.['TEST_INCLUDE'] ?? [], { cwd: root }));
  const [main, more] = ['editor', 'full/editor'].map((folder) =>
    globSync(`tests/${folder}/*.test.ts`, { cwd: root }),
  );
  expect(main?.length).toBeGreaterThanOrEqual(4);
  expect(more?.length).toBeGreaterThan(10);
  expect(filesOf()).toEqual(expect.arrayContaining(main ?? []));
  expect(filesOf().filter((file) => more?.includes(file))).toEqual([]);
  for (const product of [true, false])
    expect(filesOf({ since: 'HEAD', scope: { product, browser: true, servers: false } })).toEqual(
      expect.arrayContaining([...(main ?? []), ...(more ?? [])]),
    );
});

test('the tests of several servers run when a part of the server changed that matters to others', () => {
  const run = (path: string): boolean => scopeOf([path]).servers;
  for (const part of [
    'peers',
    'durable',
    'storage',
    'processes',
    'starts',
    'files',
    'config',
    'cli',
    'flows',
  ])
    expect([part, run(`server/${part}/x.ts`)]).toEqual([part, true]);
  for (const path of [
    'server/start/open-storage.ts',
    'server/launch.js',
    'engine/run/run.ts',
    'package-lock.json',
  ])
    expect([path, run(path)]).toEqual([path, true]);
  for (const path of [
    'server/integrations/sandbox/host.ts',
    'server/admin/editor-build/editor-icons.ts',
    'engine/operators/json/parse.ts',
  ])
    expect([path, run(path)]).toEqual([path, false]);
});

test('`npm test` leaves the tests of several servers to their own stage; with `--changed` each change asks for them', () => {
  const names = (...args: Parameters<typeof testSteps>) =>
    testSteps(...args)
      .flat(2)
      .map(({ name }) => name);
  const several = 'tests of several servers';
  expect(names()).not.toContain(several);
  expect(
    serversSteps()
      .flat(2)
      .map(({ name }) => name),
  ).toContain(several);
  const commands = (paths: readonly string[]) =>
    testSteps({ since: 'HEAD', scope: scopeOf(paths) })
      .flat(2)
      .filter(({ name }) => name === several)
      .map(({ command }) => command.includes('--changed=HEAD'));
  expect(commands(['server/access/peers/servers.ts'])).toEqual([false]);
  for (const path of [
    'server/integrations/sandbox/host.ts',
    'editor/App.tsx',
    'tests/servers/cluster.test.ts',
  ])
    expect(commands([path])).toEqual([true]);
});

describe('services', () => {
  test('an absent service is told and left out, unless all are wanted', async () => {
    const server = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    // Port 1 of loopback: nothing listens there.
    for (const { variable } of services) vi.stubEnv(variable, 'x://127.0.0.1:1');
    // No program is there, npm neither, so none is started or installed.
    vi.stubEnv('PATH', '');
    vi.stubEnv('TEST_NATS', `nats://127.0.0.1:${port}`);
    const told = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    const present = await presentServices();
    expect(present.filter((name) => !programs.includes(name))).toEqual(['nats']);
    expect(told.mock.calls.flat()).toContain('not run: postgres');
    expect(told.mock.calls.flat()).not.toContain('not run: nats');
    vi.stubEnv('TEST_SERVICES', 'all');
    expect(await presentServices()).toEqual([...services.map(({ name }) => name), ...programs]);
    server.close();
  });
});
