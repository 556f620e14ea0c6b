import { text as wholeText, buffer as wholeBuffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import {
  ErrorCode,
  McpError,
  type ContentBlock,
  type ReadResourceResult,
} from '@modelcontextprotocol/sdk/types.js';
import { PICTURE } from '#shared/chat-item.ts';
import { sizeText } from '#shared/wait-form.ts';
import type { RunLinks } from '../../execution/durable/run-links.ts';
import type { Files, StoredFile } from '../../storage/file-store/files.ts';
import { handlesIn } from '../../storage/file-store/held-values.ts';

/**
 * Files in the results of tools.
 *
 * XF1. Small pictures and texts are in the result itself; every other file is a link, which `resources/read` reads.
 * XF2. A link cannot be guessed, and opens only the file of its run, for as long as the run is stored.
 */
export interface FileDeps {
  readonly files: Files;
  readonly links: RunLinks;
}

/** The most bytes of a picture, and of a text, within a result. */
const MAX_PICTURE = 1_000_000;
const MAX_TEXT = 100_000;
/** The most bytes of all pictures and texts within one result. */
const MAX_INLINE = 4_000_000;
/** The most files of one result. */
const MAX_FILES = 50;
/** The most bytes that a link returns. */
const MAX_READ = 20_000_000;

const TEXT = /^text\/|^application\/(?:json|xml|yaml|x-yaml|x-ndjson)$|\+(?:json|xml)$/;

/** The files in a value that the run holds, as content of a result. */
export async function fileContent(run: string, value: unknown, deps: FileDeps): Promise<ContentBlock[]> {
  const handles = handlesIn(value);
  if (handles.length === 0) return [];
  const content: ContentBlock[] = [];
  let left = MAX_INLINE;
  for (const handle of handles.slice(0, MAX_FILES)) {
    const file = await deps.files.find(handle, { kind: 'run', id: run });
    if (file === undefined) continue;
    const block = await blockOf(file, await addressOf(run, handle, deps), { left, ...deps });
    if (block.type !== 'resource_link') left -= file.value.bytes;
    content.push(block);
  }
  return content;
}

async function blockOf(
  file: StoredFile,
  uri: string,
  { left, files }: FileDeps & { readonly left: number },
): Promise<ContentBlock> {
  const { name, type: mimeType, bytes } = file.value;
  if (bytes <= left && bytes <= MAX_PICTURE && PICTURE.test(mimeType))
    return { type: 'image', mimeType, data: (await bytesOf(file, files)).toString('base64') };
  if (bytes <= left && bytes <= MAX_TEXT && TEXT.test(mimeType))
    return { type: 'resource', resource: { uri, mimeType, text: await textOf(file, files) } };
  return { type: 'resource_link', uri, name, mimeType, size: bytes };
}

/** The file behind a link. Throws the SDK's error for a link to a missing or too large file. */
export async function readLinked(uri: string, deps: FileDeps): Promise<ReadResourceResult> {
  const file = await linked(uri, deps);
  if (file === undefined) throw new McpError(ErrorCode.InvalidParams, `There is no resource ${uri}.`);
  const { type: mimeType, bytes } = file.value;
  if (bytes > MAX_READ) {
    const sizes = `${sizeText(bytes)}; at most ${sizeText(MAX_READ)} are read at once`;
    throw new McpError(ErrorCode.InvalidParams, `The resource has ${sizes}.`);
  }
  if (TEXT.test(mimeType)) return { contents: [{ uri, mimeType, text: await textOf(file, deps.files) }] };
  const blob = (await bytesOf(file, deps.files)).toString('base64');
  return { contents: [{ uri, mimeType, blob }] };
}

const ADDRESS = /^weft:\/\/runs\/([^/?#]+)\/files\/([^/?#]+)\?token=([\w-]+)$/;

/** An address with the token of the run's own address. */
async function addressOf(run: string, handle: string, { links }: FileDeps): Promise<string> {
  const token = new URL(await links.of(run), 'http://localhost').searchParams.get('token') ?? '';
  return `weft://runs/${run}/files/${handle}?token=${token}`;
}

async function linked(uri: string, { files, links }: FileDeps): Promise<StoredFile | undefined> {
  const [, run = '', handle = '', token = ''] = ADDRESS.exec(uri) ?? [];
  if (!(await links.fits(run, token))) return undefined;
  return files.find(handle, { kind: 'run', id: run });
}

async function bytesOf(file: StoredFile, files: Files): Promise<Buffer> {
  return wholeBuffer(Readable.from(await files.read(file), { objectMode: false }));
}

async function textOf(file: StoredFile, files: Files): Promise<string> {
  return wholeText(Readable.from(await files.read(file), { objectMode: false }));
}
