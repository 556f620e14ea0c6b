import { expect, test } from 'vitest';
import { imported, requestsIn, run } from '../testing/community-bed.ts';
import { shareServer } from '../testing/service-bed.ts';

shareServer();

const search = 'n8n-nodes-google-search-console.googleSearchConsole';

test('rows of a site have the names of their dimensions', async () => {
  const done = await run(
    [
      search,
      {
        operation: 'getPageInsights',
        siteUrl: 'sc-domain:a.b',
        dimensions: ['query', 'page'],
        dateRangeMode: 'custom',
        startDate: '2026-01-02T00:00:00',
        endDate: '2026-02-03T00:00:00',
        filters: { filter: [{ dimension: 'page', operator: 'equals', expression: 'x, y' }] },
      },
    ],
    [{}],
    ({ path, body }) => ({
      rows: [{ keys: [path, body], clicks: 1, impressions: 2, ctr: 0.5, position: 3 }],
    }),
  );
  expect(done).toEqual([
    {
      query: expect.stringContaining('/sites/sc-domain:a.b/searchAnalytics/query') as string,
      page: {
        dimensionFilterGroups: [
          {
            groupType: 'or',
            filters: ['x', 'y'].map((expression) => ({ dimension: 'page', operator: 'equals', expression })),
          },
        ],
        ...{ startDate: '2026-01-02', endDate: '2026-02-03', dimensions: ['query', 'page'] },
        ...{ rowLimit: 1000, searchType: 'web' },
      },
      ...{ clicks: 1, impressions: 2, ctr: 0.5, position: 3 },
    },
  ]);
});

test('two times of a site are compared row by row', async () => {
  const days: unknown[] = [];
  const row = (key: string, clicks: number): unknown => ({
    ...{ keys: [key], clicks, impressions: 1, ctr: 1, position: 1 },
  });
  const done = await run(
    [
      search,
      {
        operation: 'comparePageInsights',
        siteUrlCompare: 'https://a.b/',
        dateRangeModeA: 'custom',
        startDateA: '2026-03-11',
        endDateA: '2026-03-20',
      },
    ],
    [{}],
    ({ body }) => {
      const { startDate, endDate } = body as Record<string, string>;
      days.push([startDate, endDate]);
      return { rows: days.length === 1 ? [row('/x', 5), row('/y', 2)] : [row('/x', 3), row('/z', 1)] };
    },
  );
  expect(days).toEqual([
    ['2026-03-11', '2026-03-20'],
    ['2026-03-01', '2026-03-10'],
  ]);
  expect(done).toMatchObject([
    { page: '/x', clicks_a: 5, clicks_b: 3, clicks_diff: 2 },
    { page: '/y', clicks_a: 2, clicks_b: 0, pos_diff: 1 },
    { page: '/z', clicks_a: 0, clicks_b: 1, clicks_diff: -1 },
  ]);
});

test('an agent is asked with what was said before', async () => {
  const flow = await imported([
    'n8n-nodes-contextualai.contextualAi',
    {
      resource: 'Query',
      agentId: 'a',
      query: '={{ $json.q }}',
      conversationHistory: '[]',
      retrievalsOnly: true,
    },
  ]);
  expect(requestsIn(flow.nodes)).toMatchObject([
    {
      url: expect.stringMatching(/\/v1\/agents\/.*\/query\/acl$/) as string,
      query: { retrievals_only: true },
      body: { messages: expect.stringContaining('...json("[]"), { role: "user", content: ') as string },
    },
  ]);
});
