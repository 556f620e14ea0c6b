import { z } from 'zod';
import { FileValue } from '#shared/file.ts';
import { type Call, defineOperator, type HttpResponse, optionalInput, output } from '../../base/operator.ts';
import { isBytes, isFailure, readBody, statusError, streamBody } from './_answer.ts';
import { type Params, params } from './_params.ts';
import { requestOf } from './_request.ts';

export default defineOperator({
  title: 'Send HTTP request',
  doc: 'Sends a request to another server and passes its answer on. Secrets come from the secret store; only public addresses are allowed, unless the server allows more.',
  icon: 'send',
  summary: '{method} [{connection} · ]{url|url}',
  synonyms:
    'http request, api, api call, rest, fetch, curl, axios, get, post, put, webhook call, graphql, download, slack, discord, telegram, email, mail, sms, send email, gmail, send, upload',
  params,
  options: {
    Request: ['query', 'headers', 'auth', 'cookies', 'idempotencyKey'],
    Answer: ['response', 'failOn'],
    Limits: ['redirects', 'timeoutMs', 'maxBytes'],
  },
  inputs: { in: optionalInput({ doc: 'Any value; expressions read it as `input`.' }) },
  outputs: {
    body: output({
      doc: 'The answer’s body: JSON, text or bytes; with `response: any` a file in place of bytes. Whole numbers in JSON that would lose digits (beyond 2^53) become texts. Absent if the answer is streamed.',
      when: { param: 'response', is: ['auto', 'any', 'json', 'text', 'bytes'] },
    }),
    file: output({
      doc: 'With `response: file`, the answer’s body as a file.',
      schema: FileValue,
      when: { param: 'response', is: ['file'] },
    }),
    status: output({ doc: 'The HTTP status.', schema: z.int() }),
    headers: output({
      doc: 'The answer’s headers; names in lower case. `set-cookie` is a list, one text for each cookie; several values of any other header are joined by `, `.',
      schema: z.object({ 'set-cookie': z.array(z.string()).optional() }).catchall(z.string()),
    }),
    stream: output({
      doc: 'With `response: stream`, the body piece by piece: text, or bytes.',
      kind: 'stream',
      when: { param: 'response', is: ['stream'] },
    }),
  },
  // JSON and bytes may be anything, and so may an answer that is read by its type.
  infer: {
    outputs: {
      body: {
        byParam: { name: 'response', cases: { text: { schema: { type: 'string' } } }, else: { schema: {} } },
      },
    },
  },
  effects: 'write',
  effectsByParam: { name: 'method', cases: { GET: 'read', HEAD: 'read', OPTIONS: 'read' } },
  idempotent: true,
  keyParam: 'idempotencyKey',
  examples: [
    {
      title: 'Read JSON',
      params: { url: 'https://api.example.com/items', query: { limit: 2 } },
      outputs: {
        body: { method: 'GET', url: 'https://api.example.com/items?limit=2' },
        status: 200,
        headers: { 'content-type': 'application/json' },
      },
    },
    {
      title: 'A form, with a token',
      params: {
        method: 'POST',
        url: 'https://api.example.com/forms',
        auth: { type: 'bearer', secret: { $secret: 'example' } },
        bodyType: 'form',
        body: { name: 'Ada' },
      },
      outputs: {
        body: { method: 'POST', url: 'https://api.example.com/forms', body: 'name=Ada' },
        status: 200,
        headers: { 'content-type': 'application/json' },
      },
    },
    {
      title: 'Signed for AWS',
      params: {
        method: 'POST',
        url: 'https://abc123.execute-api.eu-central-1.amazonaws.com/live/orders',
        auth: { type: 'aws', username: 'AKIAIOSFODNN7EXAMPLE', secret: { $secret: 'example' } },
        bodyType: 'json',
        body: { id: 7 },
      },
      outputs: {
        body: {
          method: 'POST',
          url: 'https://abc123.execute-api.eu-central-1.amazonaws.com/live/orders',
          body: '{"id":7}',
        },
        status: 200,
        headers: { 'content-type': 'application/json' },
      },
    },
    {
      title: 'A server that asks for a digest',
      params: {
        url: 'https://camera.example.com/status',
        auth: { type: 'digest', username: 'ada', secret: { $secret: 'example' } },
      },
      outputs: {
        body: { method: 'GET', url: 'https://camera.example.com/status' },
        status: 200,
        headers: { 'content-type': 'application/json' },
      },
    },
    {
      title: 'Upload a file in a form',
      params: {
        method: 'POST',
        url: 'https://api.example.com/files',
        bodyType: 'multipart',
        body: { note: 'People', table: '{{ input }}' },
      },
      inputs: {
        in: { $file: 'f_example0000000000000000000000000', name: 'people.csv', type: 'text/csv', bytes: 21 },
      },
      outputs: {
        body: { method: 'POST', url: 'https://api.example.com/files' },
        status: 200,
        headers: { 'content-type': 'application/json' },
      },
    },
    {
      title: 'Download a file',
      params: { url: 'https://example.com/report.pdf', response: 'file' },
      outputs: {
        file: {
          $file: 'f_new00000000000000000000000000001',
          name: 'report.pdf',
          type: 'application/pdf',
          bytes: 4,
        },
        status: 200,
        headers: { 'content-type': 'application/pdf' },
      },
    },
    {
      title: 'Through a connection',
      params: { connection: 'crm', url: '/contacts', query: { limit: 2 } },
      outputs: {
        body: { method: 'GET', url: 'https://crm.example.com/contacts?limit=2' },
        status: 200,
        headers: { 'content-type': 'application/json' },
      },
    },
    {
      title: 'With the cookies of earlier requests',
      params: { url: 'https://shop.example.com/orders', cookies: 'run' },
      outputs: {
        body: { method: 'GET', url: 'https://shop.example.com/orders' },
        status: 200,
        headers: { 'content-type': 'application/json' },
      },
    },
    { title: 'What is not there', params: { url: 'https://api.example.com/404' }, error: 'http_status' },
  ],
  async run(call) {
    const { failOn, response, method, url } = call.params;
    if (response === 'file') return downloaded(call);
    const answer = await call
      .service('http')
      .send(await requestOf(call, call.params), call.asker, call.signal);
    if (isFailure(answer.status, failOn))
      throw await statusError(answer, `${method} ${url.replace(/[?#].*$/s, '')}`);
    const { status } = answer;
    const headers = headersOf(answer);
    if (response === 'stream') return { stream: streamBody(answer), status, headers };
    if (response === 'any' && isBytes(answer)) return { body: await stored(call, answer), status, headers };
    return {
      body: await readBody(answer, response === 'any' ? 'auto' : response, (message) =>
        call.log('warn', message),
      ),
      status,
      headers,
    };
  },
});

