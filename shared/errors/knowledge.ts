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

/** Tables and documents. */
export const documentErrors = {
  document_unreadable: {
    status: 422,
    meaning: 'The document is damaged, or is not of the kind that its name or the node says.',
    remedy:
      'The message says what is wrong. Save the file again with the program that made it, perhaps as another kind. In a flow, check that the node reads files of this kind.',
  },
  document_too_large: {
    status: 413,
    meaning: 'The document is larger than the limit, or takes too much memory when it is unpacked.',
    remedy:
      'Raise `maxBytes` of the node, or split the document. A small file that unpacks to a huge one is always refused.',
  },
} as const satisfies Record<string, ErrorEntry>;
