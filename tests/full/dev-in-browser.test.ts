import type { Browser } from '@playwright/test';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type DevServer, startDev } from '../../server/admin/cli/testing/dev-server.ts';
import { greeting, type TempProject, tempProject } from '../../server/admin/cli/testing/temp-project.ts';
import { launchChromium } from '../support/chromium.ts';

/** A page of another site, open in the browser of somebody who runs `weft dev`. */
let browser: Browser;
let project: TempProject;
let dev: DevServer;

beforeAll(async () => {
  project = tempProject({ 'pay.json': greeting('pay', { auth: 'api-key', methods: ['GET', 'POST'] }) });
  dev = await startDev(project, ['pay.json', '--json']);
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await dev?.stop();
  project?.remove();
});

/** The address of a page on another port of this machine: to the browser the same site, and another origin. */
async function pageElsewhere(): Promise<string> {
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Elsewhere</title>'),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** All that a page can have sent without being allowed to: it reads no answer, but the flow would run. */
async function attack(address: string): Promise<void> {
  const blind = { mode: 'no-cors' } as const;
  const body = (type?: string): Blob => new Blob(['{"name":"Mallory"}'], type === undefined ? {} : { type });
  await fetch(`${address}?name=Mallory`, blind).catch(() => {});
  await fetch(address, { ...blind, method: 'POST', body: body() }).catch(() => {});
  await fetch(address, { ...blind, method: 'POST', body: body('text/plain') }).catch(() => {});
  const image = new Image();
  await new Promise((resolve) => {
    image.onerror = image.onload = resolve;
    image.src = `${address}?name=Mallory&image=1`;
  });
}

test('a page of another site runs no flow of `weft dev`; a program and the page of the trigger itself do', async () => {
  const address = `${dev.url}/api/v1/awel/trigger/pay`;
  for (const site of [await pageElsewhere(), (await pageElsewhere()).replace('127.0.0.1', 'localhost')]) {
    const page = await browser.newPage();
    await page.goto(site);
    await page.evaluate(attack, address);
    await page.close();
  }
  const events = (): { event: string; status?: number; run?: string }[] =>
    dev.io.stdout.text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { event: string; status?: number; run?: string });
  const asked = events().filter(({ event }) => event === 'request');
  expect(asked.length).toBeGreaterThanOrEqual(8);
  expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([403]));
  expect(asked.filter(({ run }) => run !== undefined)).toEqual([]);
  expect((await dev.call('/pay?name=Ada')).status).toBe(200);
  const own = await browser.newPage();
  const answer = await own.goto(`${address}?name=Ada`);
  expect(answer?.status()).toBe(200);
  expect(await own.evaluate((to) => fetch(to).then(({ status }) => status), `${address}?name=Ada`)).toBe(200);
});