/** The body as a file, which has the name at the end of its address. */
async function stored(call: Call<Params>, answer: HttpResponse) {
  const content = (await readBody(answer, 'bytes', () => undefined)) as Uint8Array;
  const name = nameIn(answer.url);
  const type = answer.headers['content-type']?.split(';')[0] ?? 'application/octet-stream';
  return call.service('files').create({ name: name.slice(0, 200), type, content }, call.asker, call.signal);
}

function nameIn(url: string): string {
  const path = url.replace(/[?#].*$/s, '').replace(/^[\w+.-]+:\/\/[^/]*/, '');
  const last = path.slice(path.lastIndexOf('/') + 1) || 'file';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

async function downloaded(call: Call<Params>) {
  const { failOn, method, url } = call.params;
  const files = call.service('files');
  const { file, ...answer } = await files.download(
    await requestOf(call, call.params),
    call.asker,
    call.signal,
  );
  const { status } = answer;
  if (!isFailure(status, failOn)) return { file, status, headers: headersOf(answer) };
  const { content: body } = await files.open(file, call.asker);
  throw await statusError({ ...answer, body }, `${method} ${url.replace(/[?#].*$/s, '')}`);
}

/** The headers in the form of the output. */
function headersOf({ headers, cookies }: Pick<HttpResponse, 'headers' | 'cookies'>) {
  return cookies === undefined ? headers : Object.assign({}, headers, { 'set-cookie': [...cookies] });
}
