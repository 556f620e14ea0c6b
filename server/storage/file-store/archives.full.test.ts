import { strToU8, zipSync } from 'fflate';
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Bed } from '../../testing/platform-bed.ts';
import { fileBed, formOf } from '../../api/triggers/testing/file-bed.ts';

const limits = { fileBytes: 50_000_000 };

async function unzipped(bed: Bed, archive: Uint8Array): Promise<{ status: number; body: never }> {
  const answer = await fetch(`${bed.url}/api/v1/awel/trigger/unzip`, {
    method: 'POST',
    body: archive as BodyInit,
  });
  return { status: answer.status, body: (await answer.json()) as never };
}

const bedOf = (params: object = {}): Promise<Bed> =>
  fileBed({
    unzip: { trigger: { accept: ['bytes'], limits }, nodes: { unzip: { operator: 'file.unzip', params } } },
    round: {
      trigger: { accept: ['multipart'], limits },
      nodes: {
        list: { operator: 'core.map', params: { value: '{{ input.files }}' } },
        zip: { operator: 'file.zip' },
        unzip: { operator: 'file.unzip' },
      },
    },
    zip: {
      trigger: { accept: ['multipart'], limits },
      nodes: {
        list: { operator: 'core.map', params: { value: '{{ input.files }}' } },
        zip: { operator: 'file.zip' },
      },
    },
  });

test('files that were packed come out as they were', async () => {
  const bed = await bedOf();
  const big = randomBytes(3_000_000);
  const files = [new File(['Hello'], 'a.txt'), new File(['again'], 'a.txt'), new File([big], 'b.bin')];
  const call = (id: string) =>
    fetch(`${bed.url}/api/v1/awel/trigger/${id}`, { method: 'POST', body: formOf({ files }) });
  const packed = await call('zip');
  expect([packed.status, packed.headers.get('content-type')]).toEqual([200, 'application/zip']);
  const round = (await (await call('round')).json()) as { path: string; file: object }[];
  expect(round).toMatchObject([
    { path: 'a.txt', file: { name: 'a.txt', bytes: 5 } },
    { path: 'a (2).txt', file: { name: 'a (2).txt', bytes: 5 } },
    { path: 'b.bin', file: { bytes: 3_000_000 } },
  ]);
});

test('names from an archive are cleaned, and folders in it are no files', async () => {
  const bed = await bedOf();
  const archive = zipSync({
    '../../evil.txt': strToU8('x'),
    'dir/': new Uint8Array(),
    'dir/con': strToU8('y'),
    '..\\..\\..TMP': strToU8('z'),
    'C:/a/./.../b.txt': strToU8('d'),
  });
  const { body } = await unzipped(bed, archive);
  expect(body).toMatchObject([
    { path: 'evil.txt', file: { name: 'evil.txt' } },
    { path: 'dir/con', file: { name: '_con' } },
    { path: 'TMP', file: { name: 'TMP' } },
    { path: 'a/b.txt', file: { name: 'b.txt' } },
  ]);
});

test('an archive that grows too much, contains too much or is damaged is refused', async () => {
  const bed = await bedOf({ maxFiles: 2, maxBytes: 30_000_000 });
  const refused = { status: 422, body: { err_code: 'archive_refused' } };
  expect(await unzipped(bed, zipSync({ a: new Uint8Array(20_000_000) }, { level: 9 }))).toMatchObject(
    refused,
  );
  expect(await unzipped(bed, zipSync({ a: randomBytes(31_000_000) }, { level: 0 }))).toMatchObject(refused);
  const three = { a: strToU8('a'), b: strToU8('b'), c: strToU8('c') };
  expect(await unzipped(bed, zipSync(three))).toMatchObject(refused);
  const whole = zipSync({ a: randomBytes(10_000) });
  expect(await unzipped(bed, whole.subarray(0, 5000))).toMatchObject(refused);
  const broken = zipSync({ a: strToU8('Hello '.repeat(1000)) });
  broken.fill(0xff, 40, 60);
  expect(await unzipped(bed, broken)).toMatchObject(refused);
  expect(await unzipped(bed, strToU8('no archive'))).toMatchObject(refused);
  expect((await unzipped(bed, zipSync({ a: strToU8('a') }))).status).toBe(200);
});
