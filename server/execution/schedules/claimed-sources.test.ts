import { expect, test, vi } from 'vitest';
import { createHandHost } from '../runs/testing/hand-host.ts';
import { openClaimedSources } from './claimed-sources.ts';

function bed() {
  const host = createHandHost();
  const answers: ((isTaken: boolean | Promise<boolean>) => void)[] = [];
  const warned: string[] = [];
  const log = { info: () => {}, warn: (...said: unknown[]) => void warned.push(String(said.at(-1))) };
  const deps = {
    beginSchedules: vi.fn(),
    beginSources: vi.fn(),
    endSources: vi.fn(async () => {}),
    host,
    log,
    elapsed: host.now,
    mayStart: true,
    node: {
      take: () => new Promise<boolean>((resolve) => answers.push(resolve)),
      letGo: vi.fn(async () => {}),
    },
  };
  async function answer(isTaken: boolean | Promise<boolean>): Promise<void> {
    answers.shift()?.(isTaken);
    for (let i = 0; i < 10; i++) await Promise.resolve();
  }
  return { host, deps, warned, answer, asked: () => answers.length };
}

test('the server with the claim listens to sources, and another one does not', async () => {
  const { host, deps, answer } = bed();
  openClaimedSources(deps);
  await answer(false);
  expect(deps.beginSources).not.toHaveBeenCalled();
  host.advance(3000);
  await answer(true);
  host.advance(3000);
  await answer(true);
  expect(deps.beginSources).toHaveBeenCalledTimes(1);
  host.advance(3000);
  await answer(false);
  expect(deps.endSources).toHaveBeenCalledTimes(1);
});

test('CS1: while the database does not answer, sources end before the claim does', async () => {
  const { host, deps, answer } = bed();
  openClaimedSources(deps);
  await answer(true);
  host.advance(3000);
  host.advance(4999);
  expect(deps.endSources).not.toHaveBeenCalled();
  host.advance(1);
  expect(deps.endSources).toHaveBeenCalledTimes(1);
  // An answer after fifteen seconds describes the past.
  host.advance(7000);
  await answer(true);
  expect(deps.beginSources).toHaveBeenCalledTimes(1);
  host.advance(3000);
  await answer(true);
  expect(deps.beginSources).toHaveBeenCalledTimes(2);
});

test('one query that fails ends nothing; once the claim is over without an answer, sources end', async () => {
  const { host, deps, answer } = bed();
  const fails = () => answer(Promise.reject(new Error('no database')));
  openClaimedSources(deps);
  await answer(true);
  host.advance(3000);
  await fails();
  host.advance(3000);
  await answer(true);
  // The claim of the sixth second lasts until the fourteenth.
  for (let failed = 0; failed < 2; failed++) {
    host.advance(3000);
    await fails();
  }
  host.advance(1999);
  expect(deps.endSources).not.toHaveBeenCalled();
  host.advance(1);
  expect(deps.endSources).toHaveBeenCalledTimes(1);
  host.advance(1000);
  await answer(true);
  expect(deps.beginSources).toHaveBeenCalledTimes(2);
});

test('sources that cannot be started or ended are reported and tried again', async () => {
  const { host, deps, warned, answer, asked } = bed();
  deps.beginSources.mockImplementationOnce(() => {
    throw new Error('no');
  });
  deps.endSources.mockRejectedValueOnce(new Error('no'));
  openClaimedSources(deps);
  await answer(true);
  host.advance(3000);
  await answer(false);
  expect(warned).toContain('the sources of flows could not be started');
  expect(warned).toContain('a source could not be ended');
  host.advance(3000);
  expect(asked()).toBe(1);
});
