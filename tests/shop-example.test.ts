import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, type Owner, signIn } from './support/client.ts';
import {
  sendChunks,
  listenOpenAi,
  type OpenAiServer,
} from '../server/integrations/models/testing/openai-server.ts';
import { eventually } from './support/eventually.ts';
import { discard, root, startServer, tempFolder, type TestServer } from './support/server.ts';

/** The shipped examples with a database: the same orders and questions in give the same answers out, kept in `golden/`. */
let server: TestServer;
let owner: Owner;
let provider: OpenAiServer & { close(): void };
/** What a model answers to the question of the example. */
const proposal = {
  thoughts: 'This is what each product has earned.',
  sql: 'SELECT product, sum(quantity * price) AS revenue FROM sales GROUP BY product ORDER BY revenue DESC, product',
  display_type: 'response_pie_chart',
};

beforeAll(async () => {
  const flows = tempFolder('flows');
  for (const id of ['shop_orders', 'import_table', 'ask_shop_example', 'purchase_example', 'sales_report'])
    copyFileSync(join(root, `flows/examples/${id}.json`), join(flows, `${id}.json`));
  provider = await listenOpenAi((response) =>
    sendChunks(response, [{ content: JSON.stringify(proposal) }], 'stop'),
  );
  const real = { type: 'openai-compatible', baseUrl: provider.url, models: [{ name: 'm' }] };
  server = await startServer({
    flows,
    env: {
      WEFT_FOLDERS: `examples=${tempFolder('examples')}`,
      WEFT_API_KEYS: KEY,
      WEFT_PROVIDERS: JSON.stringify({ real }),
      WEFT_OUTBOUND_ALLOW: '127.0.0.1',
    },
  });
  owner = await signIn(server);
});
afterAll(async () => {
  await discard(server);
  provider.close();
});

const KEY = 'key-of-the-shop-tests';

async function order(...items: object[]) {
  return call(server, '/examples/shop/orders', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ items }),
  });
}

test('the example works with the connection that the docs make for it', async () => {
  const lamp = { product: 'Lamp', quantity: 2, price: 12.5 };
  expect((await order(lamp)).text).toContain('connection_missing');
  await owner.data('PUT', '/connections/shop', {
    kind: 'sqlite',
    settings: { folder: 'examples', file: 'shop.db' },
    grants: { flows: ['shop_orders'] },
  });
  const answers = [
    await order(lamp),
    await order({ product: 'Table', quantity: 1, price: 80 }, { ...lamp, quantity: 1 }),
    await order({ product: "x'); DROP TABLE sales; --", quantity: 3, price: 0.25 }),
    await order(lamp, { product: null, quantity: 1, price: 1 }),
    await order({ product: 'Chair', quantity: 1, price: 40 }),
  ];
  const lines = answers.map(({ status, text }) => `${status} ${status === 200 ? text : ''}`);
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('golden/shop_orders.txt');
});

test('a table of a file is stored as a whole or not at all, and answered from', async () => {
  await owner.data('PUT', '/connections/shop', {
    kind: 'sqlite',
    settings: { folder: 'examples', file: 'imported.db' },
    grants: { flows: ['import_table'] },
  });
  const send = async (...lines: string[]) => {
    const form = new FormData();
    form.set(
      'table',
      new File([['product,quantity,price', ...lines, ''].join('\n')], 'sales.csv', { type: 'text/csv' }),
    );
    return call(server, '/examples/shop/import', { method: 'POST', body: form });
  };
  const answers = [
    await send('Lamp,2,12.5', 'Table,1,80'),
    await send('Lamp,1,12.5', '"x\'); DROP TABLE sales; --",3,0.25'),
    // The second row has no price, so the first is not stored either.
    await send('Chair,1,40', 'Lamp,1,'),
    await send('"Table, round",1,99.5'),
  ];
  const lines = answers.map(({ status, text }) => `${status} ${status === 200 ? text : ''}`);
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('golden/import_table.txt');
});

test('the example that asks the database answers with its rows', async () => {
  const connection = {
    kind: 'sqlite',
    settings: { folder: 'examples', file: 'shop.db', readOnly: true },
    grants: { flows: ['ask_shop_example'] },
  };
  await owner.data('PUT', '/connections/shop_reader', connection);
  const answer = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'flow:ask_shop_example',
      messages: [{ role: 'user', content: 'What has each product earned?' }],
    }),
  });
  const body = (await answer.json()) as { choices: [{ message: { content: string } }] };
  const { content } = body.choices[0].message;
  await expect(`${content}\n`).toMatchFileSnapshot('golden/ask_shop_example.md');
  const [system] = (provider.asked.at(-1)?.body['messages'] ?? []) as { content: string }[];
  await expect(`${system?.content}\n`).toMatchFileSnapshot('golden/ask_shop_example.prompt.txt');
});

test('a form, an approval and a database: what is approved is stored, what is refused is not', async () => {
  await owner.data('PUT', '/connections/shop', {
    kind: 'sqlite',
    settings: { folder: 'examples', file: 'purchases.db' },
    grants: { flows: ['purchase_example'] },
  });
  const asked = async (decision: 'approved' | 'rejected', fields: Record<string, string>) => {
    const typed = Object.entries(fields).map(([name, value]) => [`data.${name}`, value]);
    const sent = await fetch(`${server.url}/form/examples/purchase`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams(typed),
    });
    expect(sent.status).toBe(303);
    const run = sent.headers.get('x-weft-run') ?? '';
    const wait = await eventually(() => owner.data<{ title: string }>('GET', `/waits/${run}.approve`));
    await owner.data('POST', `/waits/${run}.approve/decide`, { decision });
    const { events } = await eventually(async () => {
      const page = await owner.data<{ events: Record<string, unknown>[] }>('GET', `/runs/${run}/events`);
      expect(page.events.at(-1)).toMatchObject({ kind: 'run-finished', status: 'ok' });
      return page;
    });
    const said = events.find(({ kind, node }) => kind === 'node-output' && node === 'decision');
    const text = JSON.stringify(said?.['value']).replace(/session [0-9a-f]+/, 'Somebody');
    return `${wait.title}\n${text}\n`;
  };
  const lines = [
    await asked('approved', { name: 'Ada', item: 'a lamp', price: '12.5', why: 'It is dark.' }),
    await asked('rejected', { name: 'Bo', item: 'a boat', price: '80000', why: '' }),
    await asked('approved', {
      name: "Robert'); DROP TABLE purchases; --",
      item: 'a chair',
      price: '40',
      why: '',
    }),
  ];
  await expect(lines.join('\n')).toMatchFileSnapshot('golden/purchase_example.txt');
});

test('a table is summed up row by row', async () => {
  const send = (...lines: string[]) =>
    call(server, '/examples/sales', {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: ['product,quantity,price', ...lines, ''].join('\n'),
    });
  const products = ['Lamp', 'Table', 'Chair', '"Rug, red"'];
  const many = Array.from({ length: 2000 }, (_, i) => `${products[i % 4]},${(i % 7) - 1},${(i % 100) / 4}`);
  const answers = [
    await send(...many),
    await send(),
    await send('Lamp,2,12.5', 'Table,1'),
    await send('Lamp,two,12.5'),
  ];
  const lines = answers.map(({ status, text }) => `${status} ${text}`);
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('golden/sales_report.txt');
});
