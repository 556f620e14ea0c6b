import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ServiceError } from '../../../base/errors/errors.ts';
import { readJsonBody } from '../../../access/http/read-json.ts';
import { type Io, UsageError } from '../io.ts';

/** The JSON value of `--input`: a text, `-` for standard input, `@file` for a file. */
export async function readInput(given: string, io: Io): Promise<unknown> {
  const { bytes, from } = await bytesOf(given, io);
  try {
    return readJsonBody(bytes);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new UsageError(`--input: ${from} cannot be read as JSON. ${error.message}`);
  }
}

async function bytesOf(given: string, io: Io): Promise<{ bytes: Buffer; from: string }> {
  if (given === '-') {
    const chunks: Uint8Array[] = [];
    for await (const chunk of io.stdin) chunks.push(chunk);
    return { bytes: Buffer.concat(chunks), from: 'standard input' };
  }
  if (!given.startsWith('@')) return { bytes: Buffer.from(given), from: 'the value' };
  const file = given.slice(1);
  try {
    return { bytes: readFileSync(resolve(io.cwd, file)), from: file };
  } catch (error) {
    throw new UsageError(`--input: ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}
