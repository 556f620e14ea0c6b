import { crc32, deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { FileValue } from '#shared/file.ts';
import { runOperator } from '../../testing/call.ts';
import { EXAMPLE_FILE, exampleFiles } from '../../testing/files.ts';
import { exampleServices } from '../../testing/services.ts';
import unzip from './unzip.ts';

interface Made {
  readonly name?: string | Uint8Array;
  readonly text?: string;
  readonly flags?: number;
  readonly method?: number;
  readonly crc?: number;
  readonly extra?: Uint8Array;
  /** Sizes and position in 64 bits. */
  readonly isLong?: boolean;
}

/** An archive with one file and optional content before it. */
function archive(
  { name = 'a.txt', text = 'Hello', flags = 0x800, method = 8, ...made }: Made = {},
  before = '',
): Buffer {
  const path = Buffer.from(name);
  const data = method === 8 ? deflateRawSync(text) : Buffer.from(text);
  const sizes = [data.length, text.length];
  const long = Buffer.alloc(28);
  long.writeUInt16LE(1, 0);
  long.writeUInt16LE(24, 2);
  long.writeBigUInt64LE(BigInt(text.length), 4);
  long.writeBigUInt64LE(BigInt(data.length), 12);
  const extra = made.isLong ? long : Buffer.from(made.extra ?? []);
  const field = (value: number): number => (made.isLong ? 0xffffffff : value);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(flags, 2);
  common.writeUInt16LE(method, 4);
  common.writeUInt32LE(made.crc ?? crc32(text), 10);
  common.writeUInt32LE(field(sizes[0] as number), 14);
  common.writeUInt32LE(field(sizes[1] as number), 18);
  common.writeUInt16LE(path.length, 22);
  const entry = Buffer.alloc(46);
  entry.write('PK\x01\x02', 'latin1');
  common.copy(entry, 6);
  entry.writeUInt16LE(extra.length, 30);
  entry.writeUInt32LE(field(0), 42);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  const body = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, path, data]);
  end.writeUInt32LE(entry.length + path.length + extra.length, 12);
  end.writeUInt32LE(body.length, 16);
  return Buffer.concat([Buffer.from(before), body, entry, path, extra, end]);
}

async function unpacked(bytes: Uint8Array): Promise<[path: string, text: string][]> {
  const files = exampleFiles([[{ ...EXAMPLE_FILE, bytes: bytes.length }, bytes]]);
  const services = { ...exampleServices(), files };
  const { out } = await runOperator('file.unzip', unzip, { inputs: { in: EXAMPLE_FILE }, services });
  return await Promise.all(
    (out as { path: string; file: FileValue }[]).map(async ({ path, file }): Promise<[string, string]> => {
      const { content } = await files.open(file, undefined as never);
      return [path, Buffer.concat(await Array.fromAsync(content)).toString()];
    }),
  );
}

const cp437 = Buffer.concat([Buffer.from('brosch'), Buffer.from([0x81]), Buffer.from('re.pdf')]);
const unicodePath = (raw: string, name: string): Buffer => {
  const field = Buffer.alloc(9);
  field.writeUInt16LE(0x7075, 0);
  field.writeUInt16LE(5 + Buffer.byteLength(name), 2);
  field.writeUInt32LE(crc32(raw), 5);
  return Buffer.concat([field, Buffer.from(name)]);
};

test.each<[string, Made, string]>([
  ['code page 437', { name: cp437, flags: 0 }, 'broschüre.pdf'],
  ['UTF-8 with its flag', { name: 'ü.txt' }, 'ü.txt'],
  ['UTF-8 without its flag', { name: 'ü.txt', flags: 0 }, 'ü.txt'],
  ['a field of its own', { name: '?.txt', flags: 0, extra: unicodePath('?.txt', '汉.txt') }, '汉.txt'],
  ['a field of another name', { name: '?.txt', flags: 0, extra: unicodePath('x.txt', '汉.txt') }, '?.txt'],
])('a name in %s', async (_how, made, path) => {
  expect(await unpacked(archive(made))).toEqual([[path, 'Hello']]);
});

test('an archive may be uncompressed, in 64 bits, or after a program', async () => {
  expect(await unpacked(archive({ method: 0 }))).toEqual([['a.txt', 'Hello']]);
  expect(await unpacked(archive({ isLong: true }))).toEqual([['a.txt', 'Hello']]);
  expect(await unpacked(archive({}, 'MZ program'))).toEqual([['a.txt', 'Hello']]);
  expect(await unpacked(archive({ text: '' }))).toEqual([['a.txt', '']]);
});

test.each<[string, Uint8Array, string]>([
  ['encrypted and stored', archive({ flags: 1, method: 0 }), 'is encrypted'],
  ['encrypted and packed', archive({ flags: 1 }), 'is encrypted'],
  ['changed', archive({ crc: 1 }), 'is damaged'],
  ['changed and stored', archive({ crc: 1, method: 0 }), 'is damaged'],
  ['packed with bzip2', archive({ method: 12 }), 'with bzip2'],
  ['packed with LZMA', archive({ method: 14 }), 'with LZMA'],
  ['packed in an unknown way', archive({ method: 77 }), 'with method 77'],
  ['cut', archive().subarray(0, 40), 'ends too early'],
  ['empty', new Uint8Array(), 'is no zip archive'],
  ['no archive', Buffer.from('Hello'), 'is no zip archive'],
])('an archive that is %s is refused', async (_how, bytes, why) => {
  await expect(unpacked(bytes)).rejects.toMatchObject({
    code: 'archive_refused',
    message: expect.stringContaining(why) as string,
  });
});
