import type {
  DocumentBody,
  DocumentMetadata,
  KnowledgeChunk,
  KnowledgeDocument,
  KnowledgeResult,
  KnowledgeSearch,
  KnowledgeSpace,
  SpaceBody,
} from '#shared/knowledge.ts';
import type { SplitChange } from '#shared/split-document.ts';
import { call } from './client.ts';

/** Knowledge spaces, their documents, and the search in them. */
const SPACES = '/api/v1/knowledge/spaces';
const schemas = () => import('./service-schemas.ts');
const space = (id: string): string => `${SPACES}/${encodeURIComponent(id)}`;
const document = (id: string): string => `/api/v1/knowledge/documents/${encodeURIComponent(id)}`;

/** A part of a list; `total` counts all of it. */
export interface Listed<T> {
  readonly items: readonly T[];
  readonly total: number;
}

export const listSpaces = (): Promise<KnowledgeSpace[]> =>
  call(async () => (await schemas()).KnowledgeSpaces, 'GET', SPACES);

export const readSpace = (id: string): Promise<KnowledgeSpace> =>
  call(async () => (await schemas()).KnowledgeSpace, 'GET', space(id));

export const addSpace = (body: SpaceBody): Promise<KnowledgeSpace> =>
  call(async () => (await schemas()).KnowledgeSpace, 'POST', SPACES, { body });

export const changeSpace = (id: string, body: Partial<SpaceBody>): Promise<KnowledgeSpace> =>
  call(async () => (await schemas()).KnowledgeSpace, 'PUT', space(id), { body });

export const removeSpace = (id: string): Promise<unknown> => call((s) => s.Anything, 'DELETE', space(id));

export const searchSpace = (
  id: string,
  body: Partial<KnowledgeSearch>,
  signal: AbortSignal,
): Promise<KnowledgeResult> =>
  call(async () => (await schemas()).KnowledgeResult, 'POST', `${space(id)}/search`, { body, signal });

export const listDocuments = (id: string, limit: number): Promise<Listed<KnowledgeDocument>> =>
  call(async () => (await schemas()).KnowledgeDocuments, 'GET', `${space(id)}/documents?limit=${limit}`);

/** Adds a document from its text or its address. The answer comes before the server has read it (`status`). */
export const loadText = (id: string, body: DocumentBody): Promise<KnowledgeDocument> =>
  call(async () => (await schemas()).KnowledgeDocument, 'POST', `${space(id)}/documents`, { body });

/** Adds a file as a document. The answer comes before the server has read it (`status`). */
export function loadFile(id: string, file: File): Promise<KnowledgeDocument> {
  const body = new FormData();
  body.set('file', file);
  return call(async () => (await schemas()).KnowledgeDocument, 'POST', `${space(id)}/documents`, { body });
}

export const changeDocument = (id: string, metadata: DocumentMetadata): Promise<KnowledgeDocument> =>
  call(async () => (await schemas()).KnowledgeDocument, 'PUT', document(id), { body: { metadata } });

/** Reads it again, with these settings if there are any. */
export const readAgain = (id: string, split: SplitChange = {}): Promise<KnowledgeDocument> =>
  call(async () => (await schemas()).KnowledgeDocument, 'POST', `${document(id)}/sync`, { body: split });

export const removeDocument = (id: string): Promise<unknown> =>
  call((s) => s.Anything, 'DELETE', document(id));

export const readDocument = (id: string): Promise<KnowledgeDocument> =>
  call(async () => (await schemas()).KnowledgeDocument, 'GET', document(id));

/** The chunks of a document, in its order; `offset` counts from 0. */
export const listChunks = (id: string, limit: number, offset = 0): Promise<Listed<KnowledgeChunk>> =>
  call(
    async () => (await schemas()).KnowledgeChunks,
    'GET',
    `${document(id)}/chunks?offset=${offset}&limit=${limit}`,
  );
