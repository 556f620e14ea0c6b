import { expect, test } from 'vitest';
import { readMail } from './mail.ts';

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text.replaceAll('\n', '\r\n'), 'latin1');
}

const read = (text: string, maxBytes = 1_000_000) => readMail(once(text), { maxBytes });

test('a mail is read with its addresses, texts and files', async () => {
  const mail = await read(`From: =?utf-8?q?Zo=C3=AB?= <zoe@example.com>
To: Team: ada@example.com, "Doe, Tim" <tim@example.com>;
Cc: lin@example.com
Reply-To: help@example.com
Subject: =?iso-8859-1?Q?Gr=FC=DFe?=
Date: Mon, 2 Mar 2026 09:00:00 +0100
Message-ID: <2@example.com>
In-Reply-To: <1@example.com>
References: <0@example.com>
 <1@example.com>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

Gr=FC=DFe
--b
Content-Type: application/pdf; name*=utf-8''gr%C3%B6%C3%9Fe.pdf
Content-Disposition: attachment
Content-Transfer-Encoding: base64

AQID
--b--
`);
  expect(mail).toMatchObject({
    from: { name: 'Zoë', address: 'zoe@example.com' },
    to: [
      { name: '', address: 'ada@example.com' },
      { name: 'Doe, Tim', address: 'tim@example.com' },
    ],
    cc: [{ address: 'lin@example.com' }],
    replyTo: [{ address: 'help@example.com' }],
    subject: 'Grüße',
    date: '2026-03-02T08:00:00.000Z',
    messageId: '<2@example.com>',
    inReplyTo: '<1@example.com>',
    references: ['<0@example.com>', '<1@example.com>'],
    html: null,
  });
  expect(mail.text.trim()).toBe('Grüße');
  expect(mail.attachments).toEqual([
    { name: 'größe.pdf', type: 'application/pdf', content: new Uint8Array([1, 2, 3]) },
  ]);
});

test('a mail of HTML alone has its text too, without what nobody sees', async () => {
  const mail = await read(
    'Subject: a\nContent-Type: text/html\n\n<style>x</style><p>Hello <b>Ada</b></p><script>alert(1)</script>',
  );
  expect(mail.text).toBe('Hello Ada');
  expect(mail.html).toContain('<b>Ada</b>');
});

test.each([
  ['nothing', ''],
  ['no headers', '\n\nHello'],
  ['no body', 'Subject: a'],
  ['a boundary that never comes', 'Content-Type: multipart/mixed; boundary=b\n\nHello'],
  [
    'a boundary that never ends',
    'Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nHello',
  ],
  ['base64 that is none', 'Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n%%%%'],
  ['an unknown encoding', 'Content-Type: text/plain; charset=klingon\n\nHello'],
  ['a date that is none', 'Date: yesterday\nSubject: a\n\nHello'],
])('a damaged mail is read as far as it goes: %s', async (_what, text) => {
  expect(await read(text)).toMatchObject({ attachments: expect.any(Array), date: null });
});

test('parts within parts, and more bytes than allowed, are refused', async () => {
  const nested = Array.from(
    { length: 200 },
    (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}\n`,
  );
  await expect(read(nested.join(''))).rejects.toMatchObject({ fault: { code: 'document_unreadable' } });
  await expect(read(`Subject: a\n\n${'x'.repeat(2000)}`, 1000)).rejects.toMatchObject({
    fault: { code: 'document_too_large' },
  });
});
