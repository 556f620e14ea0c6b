import { createHash } from 'node:crypto';
import type { KnowledgeChunk, KnowledgeDocument } from '#shared/knowledge.ts';
import type { SplitSettings } from '#shared/split-document.ts';
import type { StoredSpace } from './store.ts';

/** The formats of the rows of a store. Times are Unix milliseconds, objects are JSON. */

export type StoredRow = Readonly<Record<string, unknown>>;

export function spaceOf(row: StoredRow | undefined): StoredSpace | undefined {
  if (row === undefined) return undefined;
  const [documents = 0, chunks = 0, embedded = 0] = (row['counts'] as string).split(' ').map(Number);
  return {
    id: idOf(row['id']),
    name: row['name'] as string,
    description: row['description'] as string,
    owner: row['owner'] as string,
    model: row['model'] as string | null,
    split: JSON.parse(row['split'] as string) as SplitSettings,
    extra: JSON.parse(row['extra'] as string) as StoredSpace['extra'],
    documents,
    chunks,
    embedded,
    createdAt: timeOf(row['created_at']),
    updatedAt: timeOf(row['updated_at']),
  };
}

export function documentOf(row: StoredRow | undefined): KnowledgeDocument | undefined {
  if (row === undefined) return undefined;
  const text = (name: string) => row[name] as string;
  return {
    id: idOf(row['id']),
    space: idOf(row['space']),
    name: text('name'),
    kind: row['kind'] as KnowledgeDocument['kind'],
    type: text('type'),
    url: row['url'] as string | null,
    bytes: row['bytes'] as number,
    metadata: JSON.parse(text('metadata')) as KnowledgeDocument['metadata'],
    split: JSON.parse(text('split')) as SplitSettings,
    status: row['status'] as KnowledgeDocument['status'],
    problem: row['problem'] === null ? null : (JSON.parse(text('problem')) as KnowledgeDocument['problem']),
    unread: JSON.parse(text('unread')) as number[],
    pages: row['pages'] as number | null,
    chunks: row['chunks'] as number,
    embedded: row['embedded'] as number,
    createdAt: timeOf(row['created_at']),
    updatedAt: timeOf(row['updated_at']),
  };
}

export function chunkOf(row: StoredRow): KnowledgeChunk {
  return {
    id: idOf(row['id']),
    n: row['n'] as number,
    text: row['text'] as string,
    heading: row['heading'] as string,
    page: row['page'] as number | null,
    start: row['first'] as number,
    end: row['last'] as number,
  };
}

/** The hash of a text. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** The most bytes that are hashed within a millisecond; a document may have 50 MB. */
const SMALL = 500_000;

/** Large content is hashed in a thread of Node. */
export async function contentHash(content: Uint8Array): Promise<string> {
  if (content.length <= SMALL) return createHash('sha256').update(content).digest('base64url');
  const digest = await crypto.subtle.digest('SHA-256', content as Uint8Array<ArrayBuffer>);
  return Buffer.from(digest).toString('base64url');
}

export function timeOf(ms: unknown): string {
  return new Date(ms as number).toISOString();
}

/** Ids are numbers here, and texts everywhere else. */
export function idOf(id: unknown): string {
  return `${id as number}`;
}
