import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { type Callable, curlLine } from '../show/curl-line.ts';

const base = 'http://127.0.0.1:5555/api/v1/awel/trigger';
const request = {
  type: 'object',
  required: ['id', 'tags', 'text'],
  properties: {
    id: { type: 'integer' },
    tags: { type: 'array', items: { type: 'string' } },
    text: { type: 'string', default: "it's" },
  },
};

function trigger(method: string, params: Callable['params'] = {}, path = '/items/:id'): Callable {
  return { method, path, params };
}

describe('a curl line', () => {
  it('puts a GET in the query, with path params in the path and lists repeated', () => {
    expect(curlLine(base, trigger('GET', { request }))).toBe(`curl '${base}/items/1?tags=tags&text=it%27s'`);
  });

  it('names any other method', () => {
    expect(curlLine(base, trigger('DELETE'))).toBe(`curl -X DELETE '${base}/items/id'`);
  });

  it('sends JSON where the trigger reads it, quoted so that a shell gives curl exactly that', () => {
    const line = curlLine(base, trigger('POST', { request, accept: ['form', 'json'] }));
    const words = execFileSync('sh', ['-c', line.replace('curl', "printf '%s\\n'")], { encoding: 'utf8' });
    expect(words.trimEnd().split('\n')).toEqual([
      '-X',
      'POST',
      `${base}/items/1`,
      '-H',
      'content-type: application/json',
      '-d',
      `{"tags":["tags"],"text":"it's"}`,
    ]);
  });

  it('sends a form or a text where the trigger reads only that', () => {
    expect(curlLine(base, trigger('POST', { request, accept: ['form'] }, '/a'))).toContain(
      "-H 'content-type: application/x-www-form-urlencoded' -d 'id=1&tags=tags&text=it%27s'",
    );
    expect(curlLine(base, trigger('PUT', { accept: ['text'] }, '/a'))).toContain(
      "-H 'content-type: text/plain' --data-raw 'text'",
    );
  });

  it('sends an empty object where nothing is declared', () => {
    expect(curlLine(base, trigger('POST', {}, '/a'))).toMatch(/ -d '\{\}'$/);
  });
});
