import type { ErrorEntry } from './entry.ts';

/** Spaces of knowledge and their documents. */
export const knowledgeErrors = {
  space_not_found: {
    status: 404,
    meaning: 'There is no knowledge space with this id or name.',
    remedy: 'List the spaces with `GET /api/v1/knowledge/spaces`, or create it.',
  },
  space_name_taken: {
    status: 409,
    meaning: 'Another knowledge space has this name.',
    remedy: 'Choose another name, or change that space.',
  },
  knowledge_document_not_found: {
    status: 404,
    meaning: 'There is no document with this id in the knowledge.',
    remedy: 'List the documents of its space with `GET /api/v1/knowledge/spaces/{space}/documents`.',
  },
  knowledge_document_name_taken: {
    status: 409,
    meaning: 'The space has a document of this name.',
    remedy: 'Choose another name, or delete that document first.',
  },
  knowledge_unsupported: {
    status: 415,
    meaning: 'Documents of this kind cannot be read into a knowledge space.',
    remedy: 'Send PDF, DOCX, HTML, Markdown, CSV, XLSX, JSON, XML or plain text.',
  },
} as const satisfies Record<string, ErrorEntry>;
