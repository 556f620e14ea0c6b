import { expect, test } from 'vitest';
import type { HttpRequest, HttpResponse } from '../../base/operator.ts';
import { runOperator } from '../../testing/call.ts';
import { exampleServices } from '../../testing/services.ts';
import request from './request.ts';

async function sentTo(url: string, secret: string) {
  const asked: string[] = [];
  const revealedFor: (string | undefined)[] = [];
  async function* nothing(): AsyncGenerator<Uint8Array> {}
  const services = {
    ...exampleServices(),
    secrets: {
      async reveal(_name: string, _by: unknown, to?: string) {
        revealedFor.push(to);
        return secret;
      },
    },
    http: {
      async send({ url: sent }: HttpRequest): Promise<HttpResponse> {
        asked.push(sent);
        return { status: 204, headers: {}, url: sent, body: nothing() };
      },
    },
  };
  const params = { url, auth: { type: 'address', secret: { $secret: 'bot' } } };
  await runOperator('http.request', request as never, { params, services: services as never });
  return { asked, revealedFor };
}

test.each([
  ['https://api.example.com/bot{secret}/send', '12:Ab-c', 'https://api.example.com/bot12:Ab-c/send'],
  ['https://a.example/x?key={secret}&n=1', 'a&b=c/d é', 'https://a.example/x?key=a%26b%3Dc%2Fd%20%C3%A9&n=1'],
  ['https://a.example/{secret}', '$& {secret}', 'https://a.example/%24%26%20%7Bsecret%7D'],
])('a secret stands where the address says: %s', async (url, secret, sent) => {
  const { asked, revealedFor } = await sentTo(url, secret);
  expect(asked).toEqual([sent]);
  expect(revealedFor).toEqual([url]);
});

test.each(['https://{secret}.example/x', 'https://{secret}', 'https://a.example/x'])(
  'an address without a place for it below its host is refused: %s',
  async (url) => {
    await expect(sentTo(url, 'x')).rejects.toMatchObject({ code: 'bad_params', field: 'params.url' });
  },
);
