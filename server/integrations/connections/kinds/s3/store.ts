import { z } from 'zod';
import { type FolderEntry, WeftError } from '#engine';
import {
  fileExists,
  fileMissing,
  type FileStore,
  pathRefused,
  segmentsOf,
  type StoreList,
} from '../../../../storage/file-store/store.ts';
import type { ConnectionHttp, OpenedStore } from '../../kind.ts';
import type { S3Settings } from './settings.ts';
import { S3Client } from './client.ts';
import { upload } from './upload.ts';
import { readXml } from './xml.ts';

/** Allows more than folders of a disk: `:` and `\` are common in names of objects and have no special meaning here. */
const SEGMENT = /^(?!\.{1,2}$)[^/\p{Cc}]{1,1024}$/u;
const KEY_BYTES = 1024;
/** Keys of one answer; S3 returns no more. */
const PAGE = 1000;
/** The most answers of one list. Only a server that repeats itself sends more. */
const MAX_PAGES = 1000;

/** Objects of a bucket as files, below the prefix of the settings. */
export function createS3Store(settings: S3Settings, http: ConnectionHttp): OpenedStore {
  return new S3Store(settings, new S3Client(settings, http));
}

class S3Store implements OpenedStore {
  private readonly client: S3Client;
  private readonly bucket: string;
  /** Empty, or ending with `/`. */
  private readonly prefix: string;

  constructor({ bucket, prefix }: S3Settings, client: S3Client) {
    this.client = client;
    this.bucket = bucket;
    this.prefix = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
  }

  /** Checks that the keys may list the bucket, which needs the right endpoint, region, names and keys. */
  async about(signal: AbortSignal): Promise<string> {
    await this.page({ prefix: this.prefix, 'max-keys': '1' }, signal);
    return `the bucket ${this.bucket} at ${this.client.host}`;
  }

  readonly files: FileStore = {
    open: async (path, signal) => {
      const { headers, body: content } = await this.client.download(this.keyOf(path), path, signal);
      return { content, type: headers['content-type'] };
    },
    write: async (path, file, signal) => {
      const key = this.keyOf(path);
      // The server decides in the end; asking first saves sending a file for nothing.
      if (!file.replace && (await this.isThere(key, signal))) throw fileExists(path);
      await upload(this.client, { ...file, key, path }, signal);
    },
    list: (path, options, signal) => this.list(path, options, signal),
    remove: async (path, signal) => {
      const key = this.keyOf(path);
      if (!(await this.isThere(key, signal))) {
        if ((await this.page({ prefix: `${key}/`, 'max-keys': '1' }, signal)).keys.length > 0)
          throw pathRefused(`${path} is a folder, which is not deleted.`);
        return false;
      }
      await this.client.text({ method: 'DELETE', key }, path, signal);
      return true;
    },
  };

  private async isThere(key: string, signal: AbortSignal): Promise<boolean> {
    try {
      await this.client.text({ method: 'HEAD', key }, key, signal);
      return true;
    } catch (error) {
      if (error instanceof WeftError && error.code === 'folder_file_not_found') return false;
      throw error;
    }
  }

  private keyOf(path: string): string {
    segmentsOf(path, SEGMENT);
    const key = `${this.prefix}${path}`;
    if (Buffer.byteLength(key) <= KEY_BYTES) return key;
    throw pathRefused(
      `The path is longer than the ${KEY_BYTES} bytes that S3 takes, with the prefix of the connection.`,
    );
  }

