import { z } from 'zod';
import { DocumentMetadata, KnowledgeName, searchFields } from '#shared/knowledge.ts';
import { SplitSettings } from '#shared/split-document.ts';

export const spaceParam = KnowledgeName.describe('The name of the knowledge space.').meta({
  widget: 'space',
});

/** A document of the space, or of the spaces, that the setting beside it names. */
export const documentParam = KnowledgeName.describe('The name of the document.').meta({ widget: 'document' });

/** Where a search looks, and what it gives. */
export const searchParams = {
  ...searchFields,
  documents: z
    .array(z.string().meta({ widget: 'document' }))
    .max(1000)
    .default([])
    .describe('Only documents with these names; empty: all.'),
};

/** How documents are split; a space has settings of its own, which count where these are left out. */
export const splitParams = SplitSettings.shape;

export const metadataParam = DocumentMetadata.default({});

/** A piece of a loaded document. */
export const LoadedChunk = z.object({
  content: z.string(),
  document: z.string(),
  heading: z.string(),
  page: z.int().nullable(),
});

/** Facts about a loaded document. */
export const LoadedDocument = z.object({
  id: z.string(),
  name: z.string(),
  chunks: z.int(),
  pages: z.int().nullable(),
  unread: z.array(z.int()),
});
