import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { auditOf } from '../../editor/support/audit.ts';
import { useStage } from '../../editor/support/stage.ts';
import { expect } from '../../support/expect.ts';
import { tempFolder } from '../../support/server.ts';

const stage = useStage();

const description = `
openapi: 3.0.0
info: { title: Birds, version: "1", description: Birds that were seen. }
servers: [{ url: "https://birds.example.com" }]
paths:
  /birds:
    get: { operationId: listBirds, summary: List birds, responses: { "200": { description: All. } } }
    post: { operationId: addBird, summary: Add a bird, deprecated: true, responses: { "204": { description: Done. } } }
`;

describe('The screen of services', () => {
  test('Is a service found by what somebody wants to do, and is its connection filled in?', async () => {
    const page = await stage.visit('/services');
    await expect(page.getByRole('heading', { name: /^Services/ })).toBeVisible();
    const telegram = page.getByRole('article', { name: 'Telegram' });
    await expect(telegram).toContainText('Comes with Weft');
    await page.getByRole('searchbox', { name: /What do you want to do/ }).fill('telegram send message');
    await expect(page.getByRole('article')).toHaveCount(1);
    await telegram.getByText(/operator/).click();
    await expect(telegram.getByRole('listitem').first()).toBeVisible();
    await telegram.getByRole('button', { name: 'Connect' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('@BotFather');
    await expect(dialog.getByLabel(/^Name/)).toHaveValue('telegram');
    await expect(dialog.getByLabel(/^address/i)).toHaveValue('https://api.telegram.org');
    await page.keyboard.press('Escape');
    await page.getByRole('searchbox', { name: /What do you want to do/ }).fill('fly to the moon');
    await expect(page.getByRole('status').filter({ hasText: 'No service does that' })).toBeVisible();
  });

  test('Does a description become operators, and do they go again?', async () => {
    const file = join(tempFolder('description'), 'birds.yaml');
    writeFileSync(file, description);
    const page = await stage.visit('/services');
    await page.getByRole('button', { name: 'Add a service' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('input[type=file]').setInputFiles(file);
    await expect(dialog.getByRole('list', { name: 'Calls' }).getByRole('listitem')).toHaveCount(2);
    await expect(dialog).toContainText('deprecated');
    await dialog.getByRole('checkbox', { name: 'List birds' }).check();
    await dialog.getByRole('button', { name: 'Add 1 operator' }).click();
    const card = page.getByRole('article', { name: 'Birds' });
    await expect(card).toContainText('Birds that were seen.');
    const audit = auditOf(page);
    await audit.look('services');
    expect(audit.found).toEqual([]);
    await card.getByRole('button', { name: 'Remove Birds' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await expect(card).toHaveCount(0);
  });
});
