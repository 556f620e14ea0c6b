import { queryOptions } from '@tanstack/react-query';
import type { KnowledgeDocument } from '#shared/knowledge.ts';
import { listModels } from '../api/models.ts';
import { listDocuments, listSpaces, readSpace } from '../api/knowledge.ts';

export const spacesQuery = queryOptions({ queryKey: ['knowledge-spaces'], queryFn: listSpaces });

export const modelsQuery = queryOptions({ queryKey: ['models'], queryFn: listModels });

/** How often documents are looked at while some are being loaded, and otherwise, since flows load some too; in milliseconds. */
const LOADING_MS = 600;
const RESTING_MS = 10_000;

export const spaceQuery = (id: string) =>
  queryOptions({
    queryKey: ['knowledge-space', id],
    queryFn: () => readSpace(id),
    // Its documents may be embedded again; the list of these shows the progress of each.
    refetchInterval: RESTING_MS,
  });

export const documentsQuery = (space: string, limit: number) =>
  queryOptions({
    queryKey: ['knowledge-documents', space, limit],
    queryFn: () => listDocuments(space, limit),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => (state.data?.items.some(isUnderWay) ? LOADING_MS : RESTING_MS),
  });

export function isUnderWay({ status }: KnowledgeDocument): boolean {
  return status !== 'ready' && status !== 'failed';
}

/** All queries that show spaces or what they hold. */
export const KNOWLEDGE_READS = ['knowledge-spaces', 'knowledge-space', 'knowledge-documents'];