  private async list(path: string, options: StoreList, signal: AbortSignal): Promise<FolderEntry[]> {
    const start = path === '' ? this.prefix : `${this.keyOf(path)}/`;
    const entries = new Map<string, FolderEntry>();
    let isThere = path === '';
    for await (const { keys, folders } of this.pages(start, options, signal)) {
      isThere ||= keys.length + folders.length > 0;
      for (const entry of this.entriesOf(start, keys, folders))
        if (entries.size < options.limit || entries.has(entry.path)) entries.set(entry.path, entry);
      if (entries.size >= options.limit) break;
    }
    if (!isThere) throw fileMissing(path);
    return [...entries.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  private async *pages(start: string, { recursive }: StoreList, signal: AbortSignal): AsyncGenerator<Page> {
    const asked = { prefix: start, 'max-keys': String(PAGE), ...(!recursive && { delimiter: '/' }) };
    let page = await this.page(asked, signal);
    yield page;
    for (let pages = 1; pages < MAX_PAGES && page.next !== undefined; pages++) {
      page = await this.page({ ...asked, 'continuation-token': page.next }, signal);
      yield page;
    }
  }

  /** The entries below `start`, each after the folders that contain it. Names that are no valid paths are left out. */
  private *entriesOf(
    start: string,
    keys: readonly ListedKey[],
    folders: readonly string[],
  ): Generator<FolderEntry> {
    for (const folder of folders)
      if (folder.startsWith(start)) yield* this.foldersOf(folder.slice(this.prefix.length), start);
    for (const { key, bytes, modified } of keys) {
      if (!key.startsWith(start)) continue;
      const path = key.slice(this.prefix.length);
      yield* this.foldersOf(path.slice(0, path.lastIndexOf('/') + 1), start);
      if (isPath(path)) yield { path, kind: 'file', bytes, modified };
    }
  }

  /** The folders below `start` on the way to one whose path ends with `/`. */
  private *foldersOf(path: string, start: string): Generator<FolderEntry> {
    if (!isPath(path.slice(0, -1))) return;
    const from = start.length - this.prefix.length;
    for (let at = path.indexOf('/', from); at !== -1; at = path.indexOf('/', at + 1))
      yield { path: path.slice(0, at), kind: 'folder', bytes: 0, modified: null };
  }

  private async page(query: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Page> {
    const asked = { 'list-type': '2', 'encoding-type': 'url', ...query };
    const text = await this.client.text({ method: 'GET', key: '', query: asked }, '', signal);
    const found = ListAnswer.safeParse(readXml(text));
    if (found.success) return found.data;
    throw new WeftError(
      'connection_failed',
      `The server at ${this.client.host} is not S3: it sent no list of objects. Check the endpoint of the connection.`,
      { transient: false },
    );
  }
}

function isPath(path: string): boolean {
  return path.isWellFormed() && path.split('/').every((segment) => SEGMENT.test(segment));
}

interface ListedKey {
  readonly key: string;
  readonly bytes: number;
  readonly modified: string;
}

interface Page {
  readonly keys: readonly ListedKey[];
  /** Paths ending with `/`. */
  readonly folders: readonly string[];
  /** Undefined after the last page. */
  readonly next: string | undefined;
}

const ListAnswer = z
  .object({
    ListBucketResult: z.object({
      Contents: z
        .array(
          z.object({
            Key: z.string(),
            Size: z.string().regex(/^\d{1,15}$/),
            LastModified: z.string().refine((text) => !Number.isNaN(Date.parse(text))),
          }),
        )
        .default([]),
      CommonPrefixes: z.array(z.object({ Prefix: z.string() })).default([]),
      IsTruncated: z.enum(['true', 'false']).default('false'),
      NextContinuationToken: z.string().optional(),
      EncodingType: z.string().optional(),
    }),
  })
  .transform(({ ListBucketResult: list }): Page => {
    const read = list.EncodingType === 'url' ? decoded : (text: string) => text;
    return {
      keys: list.Contents.map(({ Key, Size, LastModified }) => ({
        key: read(Key),
        bytes: Number(Size),
        modified: new Date(LastModified).toISOString(),
      })),
      folders: list.CommonPrefixes.map(({ Prefix }) => read(Prefix)),
      next: list.IsTruncated === 'true' ? list.NextContinuationToken : undefined,
    };
  });

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
