import { z } from 'zod';
import { SplitChange, SplitSettings } from './split-document.ts';

/** Names of spaces and documents. */
export const KnowledgeName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((name) => !/\p{Cc}/u.test(name), 'A name has no control characters.');

/** What is known of a document besides its text; searches can be limited by it. */
export const DocumentMetadata = z
  .record(
    z
      .string()
      .min(1)
      .max(100)
      .regex(/^[^"\\]*$/),
    z.union([z.string().max(1000), z.number(), z.boolean()]),
  )
  .describe('What is known of the document, to filter by: texts, numbers and booleans by name.');
export type DocumentMetadata = z.infer<typeof DocumentMetadata>;

/** By each field: the value, or one of the values, that documents must have. */
export const MetadataFilter = z.record(
  z
    .string()
    .min(1)
    .max(100)
    .regex(/^[^"\\]*$/),
  z.union([
    z.string(),
    z.number(),
    z.boolean(),
    z
      .array(z.union([z.string(), z.number(), z.boolean()]))
      .min(1)
      .max(100),
  ]),
);
export type MetadataFilter = z.infer<typeof MetadataFilter>;

export const KnowledgeSpace = z.object({
  id: z.string().describe('A number as text.'),
  name: z.string(),
  description: z.string(),
  owner: z.string(),
  model: z.string().nullable().describe('The embedding model; null searches by words alone.'),
  split: SplitSettings,
  documents: z.int(),
  chunks: z.int(),
  embedded: z
    .int()
    .describe('How many of its chunks have a vector of the model; the others are found by words alone.'),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type KnowledgeSpace = z.infer<typeof KnowledgeSpace>;

export const documentStatuses = ['waiting', 'reading', 'embedding', 'ready', 'failed'] as const;

export const KnowledgeDocument = z.object({
  id: z.string().describe('A number as text.'),
  space: z.string().describe('The id of its space.'),
  name: z.string(),
  kind: z.enum(['file', 'text', 'url']),
  type: z.string().describe('Its media type.'),
  url: z.string().nullable(),
  bytes: z.int(),
  metadata: DocumentMetadata,
  split: SplitSettings,
  status: z
    .enum(documentStatuses)
    .describe(
      'waiting: queued. reading: being read and split. embedding: found by words, not yet all by meaning. ready. failed: see `problem`; the chunks of an earlier content stay.',
    ),
  problem: z.object({ code: z.string(), message: z.string() }).nullable(),
  unread: z.array(z.int()).describe('Pages that could not be read.'),
  pages: z.int().nullable(),
  chunks: z.int(),
  embedded: z.int().describe('How many of its chunks have a vector.'),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type KnowledgeDocument = z.infer<typeof KnowledgeDocument>;

export const KnowledgeChunk = z.object({
  id: z.string(),
  n: z.int().describe('Its place in the document, from 0.'),
  text: z.string(),
  heading: z.string().describe('The headings above it, the highest first, with ` › ` between them.'),
  page: z.int().nullable(),
  start: z.int().describe('Where it begins in the text of its page, or of the document.'),
  end: z.int(),
});
export type KnowledgeChunk = z.infer<typeof KnowledgeChunk>;

const Rank = z.object({
  rank: z.int().describe('Its place in this ranking, from 1.'),
  score: z.number().describe('By words: BM25, higher is better. By meaning: the cosine, 1 is the same.'),
});

/** A chunk that a search has found, as a citation. */
export const KnowledgeHit = KnowledgeChunk.extend({
  document: z.object({
    id: z.string(),
    name: z.string(),
    url: z.string().nullable(),
    metadata: DocumentMetadata,
  }),
  space: z.string().describe('The name of its space.'),
  context: z.string().describe('The text with its neighbours; the same as `text` if none were asked for.'),
  quote: z.string().describe('The sentences of the text that fit the question best.'),
  score: z.number().describe('From 0 to 1; 1 is the first of every ranking.'),
  why: z.object({
    words: Rank.extend({
      matched: z
        .array(z.string())
        .describe('The words of the question that it, its headings or its name have.'),
    }).nullable(),
    meaning: Rank.nullable(),
  }),
});
export type KnowledgeHit = z.infer<typeof KnowledgeHit>;

/** Most hits of a search. */
export const MAX_HITS = 100;

export const searchFields = {
  limit: z.int().min(1).max(MAX_HITS).default(5).describe('Most chunks to return.'),
  filter: MetadataFilter.default({}).describe(
    'Only documents with this metadata: a value, or a list of values of which one must fit, by field.',
  ),
  documents: z
    .array(z.string())
    .max(1000)
    .default([])
    .describe('Only documents with these names; empty: all.'),
  neighbours: z
    .int()
    .min(0)
    .max(5)
    .default(0)
    .describe(
      'How many chunks before and after each hit `context` has, unless another hit or its context has them.',
    ),
};

export const KnowledgeSearch = z.strictObject({ query: z.string().min(1).max(10_000), ...searchFields });
export type KnowledgeSearch = z.infer<typeof KnowledgeSearch>;

export const KnowledgeResult = z.object({
  hits: z.array(KnowledgeHit),
  ranking: z.enum(['words', 'hybrid']).describe('hybrid: by words and by meaning.'),
  note: z
    .string()
    .nullable()
    .describe(
      'Why some or all chunks were not searched by meaning, though the space has a model; null if all were.',
    ),
});
export type KnowledgeResult = z.infer<typeof KnowledgeResult>;

export const SpaceBody = z.strictObject({
  name: KnowledgeName,
  description: z.string().max(10_000).optional(),
  owner: z.string().max(200).optional(),
  model: z
    .string()
    .max(300)
    .nullable()
    .optional()
    .describe(
      'The embedding model; null for none. By default the default one of the providers, if there is one.',
    ),
  split: SplitChange.optional().describe('How its documents are split unless they say otherwise.'),
});
export type SpaceBody = z.infer<typeof SpaceBody>;

export const DocumentChange = z.strictObject({ metadata: DocumentMetadata });
export type DocumentChange = z.infer<typeof DocumentChange>;

export const DocumentBody = z.strictObject({
  name: KnowledgeName.optional().describe('By default the name of the file, or the address.'),
  text: z.string().min(1).optional().describe('The document itself, plain text or Markdown.'),
  url: z
    .url({ protocol: /^https?$/ })
    .max(4000)
    .optional()
    .describe('Where the document is read from.'),
  metadata: DocumentMetadata.optional(),
  split: SplitChange.optional(),
});
export type DocumentBody = z.infer<typeof DocumentBody>;
