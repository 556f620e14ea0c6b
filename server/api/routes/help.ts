import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HELP_FILE, type HelpFile, PICTURES } from '../../base/files/built-editor.ts';
import { headersFor } from '../../base/pages/html.ts';
import { isKnown, tagOf } from '../../access/http/sparing-answer.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { landingPage } from './root-pages.ts';

/** The pages of `/help`, which come from `docs/` (docs/decisions/0087-help.md). */

type Coding = 'br' | 'gzip' | 'identity';

interface Entry {
  readonly type: string;
  /** Not a text, which would take twice the memory. */
  readonly bytes: Buffer;
  readonly etag: string;
  /** In the codings that were asked for. */
  readonly coded: Map<Coding, Promise<Buffer>>;
}

interface Help {
  readonly pages: ReadonlyMap<string, Entry>;
  readonly files: ReadonlyMap<string, Entry>;
  readonly notFound: Entry;
}

const HTML = 'text/html; charset=utf-8';
const unpacked = promisify(brotliDecompress);
const asBrotli = promisify(brotliCompress);
const asGzip = promisify(gzip);

/** Read at the first visit, by the folder of the editor. */
const read = new Map<string, Promise<Help>>();

async function helpIn(editorFiles: string): Promise<Help | undefined> {
  const file = join(editorFiles, HELP_FILE);
  const known = read.get(file);
  if (known || !existsSync(file)) return known;
  const help = readHelp(file);
  read.set(file, help);
  return help;
}

async function readHelp(file: string): Promise<Help> {
  const { pages, notFound, search, theme } = JSON.parse(
    (await unpacked(await readFile(file))).toString(),
  ) as HelpFile;
  return {
    pages: new Map(Object.entries(pages).map(([address, text]) => [address, entryOf(HTML, text)])),
    files: new Map([
      ['search.json', entryOf('application/json; charset=utf-8', search)],
      ['theme.js', entryOf('text/javascript; charset=utf-8', theme)],
    ]),
    notFound: entryOf(HTML, notFound),
  };
}

function entryOf(type: string, text: string): Entry {
  const bytes = Buffer.from(text);
  return { type, bytes, etag: tagOf(bytes), coded: new Map() };
}

export interface HelpCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** `path`: below `/help`, without a slash in front. */
export async function sendHelp(
  editorFiles: string,
  path: string,
  { request, reply }: HelpCall,
): Promise<FastifyReply> {
  const help = await helpIn(editorFiles);
  if (!help) {
    // The policy of the help is that of the editor, which this page is no part of.
    const headers = { ...headersFor({}), 'cache-control': 'no-cache' };
    return reply.headers(headers).type(HTML).send(landingPage());
  }
  const entry = help.pages.get(path) ?? help.files.get(path);
  if (entry) return send(entry, request, reply);
  const picture = /^images\/((?:[\w-]+\/)*[\w-]+\.(?:png|svg|webp|jpg))$/.exec(path)?.[1];
  if (picture !== undefined && existsSync(join(PICTURES, picture)))
    return reply.sendFile(picture, PICTURES, { maxAge: '1h' });
  const meant = addressOf(path);
  if (meant !== path && help.pages.has(meant))
    return reply.redirect(meant === '' ? '/help' : `/help/${meant}`, 301);
  if (request.headers.accept?.includes('text/html') !== true) throw new ServiceError('not_found');
  return send(help.notFound, request, reply.code(404));
}

/** People also try the names of the files. */
function addressOf(path: string): string {
  return path
    .toLowerCase()
    .replace(/\/+$/, '')
    .replace(/\.(?:md|html)$/, '')
    .replace(/(?:^|\/)(?:readme|index)$/, '');
}

async function send(entry: Entry, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { type, etag } = entry;
  void reply.headers({ 'cache-control': 'no-cache', etag, vary: 'accept-encoding' });
  if (reply.statusCode === 200 && isKnown(request, etag)) return reply.code(304).send();
  const coding = codingOf(request);
  if (coding !== 'identity') void reply.header('content-encoding', coding);
  return reply.type(type).send(await codedAs(coding, entry));
}

function codingOf({ headers }: FastifyRequest): Coding {
  const accepted = String(headers['accept-encoding'] ?? '');
  const isAccepted = (coding: Coding): boolean =>
    new RegExp(`\\b${coding}\\b(?!;q=0(?:\\.0*)?\\b)`).test(accepted);
  return (['br', 'gzip'] as const).find(isAccepted) ?? 'identity';
}

/** Each coding is made once. */
function codedAs(coding: Coding, { bytes, coded }: Entry): Promise<Buffer> | Buffer {
  if (coding === 'identity') return bytes;
  const known = coded.get(coding);
  if (known) return known;
  const made =
    coding === 'gzip' ? asGzip(bytes) : asBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
  coded.set(coding, made);
  return made;
}
