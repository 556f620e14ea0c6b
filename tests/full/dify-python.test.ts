import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Operator } from '#engine';
import type { Flow } from '#shared/flow.ts';
import { difyReader } from '../../server/flows/imports/dify/reader.ts';
import { difyApp, output } from '../../server/flows/imports/dify/testing/dify-app.ts';
import { builtInRegistry } from '../../server/flows/service/testing/flow-fixture.ts';
import { exampleServices } from '../../engine/testing/services.ts';
import { createOutbound } from '../../server/base/outbound/outbound.ts';
import { loadPython, PythonRun } from '../support/python.ts';
import { startSite } from '../support/site.ts';

/** Python of Dify's code nodes, run by the operator that it becomes. */
let python: Operator;
beforeAll(async () => {
  python = await loadPython();
});

async function importedSource(
  code: string,
  variables: readonly string[],
): Promise<{ source: string; difference: string | undefined }> {
  const app = difyApp({
    nodes: {
      start: { type: 'start', variables: [] },
      code: {
        type: 'code',
        code_language: 'python3',
        code,
        outputs: { result: { type: 'string' } },
        variables: variables.map((variable) => ({ variable, value_selector: ['start', variable] })),
      },
      end: { type: 'end', outputs: [output('result', 'code', 'result')] },
    },
    edges: ['start > code', 'code > end'],
  });
  const { catalog } = await builtInRegistry();
  const [original] = difyReader.split({ path: 'a.yml', text: '', json: app });
  const around = { catalog, id: 'app', idFor: (name: string) => name, flowOf: () => undefined };
  const { drafts, report } = difyReader.read(original as never, around);
  const flow = drafts[0]?.flow as Flow;
  const found = Object.values(flow.nodes).find(({ operator }) => operator === 'code.python');
  return {
    source: String(found?.params?.['source']),
    difference: report.nodes.find(({ name }) => name === 'code')?.difference,
  };
}

test('`main` gets its arguments by their names', async () => {
  const { source } = await importedSource(
    'import json, re\n\ndef main(text: str, n: int) -> dict:\n    return {"result": re.sub("a", "b", json.loads(text)["x"]) * n}',
    ['text', 'n'],
  );
  const run = new PythonRun(python, source, { values: { text: '{"x": "aa"}', n: 2 }, input: { other: 1 } });
  expect(await run.end()).toEqual({ result: 'bbbb' });
});

test('keys in the code are secrets of the node', async () => {
  const key = `sk-${'a1B2'.repeat(6)}`;
  const code = `def main():\n    return {"result": "${key}", "header": 'Bearer ${key}', "f": f"x"}`;
  const { source } = await importedSource(code, []);
  expect(source).not.toContain(key);
  const run = new PythonRun(python, source, { input: 1, services: exampleServices() });
  expect(await run.end()).toEqual({
    result: 'the secret app_key',
    header: 'Bearer the secret app_key',
    f: 'x',
  });
});

test('what code uses of requests goes through the guarded client', async () => {
  const code = `import json, requests as r
import requests

def main(url):
    first = requests.get(url, params={'q': 'a b', 'n': [1, 2]}, headers={'X-One': '1'}, timeout=(3, 5))
    second = r.post(url, json={'a': 1})
    third = requests.request('put', url, data={'f': 'ü'}, auth=('u', 'p'))
    try:
        requests.get(url, proxies={'http': 'x'})
    except TypeError as error:
        why = str(error)
    try:
        requests.get('http://127.0.0.1:1/').raise_for_status()
    except requests.exceptions.RequestException as error:
        gone = type(error).__name__
    return {'first': first.json(), 'kind': first.headers['Content-Type'], 'ok': second.ok, 'status': third.status_code, 'why': why, 'gone': gone}
`;
  const { source, difference } = await importedSource(code, ['url']);
  expect(difference).toContain('stand-in');
  const site = await startSite((visit, response) => {
    response.writeHead(visit.method === 'PUT' ? 404 : 200, { 'content-type': 'application/json' });
    response.end('{"hello": 1}');
  });
  const outbound = createOutbound({ allow: ['127.0.0.0/8'] });
  onTestFinished(() => outbound.close());
  const values = { url: `${site.url}/x` };
  const services = { ...exampleServices(), http: outbound };
  const run = new PythonRun(python, source, { values, input: 1, services });
  expect(await run.end()).toEqual({
    first: { hello: 1 },
    kind: 'application/json',
    ok: true,
    status: 404,
    why: 'requests has no proxies here',
    gone: 'ConnectionError',
  });
  expect(site.visits.map(({ method, url, body }) => [method, url, body.toString()])).toEqual([
    ['GET', '/x?q=a+b&n=1&n=2', ''],
    ['POST', '/x', '{"a": 1}'],
    ['PUT', '/x', 'f=%C3%BC'],
  ]);
  const { headers } = site.visits[2] ?? {};
  expect(headers).toMatchObject({
    authorization: 'Basic dTpw',
    'content-type': 'application/x-www-form-urlencoded',
  });
});
