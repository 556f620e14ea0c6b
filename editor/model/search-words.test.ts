import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Catalog, OperatorInfo } from '#shared/catalog.ts';
import { searchOperators } from './search.ts';

/** Words that people of n8n, Dify and Node-RED type, and the operator that they mean, on a canvas that has a trigger. */
const WORDS: Readonly<Record<string, string>> = {
  'http request': 'http.request',
  api: 'http.request',
  fetch: 'http.request',
  email: 'http.request',
  'send email': 'http.request',
  slack: 'http.request',
  upload: 'http.request',
  webhook: 'trigger.http',
  'http in': 'trigger.http',
  endpoint: 'trigger.http',
  cron: 'trigger.schedule',
  schedule: 'trigger.schedule',
  timer: 'trigger.schedule',
  interval: 'trigger.schedule',
  form: 'trigger.form',
  'chat trigger': 'trigger.chat',
  'manual trigger': 'trigger.manual',
  rss: 'trigger.feed',
  kafka: 'trigger.poll',
  'new email': 'trigger.poll',
  loop: 'data.for-each',
  iteration: 'data.for-each',
  'for each': 'data.for-each',
  while: 'data.repeat-until',
  'split in batches': 'data.batch',
  llm: 'model.chat',
  chatgpt: 'model.chat',
  gpt: 'model.chat',
  openai: 'model.chat',
  claude: 'model.chat',
  'ai agent': 'agent.run',
  'mcp client': 'mcp.call',
  agent: 'agent.run',
  classifier: 'model.structured',
  'question classifier': 'model.structured',
  'parameter extractor': 'model.structured',
  embedding: 'model.embed',
  memory: 'prompt.history',
  variable: 'data.set',
  'edit fields': 'data.set',
  set: 'data.set',
  'variable aggregator': 'core.merge',
  code: 'code.run',
  python: 'code.run',
  javascript: 'code.run',
  function: 'code.run',
  crypto: 'code.run',
  date: 'code.run',
  postgres: 'sql.query',
  mysql: 'sql.query',
  sql: 'sql.query',
  insert: 'sql.execute',
  update: 'sql.execute',
  redis: 'redis.get',
  download: 'file.read',
  sleep: 'logic.delay',
  wait: 'logic.delay',
  delay: 'logic.delay',
  if: 'logic.if',
  'if else': 'logic.if',
  switch: 'logic.switch',
  router: 'logic.switch',
  'try catch': 'core.group',
  throttle: 'logic.rate-gate',
  subflow: 'flow.call',
  'execute workflow': 'flow.call',
  'respond to webhook': 'core.respond',
  debug: 'core.log',
  template: 'text.template',
  regex: 'text.regex',
  'remove duplicates': 'data.unique',
  summarize: 'data.aggregate',
  excel: 'data.read-xlsx',
  csv: 'data.read-csv',
  pdf: 'text.from-pdf',
  html: 'text.from-html',
  'vector store': 'knowledge.retrieve',
  'knowledge retrieval': 'knowledge.retrieve',
  rag: 'knowledge.answer',
  'human input': 'human.form',
  approve: 'human.approval',
  'global variable': 'state.set',
};

const kept = JSON.parse(
  readFileSync(new URL('../../engine/operators/catalog.json', import.meta.url), 'utf8'),
) as Record<string, { info: OperatorInfo }>;
const catalog: Catalog = {
  operators: Object.fromEntries(Object.entries(kept).map(([type, { info }]) => [type, info])),
};
const first = (query: string, isEmpty = false): string | undefined =>
  searchOperators(catalog, query, { isEmpty })[0]?.type;

test.each(Object.entries(WORDS))('%s finds %s first', (word, type) => {
  expect(first(word)).toBe(type);
});

test('each title finds its operator first, on a canvas that is not empty', () => {
  const wrong = Object.values(catalog.operators).filter(({ title, type }) => {
    const hit = searchOperators(catalog, title)[0];
    return hit?.type !== type && hit?.title !== title;
  });
  // The trigger has the same name as what people call the node that sends a request.
  expect(wrong.map(({ type }) => type)).toEqual(['trigger.http']);
});

test('on an empty canvas triggers come first', () => {
  for (const [word, type] of [
    ['http request', 'trigger.http'],
    ['http', 'trigger.http'],
    ['form', 'trigger.form'],
    ['chat', 'trigger.chat'],
    ['webhook', 'trigger.http'],
  ] as const)
    expect(first(word, true)).toBe(type);
});

test('of equals the one that fits what is selected comes first', () => {
  const fitting = new Set(['redis.set']);
  expect(searchOperators(catalog, 'redis', { fitting })[0]?.type).toBe('redis.set');
});
