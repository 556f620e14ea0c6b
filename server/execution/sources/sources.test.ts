import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { FlowNode } from '#shared/flow.ts';
import type { Source } from '#shared/package-api.ts';
import { eventually } from '../../../tests/support/eventually.ts';
import { flowText } from '../../admin/cli/testing/temp-project.ts';
import { type Bed, startBed, tempFolder } from '../../testing/platform-bed.ts';
import { routeCaller } from '../../testing/route-caller.ts';
import { Sources } from './sources.ts';

const OWNER = { id: 'o', kind: 'owner', name: 'owner' } as const;

/** An outside server whose answer a test sets. */
async function outside() {
  const state = {
    status: 200,
    type: 'application/json',
    body: '[]' as string | Buffer,
    etag: '',
    asked: [] as string[],
  };
  const server = createServer((request, response) => {
    state.asked.push(`${request.url} ${request.headers['if-none-match'] ?? ''}`.trim());
    const isKnown = state.etag !== '' && request.headers['if-none-match'] === state.etag;
    response.statusCode = isKnown ? 304 : state.status;
    if (state.etag !== '') response.setHeader('etag', state.etag);
    response.setHeader('content-type', state.type).end(isKnown ? undefined : state.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(state, { url: `http://${host}`, host });
}

async function bedOf(
  flows: Record<string, Record<string, FlowNode>>,
  hosts: readonly string[],
): Promise<Bed> {
  const folder = await tempFolder();
  for (const [id, nodes] of Object.entries(flows))
    await writeFile(join(folder, `${id}.json`), flowText(id, nodes));
  return startBed({ flows: [folder], outboundAllow: hosts });
}

async function asked(bed: Bed) {
  const { call } = await routeCaller(bed);
  const sources = async (): Promise<Source[]> => await call('GET /api/v1/sources');
  const inputs = async (flow: string): Promise<unknown[]> => {
    const runs = await bed.ctx.durable.list({ flow, status: ['ok'], limit: 100 });
    return runs.map(({ answer }) => answer?.body).reverse();
  };
  return { sources, inputs };
}

/** Waits until the source has started this many runs and has completed one more look: there are no others. */
async function startsOnly(count: number, sources: () => Promise<Source[]>): Promise<void> {
  const lookAt = async (): Promise<string | undefined> => (await sources())[0]?.lastLookAt;
  // A run exists before the source has counted it.
  await eventually(async () => expect(await sources()).toMatchObject([{ started: count }]));
  // The first look that ends now may have been in progress before.
  for (const _ of ['under way', 'whole']) {
    const before = await lookAt();
    await eventually(async () => expect(await lookAt()).not.toBe(before));
  }
  expect(await sources()).toMatchObject([{ state: 'listening', started: count, failures: 0 }]);
}

const poll = (params: Record<string, unknown>): Record<string, FlowNode> => ({
  source: { operator: 'trigger.poll', params: { every: 1, ...params } },
});

describe('trigger.poll', () => {
  test('each new item of an address starts one run, by its key', async () => {
    const server = await outside();
    server.body = '{"data": [{"id": 1, "n": "a"}, {"id": 2, "n": "b"}], "next": 2}';
    const params = {
      url: server.url,
      items: '{{ item.data }}',
      key: '{{ item.id }}',
      cursor: '{{ item.next }}',
      cursorField: 'since',
    };
    const bed = await bedOf({ take: poll(params) }, [server.host]);
    const { sources, inputs } = await asked(bed);
    await eventually(async () =>
      expect(await inputs('take')).toEqual([
        { id: 1, n: 'a' },
        { id: 2, n: 'b' },
      ]),
    );
    server.body = '{"data": [{"id": 2, "n": "changed"}, {"id": 3, "n": "c"}], "next": 3}';
    await eventually(async () => expect((await inputs('take')).at(2)).toEqual({ id: 3, n: 'c' }));
    await eventually(() => expect(server.asked).toContain('/?since=3'));
    expect(server.asked.slice(0, 2)).toEqual(['/', '/?since=2']);
    expect(await inputs('take')).toHaveLength(3);
    expect(await sources()).toMatchObject([{ state: 'listening', started: 3, failures: 0 }]);
  });

  test('each item of a flow starts one run; without a key its content counts', async () => {
    const bed = await bedOf(
      {
        list: {
          start: { operator: 'trigger.manual' },
        },
        take: poll({ flow: 'list', items: '{{ [item, { a: 1, b: 2 }, { b: 2, a: 1 }] }}' }),
      },
      [],
    );
    const { sources, inputs } = await asked(bed);
    await startsOnly(2, sources);
    expect(await sources()).toMatchObject([{ flow: 'take', operator: 'trigger.poll' }]);
    await eventually(async () => expect(await inputs('take')).toEqual([{ cursor: null }, { a: 1, b: 2 }]));
  });

  test('a failure is reported until the source works again', async () => {
    const server = await outside();
    server.status = 500;
    const bed = await bedOf({ take: poll({ url: server.url }) }, [server.host]);
    const { sources, inputs } = await asked(bed);
    await eventually(async () => {
      const [source] = await sources();
      expect(source).toMatchObject({
        state: 'failed',
        problem: { code: 'http_status' },
        nextTryAt: expect.any(String),
      });
      expect(source?.failures).toBeGreaterThan(0);
      expect(source).not.toHaveProperty('lastLookAt');
    });
    server.status = 200;
    server.body = '["one"]';
    await eventually(async () => expect(await inputs('take')).toEqual(['one']));
    // The run exists before the source knows that.
    await eventually(async () => {
      const [source] = await sources();
      expect(source).toMatchObject({ state: 'listening', failures: 0, lastLookAt: expect.any(String) });
      expect(source).not.toHaveProperty('problem');
    });
  });

  test('an item without a key is a failure that names it', async () => {
    const server = await outside();
    server.body = '[{"id": null}]';
    const bed = await bedOf({ take: poll({ url: server.url, key: '{{ item.id }}' }) }, [server.host]);
    const { sources } = await asked(bed);
    await eventually(async () =>
      expect(await sources()).toMatchObject([
        { problem: { code: 'source_item', message: expect.stringContaining('item 1') } },
      ]),
    );
  });
});

describe('a source', () => {
  test('ends when its flow is removed, and starts in the new version when that is published', async () => {
    const first = await outside();
    const second = await outside();
    second.body = '["from the second"]';
    const bed = await bedOf({ take: poll({ url: first.url }) }, [first.host, second.host]);
    const { sources, inputs } = await asked(bed);
    await eventually(() => expect(first.asked.length).toBeGreaterThan(0));
    const { flows } = bed.ctx;
    const { revision } = await flows.get('take');
    const text = flowText('take', poll({ url: second.url }));
    const saved = await flows.save('take', text, { revision, actor: OWNER });
    await eventually(async () => expect(await inputs('take')).toEqual(['from the second']));
    await flows.remove('take', { revision: saved.revision });
    await eventually(async () => expect(await sources()).toEqual([]));
  });

  test('of a server that starts no schedules listens elsewhere', async () => {
    const server = await outside();
    const folder = await tempFolder();
    await writeFile(join(folder, 'take.json'), flowText('take', poll({ url: server.url })));
    const bed = await startBed({ flows: [folder], outboundAllow: [server.host], schedules: 'off' });
    const { sources } = await asked(bed);
    await eventually(async () =>
      expect(await sources()).toMatchObject([{ state: 'elsewhere', flow: 'take' }]),
    );
    expect(server.asked).toEqual([]);
  });

  test('starts runs in memory if its flow sets that, each once', async () => {
    const server = await outside();
    server.body = '["a", "b", "a"]';
    const folder = await tempFolder();
    const flow = JSON.parse(flowText('take', poll({ url: server.url }))) as object;
    await writeFile(join(folder, 'take.json'), JSON.stringify({ ...flow, settings: { durable: false } }));
    const bed = await startBed({ flows: [folder], outboundAllow: [server.host] });
    const { sources } = await asked(bed);
    await startsOnly(2, sources);
    expect(await bed.ctx.durable.list({ limit: 10 })).toEqual([]);
  });
});

const RSS = `<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>News</title>
  <item><title>Second &amp; last</title><guid isPermaLink="false">two</guid><link>https://news.example/2</link>
    <pubDate>Tue, 03 Mar 2026 08:00:00 GMT</pubDate><dc:creator>Ada</dc:creator><category>a</category></item>
  <item><title>First</title><guid>one</guid><pubDate>Mon, 02 Mar 2026 08:00:00 GMT</pubDate>
    <description><![CDATA[<p>In short</p>]]></description></item>
</channel></rss>`;

describe('trigger.feed', () => {
  const feed = (url: string, params: Record<string, unknown> = {}): Record<string, FlowNode> => ({
    source: { operator: 'trigger.feed', params: { url, every: 1, ...params } },
  });

  test('each entry starts one run, the oldest first; an unchanged feed is not sent again', async () => {
    const server = await outside();
    Object.assign(server, { body: RSS, type: 'application/rss+xml', etag: '"v1"' });
    const bed = await bedOf({ take: feed(server.url, { existing: 'start' }) }, [server.host]);
    const { inputs } = await asked(bed);
    await eventually(async () =>
      expect(await inputs('take')).toEqual([
        {
          id: 'one',
          title: 'First',
          summary: '<p>In short</p>',
          content: '<p>In short</p>',
          categories: [],
          link: null,
          published: '2026-03-02T08:00:00.000Z',
          author: null,
          enclosure: null,
        },
        expect.objectContaining({
          id: 'two',
          title: 'Second & last',
          link: 'https://news.example/2',
          author: 'Ada',
          categories: ['a'],
        }),
      ]),
    );
    await eventually(() => expect(server.asked.at(-1)).toBe('/ "v1"'));
    expect(await inputs('take')).toHaveLength(2);
  });

  test('entries of the first look start nothing, unless requested', async () => {
    const server = await outside();
    server.body = RSS;
    const bed = await bedOf({ take: feed(server.url) }, [server.host]);
    const { inputs } = await asked(bed);
    await eventually(() => expect(server.asked.length).toBeGreaterThan(1));
    server.body = `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>three</id><title>Third</title>
      <link rel="alternate" href="https://news.example/3"/><updated>2026-03-04T08:00:00Z</updated>
      <author><name>Bo</name></author></entry></feed>`;
    await eventually(async () =>
      expect(await inputs('take')).toMatchObject([
        { id: 'three', title: 'Third', link: 'https://news.example/3', author: 'Bo' },
      ]),
    );
  });

  test.each([
    ['its declaration', '<?xml version="1.0" encoding="windows-1251"?>', 'application/xml', {}],
    ['its Content-Type', '<?xml version="1.0"?>', 'application/rss+xml; charset=windows-1251', {}],
    ['its reader', '<?xml version="1.0"?>', 'application/xml', { encoding: 'windows-1251' }],
  ])('a feed that is not in UTF-8 is read by %s', async (_whose, declaration, type, params) => {
    const server = await outside();
    const text =
      '<rss><channel><item><guid>1</guid><title>?????? &#8211; &amp;</title></item></channel></rss>';
    const word = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]);
    const [before = '', after = ''] = (declaration + text).split('??????');
    server.body = Buffer.concat([Buffer.from(before), word, Buffer.from(after)]);
    server.type = type;
    const bed = await bedOf({ take: feed(server.url, { existing: 'start', ...params }) }, [server.host]);
    const { inputs } = await asked(bed);
    await eventually(async () => expect(await inputs('take')).toMatchObject([{ title: 'Привет – &' }]));
  });

  test('a title of HTML becomes a text, content of XHTML stays markup', async () => {
    const server = await outside();
    server.body = `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id><title type="html">A &amp;amp; &lt;b&gt;B&lt;/b&gt; &amp;hellip;</title>
      <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>hi <b>there</b></p></div></content></entry></feed>`;
    const bed = await bedOf({ take: feed(server.url, { existing: 'start' }) }, [server.host]);
    const { inputs } = await asked(bed);
    await eventually(async () =>
      expect(await inputs('take')).toMatchObject([{ title: 'A & B …', content: '<p>hi <b>there</b></p>' }]),
    );
  });

  test('an answer that is no feed is a failure', async () => {
    const server = await outside();
    server.body = '<html><body>Not here</body></html>';
    const bed = await bedOf({ take: feed(server.url) }, [server.host]);
    const { sources } = await asked(bed);
    await eventually(async () =>
      expect(await sources()).toMatchObject([
        { problem: { code: 'bad_answer', message: expect.stringContaining('no RSS or Atom') } },
      ]),
    );
  });
});

test('no flow is forgotten when another server takes over while the sources of flows begin', async () => {
  const errors: unknown[] = [];
  const timer = (_ms: number, work: () => void) => (setImmediate(work), () => {});
  const sources = new Sources({
    catalog: {},
    host: { timer },
    log: { error: (problem: unknown) => errors.push(problem) },
  } as never);
  const looked: string[] = [];
  const live = (id: string) => {
    looked.push(id);
    void sources.end();
  };
  for (const id of ['a', 'b']) sources.flowChanged(id);
  sources.begin({ live } as never);
  await eventually(() => expect(looked).toEqual(['a', 'b']));
  await sources.close();
  expect(errors).toEqual([]);
});
