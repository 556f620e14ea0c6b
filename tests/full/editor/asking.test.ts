import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'vitest';
import { sendChunks, startOpenAi } from '../../../server/integrations/models/testing/openai-server.ts';
import { expect } from '../../support/expect.ts';
import { tempFolder } from '../../support/server.ts';
import { auditOf } from '../../editor/support/audit.ts';
import { answers, chooseWith, say } from '../../editor/support/chat-page.ts';
import { useOwnStage } from '../../editor/support/stage.ts';

/** What an answer rests on, drawn in our own chat. */
const shop = tempFolder('shop');
const stage = useOwnStage({ env: { WEFT_OUTBOUND_ALLOW: '127.0.0.1', WEFT_FOLDERS: `shop=${shop}` } });

const flow = (id: string, operator: string, params: object) => ({
  flow: {
    format: 1,
    id,
    name: id,
    nodes: { chat: { operator: 'trigger.chat' }, answer: { operator, params } },
    edges: [{ from: 'chat.out', to: 'answer.in' }],
  },
});

describe('Chat', () => {
  test('Are sources and rows drawn, with links that open the passage?', async () => {
    const proposal = {
      thoughts: 'Two customers.',
      sql: 'SELECT name, city, id * 10 AS sold FROM customers ORDER BY id',
      display_type: 'response_bar_chart',
    };
    const provider = await startOpenAi((response) =>
      sendChunks(response, [{ content: JSON.stringify(proposal) }], 'stop'),
    );
    const db = new DatabaseSync(join(shop, 'shop.db'));
    db.exec(
      "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT); INSERT INTO customers VALUES (1, 'Ada', 'London'), (2, 'Émilie', 'Paris')",
    );
    db.close();
    const { owner } = stage;
    await owner.data('PUT', '/providers/stand', {
      type: 'openai-compatible',
      baseUrl: provider.url,
      models: [{ name: 'm' }],
    });
    const settings = { folder: 'shop', file: 'shop.db', readOnly: true };
    await owner.data('PUT', '/connections/shop', {
      kind: 'sqlite',
      settings,
      grants: { operators: ['sql.ask'] },
    });
    const { id } = await owner.data<{ id: string }>('POST', '/knowledge/spaces', { name: 'tea' });
    const text =
      '# Green tea\n\nGreen tea steeps for two minutes.\n\n# Black tea\n\nBlack tea steeps for four minutes in [hot water](water.md).';
    await owner.data('POST', `/knowledge/spaces/${id}/documents`, { name: 'tea.md', text });
    await owner.data(
      'POST',
      '/flows',
      flow('ask_tea', 'knowledge.answer', { spaces: ['tea'], answer: 'quotes' }),
    );
    await owner.data('POST', '/flows', flow('ask_shop', 'sql.ask', { connection: 'shop', model: 'stand/m' }));

    const page = await stage.visit('/chat');
    const { look, found } = auditOf(page);
    await chooseWith(page, 'ask_tea');
    await say(page, 'How long does green tea steep?');
    const sources = answers(page).first().getByRole('region', { name: 'Sources' });
    await expect(sources.locator('q').first()).toHaveText('Green tea steeps for two minutes.');
    await expect(answers(page).first()).not.toContainText('<references');
    // The neighbour of a quoted page is not here.
    await expect(answers(page).first().getByText('hot water', { exact: true })).toBeVisible();
    await expect(answers(page).first().getByRole('link', { name: 'hot water' })).toHaveCount(0);
    const mark = answers(page).first().getByRole('link', { name: '[1]' });
    await mark.hover();
    await expect(page.getByText('tea.md: “Green tea steeps for two minutes.”')).toBeVisible();
    for (const link of [mark, sources.getByRole('link', { name: 'tea.md' }).first()]) {
      const opening = page.waitForEvent('popup');
      await link.click();
      const opened = await opening;
      await expect(opened.getByRole('heading', { name: 'tea.md' })).toBeVisible();
      await expect(opened.locator('[aria-current=location] mark')).toHaveText(
        'Green tea steeps for two minutes.',
      );
      await opened.close();
    }
    // A conversation that is read again has them too.
    await page.reload();
    await expect(sources.getByRole('link', { name: 'tea.md' }).first()).toBeVisible();
    await expect(sources.locator('q').first()).toHaveText('Green tea steeps for two minutes.');

    await page.getByRole('button', { name: 'New chat' }).click();
    await chooseWith(page, 'ask_shop');
    await say(page, 'Who are the customers?');
    const chart = answers(page).last().getByRole('img', { name: 'Bar chart of sold by name, city' });
    await expect(chart).toHaveAccessibleDescription(
      /sold: highest 20 \(Émilie, Paris\), lowest 10 \(Ada, London\)\./,
    );
    await expect(chart.locator('rect')).toHaveCount(2);
    const [low, high] = await chart
      .locator('rect')
      .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().height));
    expect(Number(high) / Number(low)).toBeCloseTo(2, 1);
    await look('a chart');
    await answers(page).last().getByRole('button', { name: 'Table' }).click();
    const table = answers(page).last().getByRole('region', { name: 'Table' });
    await expect(table.getByRole('row')).toHaveText(['namecitysold', 'AdaLondon10', 'ÉmilieParis20']);
    await look('its table');
    expect(found).toEqual([]);
    await answers(page).last().getByText('Statement').click();
    await expect(answers(page).last().getByText(proposal.sql)).toBeVisible();
    await expect(answers(page).last()).not.toContainText('chart-view');
  });
});
