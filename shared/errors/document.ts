import type { ErrorEntry } from './entry.ts';

/** Tables and documents. */
export const documentErrors = {
  document_unreadable: {
    status: 422,
    meaning: 'The document is broken, or is of another kind than its name or its use says.',
    remedy:
      'See the message for what is wrong. Open the file with the program that made it and save it again, or as another kind, then load it again. In a flow, see whether the node reads files of this kind.',
  },
  document_too_large: {
    status: 413,
    meaning: 'The document is larger than the limit, or takes too much memory when it is unpacked.',
    remedy:
      'Raise `maxBytes` of the node, or split the document. A small file that unpacks to a huge one is always refused.',
  },
} as const satisfies Record<string, ErrorEntry>;
